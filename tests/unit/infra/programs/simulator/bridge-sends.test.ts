/** The bridge's newer calls on each engine: places, cards, quotes, reactions, marks, typing. */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { listAt } from '../../../../../infra/adapters/network/webhook-body.ts';
import { ENGINES } from '../../../../../infra/programs/simulator/bridge-engines.ts';
import { openSimulatorFixture, type SimulatorFixture } from './fixture.ts';

const TO = '5511988887777';
const CHAT = `${TO}@c.us`;
const PLACE = { latitude: -23.5, longitude: -46.6, title: 'Loja' };
const VCARD = [
  ...['BEGIN:VCARD', 'VERSION:3.0', 'FN:Ana Lima'],
  ...['TEL;type=CELL;type=VOICE;waid=5511977776666:+55 11 97777-6666', 'END:VCARD'],
].join('\n');

describe('the newer sends of the simulated bridge', () => {
  let simulator: SimulatorFixture;
  before(async () => {
    simulator = await openSimulatorFixture();
  });
  afterEach(() => simulator.forget());
  after(() => simulator.close());

  const engine = (name: string) => simulator.control('/engines', { session: 'shop', engine: name });
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
      assert.deepEqual(
        [sent.kind, sent.location, sent.replyTo],
        ['location', { latitude: -23.5, longitude: -46.6, name: 'Loja' }, '3EB0AA'],
      );
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
      assert.deepEqual(
        [sent?.kind, sent?.contacts],
        [
          'contacts',
          [
            { name: 'Ana Lima', phones: ['5511977776666'] },
            { name: 'Téo', phones: ['5511966665555'] },
          ],
        ],
      );
      const own = await payloadOf('message.any');
      assert.equal(own.vCards.length, 2);
      assert.match(own.vCards[0], /FN:Ana Lima\nTEL;type=CELL;waid=5511977776666:/);
    });

    it(`${name}: a text that quotes`, async () => {
      await engine(name);
      const { id } = await simulator.control('/inbound', {
        session: 'shop',
        from: TO,
        text: 'Tem bolo?',
      });
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
      assert.deepEqual(
        [first?.kind, first?.reaction, second?.reaction],
        ['reaction', { messageId: '3EB0AA', emoji: '👍' }, { messageId: '3EB0AA', emoji: '' }],
      );
      if (name !== 'webjs') assert.ok(given.text.includes(String(first?.externalId)));
      const hooks = await simulator.awaitHooks('message.reaction', 2);
      const told = hooks.map((hook) => {
        const { fromMe, source, reaction } = Object(hook.payload);
        return [fromMe, source, reaction.text, reaction.messageId];
      });
      assert.deepEqual(told, [
        [true, 'api', '👍', messageId],
        [true, 'api', '', messageId],
      ]);
    });

    it(`${name}: read marks and typing are no messages`, async () => {
      await engine(name);
      const post = (call: string, more: object = {}) =>
        simulator.bridge('POST', `/api/${call}`, { session: 'shop', chatId: CHAT, ...more });
      const messageIds = [`false_${CHAT}_3EB0AA`];
      assert.equal((await post('sendSeen', { messageIds })).status, 201);
      assert.equal((await post('sendSeen')).status, 201);
      assert.equal((await post('startTyping')).status, 201);
      assert.equal((await post('stopTyping')).status, 201);
      assert.deepEqual(
        (await typing()).map(({ kind, messageId, channel }) => [kind, messageId, channel]),
        [
          ['read', '3EB0AA', 'ch_web'],
          ['read', undefined, 'ch_web'],
          ['typing', undefined, 'ch_web'],
          ['paused', undefined, 'ch_web'],
        ],
      );
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
    assert.equal((await react('3EB0AA', '👍')).status, 400);
    assert.equal((await react(`false_${CHAT}_3EB0AA`, undefined)).status, 400);
    assert.equal((await react(`false_${CHAT}_3EB0AA`, '👍', { chatId: CHAT })).status, 400);
    assert.equal((await react(`false_${CHAT}_3EB0AA`, '👍', { session: 'none' })).status, 404);
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
