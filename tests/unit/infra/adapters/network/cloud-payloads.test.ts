/** Webhooks of the Cloud API as its sources show them, and the events that they become. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { NetworkEvent } from '../../../../../shared/ports/network-event.ts';
import { channelOf } from '../../../../support/infra/adapters/network/network-fixture.ts';
import { eventsOf, parsed, payloadNames, payloadOf } from './cloud-batch.ts';

const ANA_IDS = ['BR.70413355918826', 'BR.ENT.5512098837741'];
const ANA = { phone: '5531988887777', networkId: '5531988887777', aliases: ANA_IDS };
const RUI = { phone: '', networkId: 'BR.91122334455667' };
const NEW_PHONE = { phone: '5531977776666', networkId: '5531977776666' };
const AT = 1_780_000_100_000;
const ECHOED_AT = 1_780_000_200_000;
const TOLD_AT = 1_780_000_300_000;

const READY = { type: 'readiness', readiness: { ready: true } };
const RUI_RENAMED = { type: 'identity', phone: '', networkId: 'BR.80000000000002' };
const OLD_PHONE = { phone: ANA.phone, networkId: ANA.networkId };
const MOVED_ID = { ...NEW_PHONE, aliases: ['BR.80000000000001'] };
const VOICE = { mimeType: 'audio/ogg; codecs=opus', fileName: 'mensagem-de-voz.ogg' };
const BIA = { email: 'bia@example.com', organization: 'Loja Exemplo' };
const STORE = {
  latitude: -23.5505,
  longitude: -46.6333,
  name: 'Loja da Sé',
  address: 'Praça da Sé, 1',
};
const SAO_PAULO = { type: 'row', id: 'sp', title: 'São Paulo', description: 'Entrega amanhã' };

const CALL = { type: 'call', callId: 'wacid.K1', ...ANA, profileName: 'Ana Teixeira', at: AT };

function said(externalId: string, words: string | null, more: object = {}) {
  const message = { type: 'message', externalId, ...ANA, profileName: 'Ana Teixeira' };
  return { ...message, kind: 'text', text: words, at: AT, ...more };
}

const pressed = (id: string, title: string) => ({ answer: { type: 'button', id, title } });
const to = (id: string) => ({ replyToExternalId: `wamid.${id}` });

function changed(type: 'edit' | 'deletion', externalId: string, at: number) {
  return { type, externalId, ...ANA, fromMe: false, at };
}

const echoed = (type: string) => ({ type, externalId: 'wamid.C1', ...ANA, at: ECHOED_AT });

function receipt(sent: object, status: string) {
  return { type: 'receipt', ...sent, status, at: TOLD_AT };
}

const E1 = { externalId: 'wamid.E1', messageId: 'msg_e1', ...OLD_PHONE };
const E2 = { externalId: 'wamid.E2', messageId: 'msg_e2', networkId: RUI.networkId };
const { aliases: _none, ...OF_RUI } = said('wamid.A3', 'Oi, quero um orçamento', {
  ...{ ...RUI, profileName: 'Rui Lacerda' },
});

const moved = (from: object, to: object, at = AT) => ({ type: 'number-change', from, to, at });

const cases: readonly [string, readonly unknown[]][] = [
  ['message-user-ids', [said('wamid.A1', 'Bom dia')]],
  ['message-contact-ids-only', [said('wamid.A2', 'Ainda tem?')]],
  ['message-without-phone', [OF_RUI]],
  ['message-phone-beside-contact', [said('wamid.A4', 'Voltei')]],
  ['edit-text', [{ ...changed('edit', 'wamid.A1', AT), text: 'Boa tarde' }]],
  ['edit-image', [{ ...changed('edit', 'wamid.A9', AT), text: 'A fachada nova' }]],
  ['revoke', [changed('deletion', 'wamid.A1', AT)]],
  ['echo-text', [{ ...echoed('echo'), kind: 'text', text: 'Já respondo' }]],
  ['echo-edit', [{ ...echoed('edit'), fromMe: true, text: 'Respondo em breve' }]],
  ['echo-revoke', [{ ...echoed('deletion'), fromMe: true }]],
  ['group-message', []],
  ['group-status', []],
  [
    'status-user-ids',
    [receipt(E1, 'delivered'), { type: 'identity', ...ANA }, receipt(E1, 'read')],
  ],
  ['status-without-phone', [receipt(E2, 'delivered')]],
  ['system-number-changed', [moved(OLD_PHONE, MOVED_ID)]],
  ['system-number-changed-v11', [moved(OLD_PHONE, NEW_PHONE)]],
  ['system-user-id-changed', [{ ...RUI_RENAMED, aliases: [RUI.networkId] }]],
  ['system-identity-changed', []],
  ['user-id-update', [{ ...RUI_RENAMED, aliases: [RUI.networkId] }]],
  [
    'user-id-update-with-phone',
    [moved({ phone: '', networkId: 'BR.70413355918826' }, MOVED_ID, 1_780_000_400_000)],
  ],
  [
    'order',
    [
      said('wamid.H1', 'Sem cebola, por favor\n2 × MARMITA-M (24.5 BRL)\n1 × SUCO-UVA (8 BRL)', {
        order: {
          ...{ catalogId: '330088', text: 'Sem cebola, por favor' },
          items: [
            { retailerId: 'MARMITA-M', quantity: 2, priceCents: 2_450, currency: 'BRL' },
            { retailerId: 'SUCO-UVA', quantity: 1, priceCents: 800, currency: 'BRL' },
          ],
        },
      }),
    ],
  ],
  [
    'order-without-text',
    [
      said('wamid.H2', '3 × SUCO-UVA', {
        order: {
          ...{ catalogId: '330088', text: null },
          items: [{ retailerId: 'SUCO-UVA', quantity: 3, priceCents: null, currency: null }],
        },
      }),
    ],
  ],
  [
    'form-answer',
    [said('wamid.H3', 'nome: Ana\ndias: segunda, quinta\nretorno: true\nnota: 5', to('S1'))],
  ],
  [
    'button-reply',
    [said('wamid.H4', 'Agendar visita', { ...to('S2'), ...pressed('agendar', 'Agendar visita') })],
  ],
  ['button-reply-without-title', [said('wamid.H5', 'horario-10h')]],
  [
    'quick-reply',
    [said('wamid.H6', 'Confirmo', { ...to('S3'), ...pressed('confirmar', 'Confirmo') })],
  ],
  ['quick-reply-without-text', [said('wamid.H7', 'confirmar', pressed('confirmar', 'confirmar'))]],
  ['list-reply', [said('wamid.K3', 'São Paulo', { ...to('S4'), answer: SAO_PAULO })]],
  [
    'location',
    [
      said('wamid.K4', 'Loja da Sé, Praça da Sé, 1 (-23.5505, -46.6333)', {
        ...{ kind: 'location', location: STORE },
      }),
    ],
  ],
  [
    'cards',
    [
      said('wamid.K5', 'Bia Reis +55 31 97777-6666\nRui +55 31 96666-5555', {
        kind: 'contact',
        contacts: [
          { name: 'Bia Reis', phones: ['+55 31 97777-6666'], ...BIA },
          { name: 'Rui', phones: ['+55 31 96666-5555'] },
        ],
      }),
    ],
  ],
  ['call-connect', [CALL]],
  ['call-terminate', [CALL]],
  ['call-ours', []],
  [
    'referral',
    [
      said('wamid.H8', 'Vim pelo anúncio', {
        referral: 'Aquecedores em oferta\nSó esta semana\nhttps://ads.example/inverno',
        ad: {
          ...{ sourceId: '120900', sourceType: 'ad', clickId: 'ARk0' },
          ...{ headline: 'Aquecedores em oferta', body: 'Só esta semana' },
          sourceUrl: 'https://ads.example/inverno',
        },
      }),
    ],
  ],
  [
    'voice',
    [said('wamid.H9', null, { kind: 'audio', media: { networkMediaId: '660012', ...VOICE } })],
  ],
  ['reaction-removed', [said('wamid.I1', '', { ...to('S1'), kind: 'reaction' })]],
  ['reply', [said('wamid.I2', 'Esse mesmo', to('S1'))]],
  ['call-permission', [said('wamid.I3', 'Permitiu ligações.', to('S5'))]],
  ['call-permission-refused', [said('wamid.I4', 'Recusou ligações.', to('S5'))]],
  [
    'media-error',
    [
      said('wamid.I5', null, {
        kind: 'image',
        error: { code: '131052', message: 'A rede não conseguiu baixar a mídia.' },
      }),
    ],
  ],
  [
    'request-welcome',
    [{ type: 'welcome', welcomeId: 'wamid.I6', ...ANA, profileName: 'Ana Teixeira', at: AT }],
  ],
];

const ofAccount: readonly [string, readonly unknown[]][] = [
  ['account-reinstated', [READY]],
  ['account-reconnected', [READY]],
  ['account-restricted', [{ type: 'restriction', restriction: { until: 1_780_600_000_000 } }]],
  ['account-to-be-disabled', []],
  ['account-violation', []],
  ['account-pricing', []],
];
const ACCOUNT = channelOf('cloud', { businessAccountId: '88017700' });

describe('cloud: webhooks as their sources show them', () => {
  for (const [name, events] of cases) {
    it(name, () => assert.deepEqual(eventsOf(name), events));
  }

  it('every payload names its source', () => {
    for (const name of payloadNames()) payloadOf(name);
  });
});

/** Without the ids that are beside every status. */
function toldBy(name: string): readonly NetworkEvent[] {
  return eventsOf(name).filter(({ type }) => type !== 'identity');
}

/** Of a channel whose settings name the account. */
function toldOfAccount(name: string): readonly NetworkEvent[] {
  const { events, skipped, foreign } = parsed(payloadOf(name), ACCOUNT);
  assert.deepEqual({ skipped, foreign }, { skipped: 0, foreign: 0 });
  return events;
}

describe('cloud: of which account a webhook tells', () => {
  const DELETED = { event: 'ACCOUNT_DELETED' };
  const OURS = '+55 11 4000-1000';
  const told = (value: object, id = '88017700', to = ACCOUNT) => {
    const changes = [{ field: 'account_update', value }];
    const entry = [{ id, time: 1_780_000_000, changes }];
    const { events, foreign } = parsed(
      JSON.stringify({ object: 'whatsapp_business_account', entry }),
      to,
    );
    return [events.length, foreign];
  };
  const unnamed = channelOf('cloud');
  const waba = (waba_id: string) => ({ ...DELETED, waba_info: { waba_id } });

  for (const [title, value, id, to, expected] of [
    ['the channel’s own is believed', DELETED, '88017700', ACCOUNT, [1, 0]],
    ['another account’s is counted', DELETED, '999', ACCOUNT, [0, 1]],
    ['a test of Meta’s page is counted', DELETED, '0', ACCOUNT, [0, 1]],
    ['a partner’s entry tells of the account in waba_info', waba('88017700'), '7', ACCOUNT, [1, 0]],
    ['a partner’s entry of another account', waba('999'), '88017700', ACCOUNT, [0, 1]],
    ['our number of it', { ...DELETED, phone_number: OURS }, '88017700', ACCOUNT, [1, 0]],
    ['another number of it', { ...DELETED, phone_number: '15550001' }, '88017700', ACCOUNT, [0, 1]],
    ['our number under another account', { ...DELETED, phone_number: OURS }, '9', ACCOUNT, [0, 1]],
    ['without the setting none is believed', DELETED, '88017700', unnamed, [0, 1]],
    ['without the setting our number is', { ...DELETED, phone_number: OURS }, '9', unnamed, [1, 0]],
    [
      'without the setting, another',
      { ...DELETED, phone_number: '15550001' },
      '9',
      unnamed,
      [0, 1],
    ],
  ] as const) {
    it(title, () => assert.deepEqual(told(value, id, to), expected));
  }

  it('templates of an account that the settings do not name are counted', () => {
    for (const name of ['approved', 'components', 'category', 'quality']) {
      const { events, foreign } = parsed(payloadOf(`template-${name}`));
      assert.deepEqual([events.length, foreign], [0, 1], name);
    }
  });
});

describe('cloud: the account in webhooks', () => {
  const notReady = (event: NetworkEvent | undefined, reason: RegExp) => {
    assert.ok(event?.type === 'readiness' && event.readiness.ready === false);
    assert.match(event.readiness.reason, reason);
    return event.readiness;
  };

  for (const [name, events] of ofAccount) {
    it(name, () => assert.deepEqual(toldOfAccount(name), events));
  }

  for (const [name, reason] of [
    ['account-disabled', /bloqueada/],
    ['account-deleted', /excluída/],
    ['account-offboarded', /desconectada/],
    ['account-partner-removed', /desconectada/],
  ] as const) {
    it(`${name} makes the channel not ready`, () => {
      const [event, ...more] = toldOfAccount(name);
      notReady(event, reason);
      assert.equal(more.length, 0);
    });
  }

  it('an account that may not answer either is not ready, until a probe finds it well', () => {
    const [restriction, event] = toldOfAccount('account-silenced');
    const until = 1_780_600_000_000;
    assert.deepEqual(restriction, { type: 'restriction', restriction: { until } });
    assert.equal('holdMs' in notReady(event, /restring/), false);
  });

  it('a failure that is one message’s fails that message alone', () => {
    const [event, ...more] = toldBy('status-failed-experiment');
    assert.ok(event?.type === 'receipt' && event.error?.code === '130472');
    assert.match(event.error.message, /experimento/);
    assert.equal(more.length, 0);
  });

  it('a failure that is the account’s makes the channel not ready, once for a batch', () => {
    const [first, second, event, ...more] = toldBy('status-failed-spam');
    assert.ok(first?.type === 'receipt' && first.error?.code === '131048');
    assert.ok(second?.type === 'receipt' && second.messageId === 'msg_f3');
    const { reason, holdMs } = notReady(event, /./);
    assert.deepEqual([reason, holdMs], [first.error.message, 60 * 60_000]);
    assert.equal(more.length, 0);
  });

  it('a failure for a payment leaves the channel ready, and restricts it', () => {
    const [receipt, event, ...more] = toldBy('status-failed-payment');
    assert.ok(receipt?.type === 'receipt');
    assert.match(receipt.error?.message ?? '', /pagamento/);
    const restriction = { until: null, cause: 'payment' };
    assert.deepEqual([event, ...more], [{ type: 'restriction', restriction }]);
  });
});

describe('cloud: templates and batches in webhooks', () => {
  const failed = payloadOf('status-failed-template');
  const payloads = ['approved', 'components', 'category', 'quality'].map((name) =>
    payloadOf(`template-${name}`),
  );
  const account = ACCOUNT;
  const CHANGED = { type: 'templates-changed' };

  it('each change of the account’s templates asks to read them again', () => {
    for (const each of payloads) assert.deepEqual(parsed(each, account).events, [CHANGED]);
  });

  it('a change of another account of the same app is foreign', () => {
    const other = channelOf('cloud', { businessAccountId: '999' });
    const { events, foreign } = parsed(payloads[0] ?? '', other);
    assert.deepEqual({ events, foreign }, { events: [], foreign: 1 });
  });

  it('so does a message that failed because its template is another', () => {
    const [receipt, change, ...more] = parsed(failed, account).events;
    assert.ok(receipt?.type === 'receipt' && receipt.error?.code === '132015');
    assert.match(receipt.error.message, /pausado/);
    assert.deepEqual([change, ...more], [CHANGED]);
  });

  it('once in a batch', () => {
    const types = parsed(together(failed, ...payloads), account).events.map(({ type }) => type);
    assert.deepEqual(types, ['receipt', 'templates-changed']);
  });

  it('a call that begins and ends within a batch is one', () => {
    const { events } = parsed(together(payloadOf('call-connect'), payloadOf('call-terminate')));
    assert.deepEqual(events, [CALL]);
  });
});

/** Payloads in one body. */
function together(...payloads: readonly string[]): string {
  const entry = payloads.flatMap((payload) => JSON.parse(payload).entry);
  return JSON.stringify({ object: 'whatsapp_business_account', entry });
}
