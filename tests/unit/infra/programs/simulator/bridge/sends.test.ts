/** The bridge's newer calls on each engine: places, cards, quotes, reactions, marks, typing. */
import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { listAt } from '../../../../../../infra/adapters/network/webhook-body.ts';
import { ENGINES } from '../../../../../../infra/programs/simulator/bridge/engines.ts';
import { simulatorOf } from '../fixture.ts';

const TO = '5511988887777';
const CHAT = `${TO}@c.us`;
const PLACE = { latitude: -23.5, longitude: -46.6, title: 'Loja' };
const VCARD = [
  ...['BEGIN:VCARD', 'VERSION:3.0', 'FN:Ana Lima'],
  ...['TEL;type=CELL;type=VOICE;waid=5511977776666:+55 11 97777-6666', 'END:VCARD'],
].join('\n');

describe('the newer sends of the simulated bridge', () => {
  const simulator = simulatorOf('the suite');
  afterEach(() => simulator.forget());

  const { engine } = simulator;
  const payloadOf = async (event: string) => {
    const [hook] = await simulator.awaitHooks(event);
    return Object(hook?.payload);
  };
  const typing = async () => {
    const { body } = await simulator.network.control('GET', `/typing?to=${TO}`);
    return listAt(Object(body), 'data').map((each) => Object(each));
  };
  const react = (messageId: unknown, reaction: unknown, more: object = {}) =>
    simulator.bridge('PUT', '/api/reaction', { session: 'shop', messageId, reaction, ...more });

  for (const name of ENGINES) {
    it(`${name}: a place, with a quote`, async () => {
      await engine(name);
      const quoted = { reply_to: `false_${CHAT}_3EB0AA` };
      const { status, body } = await simulator.send({ ...PLACE, ...quoted }, 'sendLocation');
      assert.equal(status, 201);
      const [sent] = await simulator.sent(TO);
      assert.ok(sent);
      assert.ok(JSON.stringify(body).includes(String(sent.externalId)));
      const location = { latitude: -23.5, longitude: -46.6, name: 'Loja' };
      assert.partialDeepStrictEqual(sent, { kind: 'location', location, replyTo: '3EB0AA' });
      const own = await payloadOf('message.any');
      const { latitude, longitude, name: title } = own.location;
      assert.deepEqual([latitude, longitude, title], ['-23.5', '-46.6', 'Loja']);
      assert.deepEqual([own.fromMe, own.replyTo.id], [true, '3EB0AA']);
    });

    it(`${name}: cards by vCard and by fields`, async () => {
      await engine(name);
      const plain = { fullName: 'Téo', phoneNumber: '+55 11 96666-5555', vcard: null };
      const contacts = [{ vcard: VCARD }, plain];
      assert.equal((await simulator.send({ contacts }, 'sendContactVcard')).status, 201);
      const [sent] = await simulator.sent(TO);
      assert.equal(sent?.kind, 'contacts');
      assert.deepEqual(sent.contacts, [
        { name: 'Ana Lima', phones: ['5511977776666'] },
        { name: 'Téo', phones: ['5511966665555'] },
      ]);
      const own = await payloadOf('message.any');
      assert.equal(own.vCards.length, 2);
      assert.match(own.vCards[0], /FN:Ana Lima\nTEL;type=CELL;waid=5511977776666:/);
    });

    it(`${name}: a text that quotes`, async () => {
      await engine(name);
      const said = { session: 'shop', from: TO, text: 'Tem bolo?' };
      const { id } = await simulator.control('/inbound', said);
      const before = simulator.hooks('message.any').length;
      await simulator.send({ text: 'Tem', reply_to: `false_${CHAT}_${id}` });
      const [, own] = await simulator.awaitHooks('message.any', before + 1);
      assert.equal(Object(own?.payload).replyTo.body, 'Tem bolo?');
      assert.equal((await simulator.sent(TO))[0]?.replyTo, id);
    });

    it(`${name}: a reaction, and its end`, async () => {
      await engine(name);
      const messageId = `false_${CHAT}_3EB0AA`;
      const given = await react(messageId, '👍');
      assert.equal(given.status, 200);
      assert.equal(given.text === '', name === 'webjs');
      await react(messageId, '');
      const [first, second] = await simulator.sent(TO);
      assert.equal(first?.kind, 'reaction');
      assert.deepEqual(first.reaction, { messageId: '3EB0AA', emoji: '👍' });
      assert.deepEqual(second?.reaction, { messageId: '3EB0AA', emoji: '' });
      if (name !== 'webjs') assert.ok(given.text.includes(String(first?.externalId)));
      await simulator.awaitHooks('message.reaction', 2);
      for (const [at, text] of ['👍', ''].entries()) {
        const told = simulator.payloads('message.reaction')[at];
        // A browser does not remember that its page was asked for it.
        const source = name === 'webjs' ? 'app' : 'api';
        const own = { fromMe: true, source, reaction: { text, messageId } };
        assert.partialDeepStrictEqual(told, own);
      }
    });

    it(`${name}: read marks and typing are no messages`, async () => {
      await engine(name);
      const post = (call: string, more: object = {}) =>
        simulator.bridge('POST', `/api/${call}`, { session: 'shop', chatId: CHAT, ...more });
      const messageIds = [`false_${CHAT}_3EB0AA`];
      assert.equal((await post('sendSeen', { messageIds })).status, 201);
      for (const call of ['sendSeen', 'startTyping', 'stopTyping']) {
        assert.equal((await post(call)).status, 201, call);
      }
      const shown = await typing();
      assert.ok(shown.every(({ channel }) => channel === 'ch_web'));
      const kinds = shown.map(({ kind, messageId }) => [kind, messageId].join(' ').trim());
      assert.deepEqual(kinds, ['read 3EB0AA', 'read', 'typing', 'paused']);
      assert.deepEqual(await simulator.sent(TO), []);
    });
  }

  it('refuses what the bridge does not take', async () => {
    const sends: readonly (readonly [object, string])[] = [
      [{ ...PLACE, latitude: '1' }, 'sendLocation'],
      [{ ...PLACE, latitude: 91 }, 'sendLocation'],
      [{ ...PLACE, longitude: -181 }, 'sendLocation'],
      [{ ...PLACE, title: undefined }, 'sendLocation'],
      [{ ...PLACE, name: 'Loja' }, 'sendLocation'],
      [{ contacts: [] }, 'sendContactVcard'],
      [{ contacts: [{ fullName: 'Ana' }] }, 'sendContactVcard'],
      [{ contacts: [{ vcard: VCARD }], text: 'a' }, 'sendContactVcard'],
      [{ chatId: 'nobody' }, 'sendSeen'],
      [{ duration: 5 }, 'startTyping'],
    ];
    for (const [body, call] of sends) {
      const { status } = await simulator.send({ ...body }, call);
      assert.equal(status, 400, `${call} ${JSON.stringify(body)}`);
    }
    const whole = `false_${CHAT}_3EB0AA`;
    assert.equal((await react('3EB0AA', '👍')).status, 400);
    assert.equal((await react(whole, undefined)).status, 400);
    assert.equal((await react(whole, '👍', { chatId: CHAT })).status, 400);
    assert.equal((await react(whole, '👍', { session: 'none' })).status, 422);
    assert.equal((await simulator.bridge('POST', '/api/reaction', {})).status, 404);
    assert.equal((await simulator.bridge('POST', '/api/sendButtons', {})).status, 404);
    assert.deepEqual(await simulator.sent(TO), []);
    assert.deepEqual(await typing(), []);
  });

  it('a session that does not work takes none of it; a reaction meets the faults of sends', async () => {
    const fault = { session: 'shop', status: 503, times: 1 };
    await simulator.control('/faults', fault);
    assert.equal((await react(`false_${CHAT}_3EB0AA`, '👍')).status, 503);
    assert.equal((await react(`false_${CHAT}_3EB0AA`, '👍')).status, 200);
    await simulator.control('/session', { session: 'shop', status: 'STOPPED' });
    assert.equal((await react(`false_${CHAT}_3EB0AA`, '👍')).status, 422);
    assert.equal((await simulator.send({}, 'startTyping')).status, 422);
    assert.equal((await simulator.send(PLACE, 'sendLocation')).status, 422);
  });
});
