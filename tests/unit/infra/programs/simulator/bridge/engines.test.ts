/** The bridge's engines and versions: ids, chat forms, own ids, look-ups, restarts. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { simulatorOf } from '../fixture.ts';

const TO = '5511988887777';
const CHAT = `${TO}@c.us`;
const LID = '77000@lid';
const OWN_ID = '3EB0AABBCCDDEEFF001122';

describe('sandbox: engines of the bridge', () => {
  const simulator = simulatorOf('each test');

  const { engine } = simulator;
  const messages = (chat: string, query = '') =>
    simulator.bridge('GET', `/api/shop/chats/${encodeURIComponent(chat)}/messages${query}`);
  const acks = () => simulator.payloads('message.ack');
  const until = (what: string, holds: () => boolean) => simulator.network.until(what, holds);

  it('is GOWS at the newest version until another engine is set, and again once forgotten', async () => {
    const version = async () => (await simulator.bridge('GET', '/api/server/version')).body;
    assert.equal((await version()).engine, 'GOWS');
    await engine('noweb', { version: '2026.4.2' });
    const set = await version();
    assert.deepEqual([set.engine, set.version], ['NOWEB', '2026.4.2']);
    const { body } = await simulator.bridge('GET', '/api/sessions/shop');
    assert.deepEqual(body.engine, { engine: 'NOWEB' });
    await simulator.forget();
    assert.equal((await version()).engine, 'GOWS');
    const other = { session: 'shop', engine: 'x' };
    assert.equal((await simulator.network.control('POST', '/engines', other)).status, 400);
  });

  it('the answer to a send has its id where the engine and the version put it', async () => {
    const answer = async () => (await simulator.send({ text: 'oi' })).body;
    assert.match(String((await answer()).id), /^true_5511988887777@c\.us_3EB0[0-9A-F]{18}$/);
    await engine('noweb');
    const raw = await answer();
    assert.equal(raw.id, undefined);
    assert.match(Object(raw.key).id, /^3EB0[0-9A-F]{18}$/);
    assert.equal(Object(raw.key).remoteJid, `${TO}@s.whatsapp.net`);
    await engine('webjs');
    assert.match(Object((await answer()).id).$1, /^true_5511988887777@c\.us_3EB0/);
    await engine('webjs', { version: '2026.6.9' });
    assert.match(Object((await answer()).id)._serialized, /^true_5511988887777@c\.us_3EB0/);
  });

  it('receipts and echoes carry the serialized id, on every engine', async () => {
    for (const name of ['webjs', 'noweb', 'gows']) {
      await engine(name);
      await simulator.send({ text: `oi ${name}` });
      const [sent] = await simulator.sent(TO);
      assert.equal(sent?.fullId, `true_${CHAT}_${sent?.externalId}`);
      const own = () => acks().filter(({ id }) => id === sent?.fullId);
      await until('read', () => own().some(({ ack }) => ack === 3));
      const ladder = own().map(({ ack }) => ack);
      assert.deepEqual(ladder, name === 'gows' ? [2, 3] : [1, 2, 3]);
      const [echo] = simulator.payloads('message.any');
      assert.deepEqual([echo.id, echo.source], [sent?.fullId, 'api']);
      await simulator.forget();
    }
  });

  it('GOWS acknowledges by the hidden form what was sent to the phone', async () => {
    await simulator.control('/people', { digits: TO, lid: LID });
    const { body } = await simulator.send({ text: 'oi' });
    const id = String(body.id).split('_')[2];
    assert.equal(body.id, `true_${CHAT}_${id}`);
    await until('delivered', () => acks().length > 0);
    assert.equal(acks()[0].id, `true_${LID}_${id}`);
    assert.equal(acks()[0]._data.SenderAlt, `${TO}:77@s.whatsapp.net`);
  });

  it('a send under an own id again is one delivery', async () => {
    for (const name of ['noweb', 'gows']) {
      await engine(name);
      const first = await simulator.send({ text: 'oi', id: OWN_ID });
      const again = await simulator.send({ text: 'oi', id: OWN_ID });
      assert.deepEqual([first.status, again.status], [201, 201]);
      const [sent, ...more] = await simulator.sent(TO);
      assert.deepEqual([sent?.externalId, sent?.repeats, more], [OWN_ID, 1, []]);
      await simulator.forget();
    }
    for (const build of [{ engine: 'webjs' }, { engine: 'gows', version: '2026.4.2' }]) {
      await simulator.control('/engines', { session: 'shop', ...build });
      await simulator.send({ text: 'oi', id: OWN_ID });
      await simulator.send({ text: 'oi', id: OWN_ID });
      const ids = (await simulator.sent(TO)).map(({ externalId }) => externalId);
      assert.equal(new Set(ids).size, 2, JSON.stringify(build));
      assert.ok(!ids.includes(OWN_ID));
      await simulator.forget();
    }
  });

  it('hands out ids where sends take them', async () => {
    const ask = () => simulator.bridge('GET', '/api/shop/new-message-id');
    assert.match(String((await ask()).body.id), /^3EB0[0-9A-F]{18}$/);
    await engine('webjs');
    assert.deepEqual([(await ask()).status, (await ask()).body.status], [501, undefined]);
    await engine('gows', { version: '2026.4.2' });
    assert.equal((await ask()).status, 404);
  });

  it('finds one message by its id, bare in all chats or whole', async () => {
    const find = (chat: string, id: string) =>
      simulator.bridge('GET', `/api/shop/chats/${chat}/messages/${encodeURIComponent(id)}`);
    for (const name of ['noweb', 'gows']) {
      await engine(name);
      await simulator.send({ text: 'oi', id: OWN_ID });
      assert.equal((await find('all', OWN_ID)).body.id, `true_${CHAT}_${OWN_ID}`);
      assert.equal((await find('all', '3EB0')).status, 404);
      await simulator.forget();
    }
    await engine('webjs');
    await simulator.send({ text: 'oi' });
    const [sent] = await simulator.sent(TO);
    assert.equal((await find('all', String(sent?.fullId))).status, 500);
    assert.equal((await find(CHAT, String(sent?.externalId))).status, 404);
    assert.equal((await find(CHAT, String(sent?.fullId))).body.id, sent?.fullId);
  });

  it('lists a chat newest first, both directions, filtered, merged with its other form', async () => {
    await simulator.control('/people', { digits: TO, lid: LID });
    const at = 1_790_000_000_000;
    for (const n of [1, 2, 3]) {
      const said = { session: 'shop', from: n === 2 ? LID : TO, text: `n ${n}`, at: at + n * 1000 };
      await simulator.control('/inbound', said);
    }
    await simulator.send({ text: 'meu' });
    const texts = async (query: string, chat = CHAT) =>
      Object((await messages(chat, query)).body.list).map((each: { body: string }) => each.body);
    assert.deepEqual(await texts(''), ['meu', 'n 3', 'n 2', 'n 1']);
    assert.deepEqual(await texts('?filter.fromMe=false&limit=2'), ['n 3', 'n 2']);
    assert.deepEqual(await texts('?limit=2&offset=2'), ['n 2', 'n 1']);
    assert.deepEqual(await texts('?merge=false&filter.fromMe=false'), ['n 3', 'n 1']);
    assert.deepEqual(await texts('?sortOrder=asc&limit=1'), ['n 1']);
    const since = at / 1000 + 2;
    const second = `?filter.timestamp.gte=${since}&filter.timestamp.lte=${since}`;
    assert.deepEqual(await texts(second, 'all'), ['n 2']);
    const overview = (await simulator.bridge('GET', '/api/shop/chats/overview')).body.list;
    assert.equal(Object(overview).length, 1);
    assert.equal(Object(overview)[0].lastMessage.body, 'meu');
  });

  it('a restart forgets on NOWEB and WEBJS what was sent over the API', async () => {
    for (const [name, source] of Object.entries({ noweb: 'app', webjs: 'app', gows: 'api' })) {
      await engine(name);
      await simulator.send({ text: 'oi' });
      await until('own', () => simulator.hooks('message.any').length === 1);
      await simulator.control('/restart', { session: 'shop', repeat: 1 });
      await simulator.awaitHooks('message.any', 2);
      const [first, second] = simulator.payloads('message.any');
      assert.deepEqual([first.source, second.source], ['api', source]);
      assert.equal(first.id, second.id);
      await simulator.awaitHooks('session.status', 2);
      const statuses = simulator.payloads('session.status').map(({ status }) => status);
      assert.deepEqual(statuses, ['STARTING', 'WORKING']);
      await simulator.forget();
    }
  });

  it('who is registered: by the hidden id, with the phone beside on the newest GOWS', async () => {
    const check = async (phone = TO) => {
      const path = `/api/contacts/check-exists?phone=${phone}&session=shop`;
      return (await simulator.bridge('GET', path)).body;
    };
    assert.deepEqual(await check(), { numberExists: true, chatId: CHAT, pn: CHAT });
    await simulator.control('/people', { digits: TO, lid: LID });
    assert.deepEqual(await check(), { numberExists: true, chatId: LID, pn: CHAT });
    await engine('gows', { version: '2026.7.1' });
    assert.deepEqual(await check(), { numberExists: true, chatId: LID });
    await simulator.control('/people', { digits: '5511900001111', registered: false });
    assert.equal((await check('5511900001111')).numberExists, false);
  });
});
