/** The 24 hours of the simulated Cloud API, a contact's answers and calls, and faults by code. */
import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { recordAt } from '../../../../../../infra/adapters/network/webhook-body.ts';
import { simulatorOf } from '../fixture.ts';

const TO = '5511988887777';
const WHERE = { phoneNumberId: '1001' };
const DAY = 24 * 60 * 60_000;
const COMMON = { messaging_product: 'whatsapp', to: TO };
const TEXT = { ...COMMON, text: { body: 'oi' } };

/** The codes that the issue of the networks names. */
const CODES = [
  131026, 131042, 131047, 131048, 131049, 131050, 131051, 131056, 130429, 132000, 132001, 132005,
  132007, 132012, 132015, 132016, 132018,
];

describe('the window, answers and faults of the simulated Cloud API', () => {
  const simulator = simulatorOf('the suite');
  afterEach(() => simulator.forget());

  const send = (message: object = TEXT) => simulator.graph('POST', '/1001/messages', message);
  const writes = (fields: object) =>
    simulator.control('/inbound', { ...WHERE, from: TO, ...fields });
  const window = (fields: object) => simulator.control('/window', { ...WHERE, ...fields });
  /** The code with which the newest message to the contact fails; undefined: it does not. */
  const failsWith = async (message: object = TEXT) => {
    const { status } = await send(message);
    assert.equal(status, 200);
    return (await simulator.sent(TO)).at(-1)?.failed;
  };
  const valueIn = (field: string) => simulator.valuesOf(field).at(-1);
  /** The first status of a message; receipts of earlier tests may still come. */
  const statusOf = async (id: unknown) => {
    const found = () => simulator.statuses().find((each) => each.id === id);
    await simulator.network.until(`a status of ${id}`, () => found() !== undefined);
    return found();
  };
  /** The id of a message with something to choose. */
  const offered = async (type: string, action: object): Promise<string> => {
    const interactive = { type, body: { text: 'Escolha' }, action };
    const { body } = await send({ ...COMMON, type: 'interactive', interactive });
    return Object(body).messages[0].id;
  };
  const messageOf = () => valueIn('messages').messages[0];

  it('is not enforced until it is turned on, and is of one number alone', async () => {
    assert.equal(await failsWith(), undefined);
    await simulator.control('/window', { phoneNumberId: '2002', enforce: true });
    assert.equal(await failsWith(), undefined);
    await window({ enforce: true });
    assert.equal(await failsWith(), 131047);
    await window({ enforce: false });
    assert.equal(await failsWith(), undefined);
  });

  it('outside of it a free message is accepted and fails in a status', async () => {
    await window({ enforce: true });
    const { status, body } = await send({ ...TEXT, biz_opaque_callback_data: 'msg_1' });
    const [{ id }] = Object(body).messages;
    assert.equal(status, 200);
    const told = { id, status: 'failed', biz_opaque_callback_data: 'msg_1' };
    const errors = [{ code: 131047, title: 'Re-engagement message' }];
    assert.partialDeepStrictEqual(await statusOf(id), { ...told, errors });
  });

  it('outside of it a template goes, and nothing else', async () => {
    await window({ enforce: true });
    const template = { name: 'hello_world', language: { code: 'en_US' } };
    assert.equal(await failsWith({ ...COMMON, type: 'template', template }), undefined);
    for (const [type, content] of Object.entries({
      image: { link: 'https://example.com/a' },
      location: { latitude: 1, longitude: 1 },
      reaction: { message_id: 'wamid.1', emoji: '👍' },
    })) {
      assert.equal(await failsWith({ ...COMMON, type, [type]: content }), 131047, type);
    }
  });

  it('holds for 24 hours from the second in which the contact wrote', async () => {
    await window({ enforce: true, contact: TO, lastWroteAt: Date.now() - DAY + 5_000 });
    assert.equal(await failsWith(), undefined);
    await window({ contact: TO, lastWroteAt: Date.now() - DAY });
    assert.equal(await failsWith(), 131047);
    await window({ contact: TO, lastWroteAt: Date.now() });
    assert.equal(await failsWith(), undefined);
    await window({ contact: TO, lastWroteAt: null });
    assert.equal(await failsWith(), 131047);
    await writes({ text: 'oi', at: Date.now() - DAY - 1_000 });
    assert.equal(await failsWith(), 131047);
  });

  const data = Buffer.from('a').toString('base64');
  const opening: readonly (readonly [string, object, boolean])[] = [
    ['a text', { text: 'oi' }, true],
    ['a file', { media: { data } }, true],
    ['a place', { place: { latitude: 1, longitude: 1 } }, true],
    ['a call', { call: {} }, true],
    ['the end of a call', { call: { event: 'terminate' } }, false],
    ['a text that the phone sent', { text: 'oi', echo: true }, false],
    ['a reaction', { reaction: { to: 'wamid.1', emoji: '👍' } }, false],
    ['an edit', { edits: 'wamid.1', text: 'olá' }, false],
    ['a deletion', { deletes: 'wamid.1' }, false],
    ['a system message', { system: { type: 'user_changed_number', body: 'a' } }, false],
  ];
  for (const [what, fields, opens] of opening) {
    it(`${what} ${opens ? 'opens it' : 'does not open it'}`, async () => {
      await window({ enforce: true });
      await writes(fields);
      assert.equal(await failsWith(), opens ? undefined : 131047);
    });
  }

  it('is one for both names of a person', async () => {
    await window({ enforce: true });
    await writes({ text: 'oi', userId: 'BR.150' });
    await send({ ...TEXT, to: undefined, recipient: 'BR.150' });
    assert.equal((await simulator.sent('BR.150'))[0]?.failed, undefined);
  });

  it('the contact presses a button: by its id, by its title', async () => {
    const buttons = ['sim', 'nao'].map((id) => {
      return { type: 'reply', reply: { id, title: id.toUpperCase() } };
    });
    const to = await offered('button', { buttons });
    await writes({ reply: { to, id: 'sim' } });
    const chosen = { type: 'button_reply', button_reply: { id: 'sim', title: 'SIM' } };
    assert.deepEqual(messageOf().interactive, chosen);
    assert.deepEqual(messageOf().context, { from: '1001', id: to });
    await writes({ reply: { to, title: 'NAO' } });
    assert.equal(messageOf().interactive.button_reply.id, 'nao');
    for (const [where, reply] of [
      [WHERE, { to, id: 'talvez' }],
      [WHERE, { to: 'wamid.none', id: 'sim' }],
      [{ session: 'shop' }, { to, id: 'sim' }],
    ]) {
      const wrong = { ...where, from: TO, reply };
      assert.equal((await simulator.network.control('POST', '/inbound', wrong)).status, 400);
    }
  });

  it('the contact chooses a row, with and without a description', async () => {
    const rows = [
      { id: 'bolo', title: 'Bolo', description: 'de cenoura' },
      { id: 'torta', title: 'Torta' },
    ];
    const to = await offered('list', { button: 'Ver', sections: [{ rows }] });
    for (const row of rows) {
      await writes({ reply: { to, id: row.id } });
      assert.deepEqual(messageOf().interactive, { type: 'list_reply', list_reply: row });
      assert.deepEqual(messageOf().context, { from: '1001', id: to });
    }
  });

  it('the contact presses a quick reply of a template', async () => {
    const payload = { type: 'payload', payload: 'VER_77' };
    const components = [
      { type: 'header', parameters: [{ type: 'text', text: '77' }] },
      { type: 'body', parameters: ['Ana', 'hoje'].map((text) => ({ type: 'text', text })) },
      { type: 'button', sub_type: 'quick_reply', index: 0, parameters: [payload] },
    ];
    const template = { name: 'pedido_enviado', language: { code: 'pt_BR' }, components };
    const { body } = await send({ ...COMMON, type: 'template', template });
    const [{ id: to }] = Object(body).messages;
    await writes({ reply: { to, title: 'Acompanhar' } });
    const { type, button, context } = messageOf();
    assert.deepEqual([type, button], ['button', { payload: 'VER_77', text: 'Acompanhar' }]);
    assert.deepEqual(context, { from: '1001', id: to });
    await writes({ reply: { to, id: 'Falar com a loja' } });
    assert.deepEqual(messageOf().button, { payload: 'Falar com a loja', text: 'Falar com a loja' });
  });

  it('the contact quotes, reacts, and takes the reaction back', async () => {
    const { id } = await writes({ text: 'Tem bolo?' });
    await writes({ text: 'E torta?', replyTo: id });
    assert.deepEqual(messageOf().context, { from: TO, id });
    await writes({ reaction: { to: id, emoji: '👍' } });
    assert.deepEqual(messageOf().reaction, { message_id: id, emoji: '👍' });
    await writes({ reaction: { to: id, emoji: '' } });
    assert.deepEqual(messageOf().reaction, { message_id: id });
  });

  it('the contact calls, and the call ends', async () => {
    const { id } = await writes({ call: {}, name: 'Ana' });
    assert.match(String(id), /^wacid\./);
    const { calls, contacts, metadata } = valueIn('calls');
    assert.deepEqual([contacts[0].wa_id, metadata.phone_number_id], [TO, '1001']);
    const { timestamp, session, ...call } = calls[0];
    assert.match(timestamp, /^\d{10}$/);
    assert.equal(session.sdp_type, 'offer');
    const direction = 'USER_INITIATED';
    assert.deepEqual(call, { id, from: TO, to: '1001', event: 'connect', direction });
    await writes({ call: { event: 'terminate', id } });
    const [ended] = valueIn('calls').calls;
    assert.deepEqual([ended.id, ended.event], [id, 'terminate']);
  });

  for (const code of CODES) {
    it(`${code} in the answer, or in a status`, async () => {
      await simulator.control('/faults', { ...WHERE, code, times: 1 });
      const answer = await send();
      const error = recordAt(answer.body, 'error');
      assert.deepEqual([answer.status, error.code], [code === 132001 ? 404 : 400, code]);
      assert.match(String(error.message), new RegExp(`^\\(#${code}\\) (?!Unknown)`));
      assert.deepEqual(await simulator.sent(TO), []);
      await simulator.control('/faults', { ...WHERE, code, asStatus: true, times: 1 });
      assert.equal(await failsWith(), code);
      const [sent] = await simulator.sent(TO);
      const { status: step, errors } = await statusOf(sent?.externalId);
      assert.deepEqual([step, errors[0].code], ['failed', code]);
    });
  }

  it('controls say what they lack', async () => {
    const post = async (path: string, body: object) =>
      (await simulator.network.control('POST', path, { ...WHERE, ...body })).status;
    assert.equal(await post('/faults', { asStatus: true }), 400);
    assert.equal(await post('/window', { contact: TO }), 400);
    assert.equal(await post('/window', { lastWroteAt: 1 }), 400);
    assert.equal(await post('/permissions', { phoneNumberId: '404', scopes: [] }), 404);
  });
});
