/** How the simulated bridge refuses, restricts, answers late, and answers something else. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { simulatorOf } from '../fixture.ts';

const TO = '5511988887777';
const LID = '77000@lid';

describe('sandbox: the bridge misbehaves as bridges do', () => {
  const simulator = simulatorOf('each test');

  const { engine } = simulator;
  const fault = (fields: object) =>
    simulator.control('/faults', { session: 'shop', times: 1, ...fields });
  const restrict = (fields: object = {}) =>
    simulator.control('/restriction', { session: 'shop', ...fields });
  const send = () => simulator.send({ text: 'oi' });
  const writes = (from: string, more: object = {}) =>
    simulator.control('/inbound', { session: 'shop', from, text: 'oi', ...more });

  it('a 500 before or after the delivery reads alike', async () => {
    await fault({ status: 500 });
    const before = await send();
    assert.equal((await simulator.sent(TO)).length, 0);
    await fault({ status: 500, acceptFirst: true });
    const after = await send();
    assert.equal((await simulator.sent(TO)).length, 1);
    assert.deepEqual([before.status, after.status], [500, 500]);
    assert.deepEqual(before.body.exception, after.body.exception);
    assert.deepEqual(Object.keys(Object(after.body.request)), ['path', 'method', 'body', 'query']);
    assert.equal((await simulator.awaitHooks('message.any')).length, 1);
  });

  it('faults that are withdrawn meet no send', async () => {
    await fault({ status: 500, times: 3 });
    assert.equal((await send()).status, 500);
    await simulator.network.control('DELETE', '/faults');
    assert.equal((await send()).status, 201);
    assert.equal((await simulator.sent(TO)).length, 1);
  });

  it('a fault of one contact meets no other, in whichever form the chat is named', async () => {
    const [other, registered] = ['5511988886666', '553188887701'];
    await writes(registered);
    await simulator.control('/people', { digits: other, lid: LID });
    for (const to of [other, '5531988887701']) await fault({ status: 500, to });
    assert.equal((await send()).status, 201);
    const statuses: number[] = [];
    for (const chatId of [LID, LID, `${registered}@c.us`, `${registered}@c.us`]) {
      statuses.push((await simulator.send({ text: 'oi', chatId })).status);
    }
    assert.deepEqual(statuses, [500, 201, 500, 201]);
  });

  it('the faults of one contact are withdrawn alone', async () => {
    await fault({ status: 500, to: TO });
    await fault({ status: 422 });
    await simulator.network.control('DELETE', `/faults?to=${TO}`);
    assert.equal((await send()).status, 422);
    assert.equal((await send()).status, 201);
  });

  it('an exception has the words that were given', async () => {
    const message = 'no LID found for 5511988887777@s.whatsapp.net from server';
    await fault({ status: 500, message });
    assert.equal(Object((await send()).body.exception).message, `2 UNKNOWN: ${message}`);
    await engine('noweb');
    await fault({ status: 500, message });
    assert.equal(Object((await send()).body.exception).message, message);
  });

  it('a 201 without a body, and the message is delivered', async () => {
    await engine('webjs');
    await fault({ emptyAnswer: true });
    const { status, text } = await send();
    assert.deepEqual([status, text, (await simulator.sent(TO)).length], [201, '', 1]);
  });

  it('422 has a state when the session is stopped; 501 is of an engine without the call', async () => {
    await fault({ status: 422 });
    assert.equal((await send()).body.status, 'STOPPED');
    await fault({ unsupported: true });
    const { status, body } = await send();
    assert.deepEqual([status, body.status], [501, undefined]);
    await simulator.control('/session', { session: 'shop', status: 'SCAN_QR_CODE' });
    assert.equal((await send()).body.status, 'SCAN_QR_CODE');
    const listed = await simulator.bridge('GET', '/api/shop/chats/all/messages');
    assert.equal(listed.body.status, 'SCAN_QR_CODE');
  });

  it('a session that is not there is a 422 with its name, after a hold', async () => {
    const missing = { error: 'Session "shop" does not exist', session: 'shop' };
    await fault({ missing: true, holdMs: 200 });
    const startedAt = performance.now();
    const { status, body } = await send();
    assert.deepEqual([status, body], [422, missing]);
    assert.ok(performance.now() - startedAt > 190);
    await fault({ missing: true });
    assert.equal((await simulator.bridge('GET', '/api/sessions/shop')).status, 404);
    assert.deepEqual(await simulator.sent(TO), []);
  });

  it('a proxy gives its answer to everything, and nothing is accepted', async () => {
    await fault({ proxy: true, status: 502, times: undefined });
    const paths = ['/api/sessions/shop', '/api/shop/chats/all/messages', '/api/server/version'];
    for (const path of paths) await assert.rejects(simulator.bridge('GET', path), SyntaxError);
    await assert.rejects(send(), SyntaxError);
    await fault({ proxy: true, times: undefined });
    assert.equal((await send()).status, 201);
    assert.equal((await simulator.sent(TO)).length, 1);
  });

  it('another phone scans the QR code: the session names its number until the own one does', async () => {
    const id = async () => {
      const { body } = await simulator.bridge('GET', '/api/sessions/shop');
      return Object(body.me).id;
    };
    const own = await id();
    const scan = (scannedBy: string) =>
      simulator.control('/session', { session: 'shop', status: 'WORKING', scannedBy });
    await scan('5511955554444');
    assert.equal(await id(), '5511955554444@c.us');
    await scan('');
    assert.equal(await id(), own);
  });

  it('look-ups have faults of their own', async () => {
    const list = () => simulator.bridge('GET', '/api/shop/chats/all/messages');
    await fault({ lookups: true, status: 503 });
    assert.equal((await send()).status, 201);
    assert.equal((await list()).status, 503);
    assert.equal((await list()).status, 200);
    await fault({ lookups: true, loseAnswer: true });
    await assert.rejects(list());
    await fault({ lookups: true, unsupported: true });
    assert.equal((await list()).status, 501);
    await fault({ status: 500, acceptFirst: true });
    assert.equal((await list()).status, 200, 'a fault of sends that accept does not show');
  });

  it('a restricted number: GOWS and WEBJS throw 463 for who never wrote', async () => {
    for (const name of ['gows', 'webjs']) {
      await engine(name);
      await restrict();
      const cold = await send();
      assert.equal(cold.status, 500);
      assert.match(Object(cold.body.exception).message, /server returned error 463$/);
      assert.equal((await simulator.sent(TO)).length, 0);
      await writes(TO);
      assert.equal((await send()).status, 201);
      await restrict({ active: false });
      assert.equal((await simulator.send({ text: 'x', chatId: '5511900000001@c.us' })).status, 201);
      await simulator.forget();
    }
  });

  it('NOWEB answers 201 and tells 463 in the acknowledgement; nothing was delivered', async () => {
    const until = Date.now() + 3_600_000;
    await engine('noweb');
    await restrict({ until });
    assert.equal((await send()).status, 201);
    const [ack] = await simulator.awaitHooks('message.ack');
    const { error, ack: step } = Object(ack?.payload);
    assert.deepEqual([step, error.code, error.blocked], [-1, '463', true]);
    assert.equal(error.until, new Date(until).toISOString());
    const [sent] = await simulator.sent(TO);
    assert.equal(sent?.failed, 463);
  });

  it('NOWEB refuses by code in the acknowledgement, whatever the code', async () => {
    await engine('noweb');
    await fault({ code: 479 });
    assert.equal((await send()).status, 201);
    const [ack] = await simulator.awaitHooks('message.ack');
    assert.deepEqual(Object(ack?.payload).error, { code: '479', blocked: false });
  });

  it('the session tells of a restriction and of its end, unless it does not know', async () => {
    const seconds = Math.floor(Date.now() / 1000) + 3_600;
    await restrict({ until: seconds * 1000 });
    const [told] = await simulator.awaitHooks('session.status');
    const enforced = { enforcementType: 'RESTRICT_ALL_COMPANIONS', timeEnforcementEnds: seconds };
    const timelock = { ...enforced, isActive: true };
    const { status, data } = Object(told?.payload);
    assert.deepEqual([status, data], ['WORKING', { reachoutTimelock: timelock }]);
    const { body } = await simulator.bridge('GET', '/api/sessions/shop');
    assert.deepEqual(Object(body.me).reachoutTimelock, timelock);
    await restrict({ active: false });
    const [, ended] = await simulator.awaitHooks('session.status', 2);
    assert.equal(Object(ended?.payload).data.reachoutTimelock.isActive, false);
    await simulator.forget();
    await restrict({ told: false });
    assert.equal((await send()).status, 500);
    const untold = await simulator.bridge('GET', '/api/sessions/shop');
    assert.equal(Object(untold.body.me).reachoutTimelock, null);
  });

  it('the session says by itself when a restriction is over', async () => {
    await restrict({ until: Date.now() + 1_000 });
    const told = await simulator.awaitHooks('session.status', 2);
    const active = told.map((body) => Object(body.payload).data.reachoutTimelock.isActive);
    assert.deepEqual(active, [true, false]);
    assert.equal((await send()).status, 201);
  });

  it('a restriction ends by itself, and a known chat is known by either form', async () => {
    await restrict({ until: Date.now() - 1 });
    assert.equal((await send()).status, 201);
    await restrict();
    await writes(LID, { phoneKnown: TO });
    assert.equal((await send()).status, 201);
  });
});
