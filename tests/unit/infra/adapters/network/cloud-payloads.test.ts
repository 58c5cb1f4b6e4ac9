/** Webhooks of the Cloud API as its sources show them, and the events that they become. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { eventsOf, payloadNames, payloadOf } from './cloud-payload.ts';

const ANA_IDS = ['BR.70413355918826', 'BR.ENT.5512098837741'];
const ANA = { phone: '5531988887777', networkId: '5531988887777', aliases: ANA_IDS };
const RUI = { phone: '', networkId: 'BR.91122334455667' };
const NEW_PHONE = { phone: '5531977776666', networkId: '5531977776666' };
const AT = 1_780_000_100_000;
const ECHOED_AT = 1_780_000_200_000;
const TOLD_AT = 1_780_000_300_000;

const cases: readonly [string, readonly unknown[]][] = [
  ['message-user-ids', [said('wamid.A1', 'Bom dia')]],
  ['message-contact-ids-only', [said('wamid.A2', 'Ainda tem?')]],
  [
    'message-without-phone',
    [{ ...said('wamid.A3', 'Oi, quero um orçamento', RUI), profileName: 'Rui Lacerda' }],
  ],
  ['message-phone-beside-contact', [said('wamid.A4', 'Voltei')]],
  ['edit-text', [{ ...changed('edit', 'wamid.A1', AT), text: 'Boa tarde' }]],
  ['edit-image', [{ ...changed('edit', 'wamid.A9', AT), text: 'A fachada nova' }]],
  ['revoke', [changed('deletion', 'wamid.A1', AT)]],
  [
    'echo-text',
    [
      {
        type: 'echo',
        externalId: 'wamid.C1',
        ...ANA,
        kind: 'text',
        text: 'Já respondo',
        at: ECHOED_AT,
      },
    ],
  ],
  [
    'echo-edit',
    [{ ...changed('edit', 'wamid.C1', ECHOED_AT), fromMe: true, text: 'Respondo em breve' }],
  ],
  ['echo-revoke', [{ ...changed('deletion', 'wamid.C1', ECHOED_AT), fromMe: true }]],
  ['group-message', []],
  ['group-status', []],
  [
    'status-user-ids',
    [
      { ...told('wamid.E1', 'delivered', 'msg_e1') },
      { type: 'identity', ...ANA },
      { ...told('wamid.E1', 'read', 'msg_e1') },
    ],
  ],
  [
    'status-without-phone',
    [
      {
        type: 'receipt',
        externalId: 'wamid.E2',
        messageId: 'msg_e2',
        status: 'delivered',
        networkId: RUI.networkId,
        at: TOLD_AT,
      },
    ],
  ],
  [
    'system-number-changed',
    [
      {
        type: 'number-change',
        from: { phone: '5531988887777', networkId: '5531988887777' },
        to: { ...NEW_PHONE, aliases: ['BR.80000000000001'] },
        at: AT,
      },
    ],
  ],
  [
    'system-number-changed-v11',
    [
      {
        type: 'number-change',
        from: { phone: '5531988887777', networkId: '5531988887777' },
        to: NEW_PHONE,
        at: AT,
      },
    ],
  ],
  [
    'system-user-id-changed',
    [
      {
        type: 'identity',
        phone: '',
        networkId: 'BR.80000000000002',
        aliases: ['BR.91122334455667'],
      },
    ],
  ],
  ['system-identity-changed', []],
  [
    'user-id-update',
    [
      {
        type: 'identity',
        phone: '',
        networkId: 'BR.80000000000002',
        aliases: ['BR.91122334455667'],
      },
    ],
  ],
  [
    'user-id-update-with-phone',
    [
      {
        type: 'number-change',
        from: { phone: '', networkId: 'BR.70413355918826' },
        to: { ...NEW_PHONE, aliases: ['BR.80000000000001'] },
        at: 1_780_000_400_000,
      },
    ],
  ],
  ['account-reinstated', [{ type: 'readiness', readiness: { ready: true } }]],
  ['account-reconnected', [{ type: 'readiness', readiness: { ready: true } }]],
  ['account-restricted', [{ type: 'restriction', restriction: { until: 1_780_600_000_000 } }]],
  ['account-to-be-disabled', []],
  ['account-violation', []],
  ['account-pricing', []],
  ['template-quality', []],
  [
    'order',
    [said('wamid.H1', 'Sem cebola, por favor\n2 × MARMITA-M (24.5 BRL)\n1 × SUCO-UVA (8 BRL)')],
  ],
  ['order-without-text', [said('wamid.H2', '3 × SUCO-UVA')]],
  [
    'form-answer',
    [
      {
        ...said('wamid.H3', 'nome: Ana\ndias: segunda, quinta\nretorno: true\nnota: 5'),
        replyToExternalId: 'wamid.S1',
      },
    ],
  ],
  [
    'button-reply',
    [
      {
        ...said('wamid.H4', 'Agendar visita'),
        replyToExternalId: 'wamid.S2',
        answer: { type: 'button', id: 'agendar', title: 'Agendar visita' },
      },
    ],
  ],
  ['button-reply-without-title', [said('wamid.H5', 'horario-10h')]],
  [
    'quick-reply',
    [
      {
        ...said('wamid.H6', 'Confirmo'),
        replyToExternalId: 'wamid.S3',
        answer: { type: 'button', id: 'confirmar', title: 'Confirmo' },
      },
    ],
  ],
  [
    'quick-reply-without-text',
    [
      {
        ...said('wamid.H7', 'confirmar'),
        answer: { type: 'button', id: 'confirmar', title: 'confirmar' },
      },
    ],
  ],
  [
    'list-reply',
    [
      {
        ...said('wamid.K3', 'São Paulo'),
        replyToExternalId: 'wamid.S4',
        answer: {
          ...{ type: 'row', id: 'sp', title: 'São Paulo' },
          description: 'Entrega amanhã',
        },
      },
    ],
  ],
  [
    'location',
    [
      {
        ...said('wamid.K4', 'Loja da Sé, Praça da Sé, 1 (-23.5505, -46.6333)'),
        kind: 'location',
        location: {
          ...{ latitude: -23.5505, longitude: -46.6333 },
          ...{ name: 'Loja da Sé', address: 'Praça da Sé, 1' },
        },
      },
    ],
  ],
  [
    'cards',
    [
      {
        ...said('wamid.K5', 'Bia Reis +55 31 97777-6666\nRui +55 31 96666-5555'),
        kind: 'contact',
        contacts: [
          {
            ...{ name: 'Bia Reis', phones: ['+55 31 97777-6666'] },
            ...{ email: 'bia@example.com', organization: 'Loja Exemplo' },
          },
          { name: 'Rui', phones: ['+55 31 96666-5555'] },
        ],
      },
    ],
  ],
  ['call-connect', [called('wacid.K1')]],
  ['call-terminate', [called('wacid.K1')]],
  ['call-ours', []],
  ['template-approved', []],
  [
    'referral',
    [
      {
        ...said('wamid.H8', 'Vim pelo anúncio'),
        referral: 'Aquecedores em oferta\nSó esta semana\nhttps://ads.example/inverno',
      },
    ],
  ],
  [
    'voice',
    [
      {
        ...said('wamid.H9', null),
        kind: 'audio',
        media: {
          networkMediaId: '660012',
          mimeType: 'audio/ogg; codecs=opus',
          fileName: 'mensagem-de-voz.ogg',
        },
      },
    ],
  ],
  [
    'reaction-removed',
    [{ ...said('wamid.I1', ''), kind: 'reaction', replyToExternalId: 'wamid.S1' }],
  ],
  ['reply', [{ ...said('wamid.I2', 'Esse mesmo'), replyToExternalId: 'wamid.S1' }]],
];

function said(externalId: string, words: string | null, person: object = ANA) {
  const profileName = 'Ana Teixeira';
  return { type: 'message', externalId, ...person, profileName, kind: 'text', text: words, at: AT };
}

function called(callId: string) {
  return { type: 'call', callId, ...ANA, profileName: 'Ana Teixeira', at: AT };
}

function changed(type: 'edit' | 'deletion', externalId: string, at: number) {
  return { type, externalId, ...ANA, fromMe: false, at };
}

function told(externalId: string, status: string, messageId: string) {
  const { phone, networkId } = ANA;
  return { type: 'receipt', externalId, messageId, status, phone, networkId, at: TOLD_AT };
}

describe('cloud: webhooks as their sources show them', () => {
  for (const [name, events] of cases) {
    it(name, () => assert.deepEqual(eventsOf(name), events));
  }

  it('every payload names its source', () => {
    for (const name of payloadNames()) payloadOf(name);
  });
});
