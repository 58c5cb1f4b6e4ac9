/** Requests that the `cloud` driver posts to a bare server in the place of Meta's. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type {
  NetworkDriver,
  OutboundContent,
  Presence,
  SendOutcome,
} from '../../../../../shared/ports/network.ts';
import { channelOf } from '../../../../support/infra/adapters/network/network-fixture.ts';
import { withGraphApi } from '../../../../support/stand-ins/graph-api.ts';
import { json } from '../../../../support/stand-ins/server.ts';

export const CHANNEL = channelOf('cloud');
export const ADDRESS = { messageId: 'msg_1', to: '5511988887777' };
const SENT = { messages: [{ id: 'wamid.1' }], contacts: [{ wa_id: '5511988887777' }] };

/** The bodies that a run has posted, each to the path of messages. */
export async function posted(
  run: (driver: NetworkDriver) => Promise<unknown>,
  answer: { readonly status: number; readonly body: unknown } = { status: 200, body: SENT },
) {
  const bodies: unknown[] = [];
  const result = await withGraphApi((request) => {
    assert.equal(`${request.method} ${request.path}`, 'POST /v26.0/1001/messages');
    assert.equal(request.headers.authorization, 'Bearer token-1001');
    bodies.push(JSON.parse(request.bytes.toString('utf8')));
    return json(answer.body, answer.status);
  }, run);
  return { bodies, result };
}

/** Without the ids that every message has. */
export type Content = OutboundContent extends infer Each
  ? Each extends OutboundContent
    ? Omit<Each, keyof typeof ADDRESS>
    : never
  : never;

/** A template without values. */
export const PLAIN = { name: 'hello_world', language: 'en_US', body: [], buttons: [] };

const INDIVIDUAL = { recipient_type: 'individual', to: '+5511988887777' };
const ENVELOPE = { messaging_product: 'whatsapp', ...INDIVIDUAL };

async function bodyOf(content: object): Promise<unknown> {
  const message = { ...ADDRESS, ...content } as OutboundContent;
  const { bodies, result } = await posted((driver) => driver.sendContent(CHANNEL, message));
  const accepted = { outcome: 'accepted', externalId: 'wamid.1', networkId: '5511988887777' };
  assert.deepEqual(result, accepted);
  assert.equal(bodies.length, 1);
  const { biz_opaque_callback_data: ours, ...body } = Object(bodies[0]);
  assert.equal(ours, ADDRESS.messageId);
  return body;
}

describe('cloud: bodies of templates', () => {
  const PLAIN_SENT = { name: 'hello_world', language: language('en_US') };
  const isSentAs = async (given: object, expected: object, more: object = {}) => {
    const sent = await bodyOf({ type: 'template', template: given, ...more });
    assert.deepEqual(sent, { ...ENVELOPE, type: 'template', template: expected });
  };

  it('a template without values has no components', () => isSentAs(PLAIN, PLAIN_SENT));

  it('values by position, a header’s text and each kind of button', () => {
    const sent = {
      ...{ name: 'pedido_enviado', language: 'pt_BR', header: { text: '77' } },
      body: [{ text: 'Ana' }, { text: '77' }],
      buttons: [
        { type: 'url', index: 0, value: 'abc' },
        { type: 'quick_reply', index: 1, value: 'acompanhar' },
        { type: 'copy_code', index: 2, value: 'VOLTA10' },
      ],
    };
    const text = (value: string) => ({ type: 'text', text: value });
    const button = (sub_type: string, index: string, parameter: object) => {
      return { type: 'button', sub_type, index, parameters: [parameter] };
    };
    const components = [
      { type: 'header', parameters: [text('77')] },
      { type: 'body', parameters: [text('Ana'), text('77')] },
      button('url', '0', text('abc')),
      button('quick_reply', '1', { type: 'payload', payload: 'acompanhar' }),
      button('copy_code', '2', { type: 'coupon_code', coupon_code: 'VOLTA10' }),
    ];
    return isSentAs(sent, { name: sent.name, language: language('pt_BR'), components });
  });

  it('values by name', () => {
    const named = { text: 'Ana', parameter: 'nome' };
    const parameters = [{ type: 'text', parameter_name: 'nome', text: 'Ana' }];
    const components = ['header', 'body'].map((type) => ({ type, parameters }));
    const given = { ...PLAIN, header: named, body: [named] };
    return isSentAs(given, { ...PLAIN_SENT, components });
  });

  for (const kind of ['image', 'video', 'document'] as const) {
    it(`a header’s ${kind} by the name of its upload`, () => {
      const header = { kind, fileName: 'boleto.pdf', content: { uploadId: '9' } };
      const file = kind === 'document' ? { id: '9', filename: 'boleto.pdf' } : { id: '9' };
      const components = [{ type: 'header', parameters: [{ type: kind, [kind]: file }] }];
      return isSentAs(PLAIN, { ...PLAIN_SENT, components }, { header });
    });
  }
});

function language(code: string) {
  return { policy: 'deterministic', code };
}

describe('cloud: bodies of buttons and lists', () => {
  const isSentAs = async (given: object, expected: object) => {
    const sent = await bodyOf({ type: 'interactive', interactive: given });
    assert.deepEqual(sent, { ...ENVELOPE, type: 'interactive', interactive: expected });
  };
  const frame = { text: 'Confirma?', header: 'Consulta', footer: 'Clínica Exemplo' };
  const framed = {
    header: { type: 'text', text: 'Consulta' },
    body: { text: 'Confirma?' },
    footer: { text: 'Clínica Exemplo' },
  };

  it('reply buttons', () => {
    const buttons = [
      { id: 'sim', title: 'Sim' },
      { id: 'nao', title: 'Não' },
    ];
    const action = { buttons: buttons.map((reply) => ({ type: 'reply', reply })) };
    const given = { type: 'buttons', ...frame, buttons };
    return isSentAs(given, { type: 'button', ...framed, action });
  });

  it('a list, without a frame and with it', async () => {
    const rows = [
      { id: '10h', title: '10 horas', description: 'Dra. Bia' },
      { id: '11h', title: '11 horas' },
    ];
    const choice = (sections: readonly object[]) => ({ button: 'Horários', sections });
    const titled = choice([{ title: 'Manhã', rows }]);
    const list = { type: 'list', body: { text: 'Escolha' }, action: titled };
    await isSentAs({ type: 'list', text: 'Escolha', ...titled }, list);
    const plain = choice([{ rows }]);
    await isSentAs({ type: 'list', ...frame, ...plain }, { ...list, ...framed, action: plain });
  });

  it('a button with an address, in which spaces are escaped', () => {
    const given = { type: 'url', text: 'Veja', title: 'Abrir', url: 'https://example.com/a b' };
    const parameters = { display_text: 'Abrir', url: 'https://example.com/a%20b' };
    const action = { name: 'cta_url', parameters };
    return isSentAs(given, { type: 'cta_url', body: { text: 'Veja' }, action });
  });
});

describe('cloud: bodies of reactions, places and cards', () => {
  const target = { externalId: 'wamid.T', fromMe: false };

  it('a reaction names its message, and quotes none', async () => {
    const reaction = { type: 'reaction', emoji: '👍', target, replyTo: 'wamid.Q' } as const;
    const sent = { message_id: 'wamid.T', emoji: '👍' };
    assert.deepEqual(await bodyOf(reaction), { ...ENVELOPE, type: 'reaction', reaction: sent });
    const removed = Object(await bodyOf({ ...reaction, emoji: '' })).reaction;
    assert.deepEqual(removed, { message_id: 'wamid.T', emoji: '' });
  });

  it('a place, and one that quotes a message', async () => {
    const place = { latitude: -23.5505, longitude: -46.6333 };
    const plain = { type: 'location', location: place } as const;
    assert.deepEqual(await bodyOf(plain), { ...ENVELOPE, ...plain });
    const location = { ...place, name: 'Loja', address: 'Praça da Sé, 1' };
    const named = { type: 'location', location } as const;
    const context = { message_id: 'wamid.Q' };
    const sent = await bodyOf({ ...named, replyTo: 'wamid.Q' });
    assert.deepEqual(sent, { ...ENVELOPE, ...named, context });
  });

  it('cards: only a whole number opens a chat', async () => {
    const bia = { name: 'Bia Reis', phones: ['+55 (31) 97777-6666', '31 97777-6666', 'ramal 12'] };
    const more = { email: 'bia@example.com', organization: 'Loja Exemplo' };
    assert.deepEqual(await bodyOf({ type: 'contacts', contacts: [{ ...bia, ...more }] }), {
      ...ENVELOPE,
      type: 'contacts',
      contacts: [
        {
          name: { formatted_name: 'Bia Reis', first_name: 'Bia Reis' },
          phones: [
            { phone: '+55 (31) 97777-6666', type: 'WORK', wa_id: '5531977776666' },
            { phone: '31 97777-6666', type: 'WORK' },
            { phone: 'ramal 12', type: 'WORK' },
          ],
          emails: [{ email: 'bia@example.com', type: 'WORK' }],
          org: { company: 'Loja Exemplo' },
        },
      ],
    });
  });
});

describe('cloud: refusals of content', () => {
  const refusedWith = async (code: number, content: Content): Promise<SendOutcome> => {
    const message = { ...ADDRESS, ...content } as OutboundContent;
    const body = { error: { code, message: `(#${code})` } };
    const run = (driver: NetworkDriver) => driver.sendContent(CHANNEL, message);
    const { result } = await posted(run, { status: 400, body });
    return result as SendOutcome;
  };

  it('says where the template is another one than is known here', async () => {
    const another = [132000, 132001, 132005, 132012, 132015, 132016];
    for (const code of [...another, 132007, 132008, 132018]) {
      const outcome = await refusedWith(code, { type: 'template', template: PLAIN });
      assert.ok(outcome.outcome === 'refused' && outcome.code === String(code));
      assert.equal(outcome.aboutTemplate, another.includes(code) || undefined, String(code));
      assert.match(outcome.reason, /modelo/);
      assert.equal(outcome.aboutMedia, undefined);
    }
  });

  it('says where the file of a header may be to blame', async () => {
    const header = { kind: 'image', fileName: null, content: { uploadId: '9' } } as const;
    const outcome = await refusedWith(131053, { type: 'template', template: PLAIN, header });
    assert.ok(outcome.outcome === 'refused' && outcome.aboutMedia === true);
  });
});

describe('cloud: presence', () => {
  const presence = (shows: Presence['shows']): Presence => {
    return { to: ADDRESS.to, shows, message: { externalId: 'wamid.T', fromMe: false } };
  };
  const READ = { messaging_product: 'whatsapp', status: 'read', message_id: 'wamid.T' };

  it('a read mark, and typing with it', async () => {
    const success = { status: 200, body: { success: true } };
    const indicator = { ...READ, typing_indicator: { type: 'text' } };
    for (const [shows, body] of [
      ['read', READ],
      ['typing', indicator],
    ] as const) {
      const shown = await posted((driver) => show(driver, shows), success);
      assert.deepEqual(shown, { bodies: [body], result: true });
    }
  });

  it('a refusal is no success, and nothing is repeated', async () => {
    const refusal = { status: 400, body: { error: { code: 131009 } } };
    const shown = await posted((driver) => show(driver, 'read'), refusal);
    assert.deepEqual(shown, { bodies: [READ], result: false });
  });

  async function show(driver: NetworkDriver, shows: Presence['shows']): Promise<unknown> {
    return driver.show?.(CHANNEL, presence(shows));
  }
});
