/**
 * D30: under which ids a call is run again, and that its commands say how
 * long they may be repeated. The record of calls is the real one, on the simulation's store.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { claimCall, settleCall } from '../../../actors/idempotency/calls.ts';
import { systemClock } from '../../../infra/adapters/clock/clock.ts';
import type { Answer, Command } from '../../../shared/ports/bus.ts';
import type { ClaimIdempotency, CompleteIdempotency } from '../../../shared/wire/queries.ts';
import { modelStore } from '../../faults/fencing/model-store.ts';
import { Database } from '../../faults/simulation/memory/database.ts';
import { type Fixture, MAIN, startGateway } from '../../support/gateway/gateway-fixture.ts';

/** The actors' answers, one command after the other; the last goes on for ever. */
async function keyedGateway(...answers: readonly number[]): Promise<Fixture> {
  return keyedOn(new Database(), answers);
}

async function keyedOn(database: Database, answers: readonly number[]): Promise<Fixture> {
  const gateway = await startGateway();
  const environment = { store: modelStore(database), clock: systemClock };
  const { onQuery, onAsk } = gateway.bus;
  gateway.bus.onQuery = (queried) => {
    const { resource, payload } = queried;
    if (resource === 'idempotency-claim')
      return claimCall(environment, payload as ClaimIdempotency);
    if (resource === 'idempotency-settle')
      return settleCall(environment, payload as CompleteIdempotency);
    return onQuery(queried);
  };
  const left = [...answers];
  gateway.bus.onAsk = (asked) => {
    if (asked.command.type === 'admit') return onAsk(asked);
    const status = (left.length > 1 ? left.shift() : left[0]) ?? 200;
    const answer: Answer = { status, body: '{"data":{},"created":true}' };
    return answer;
  };
  return gateway;
}

const commands = ({ bus }: Fixture): readonly Command[] =>
  bus.commands().map(({ command }) => command);

interface Call {
  readonly path: string;
  readonly body: unknown;
}

async function post(gateway: Fixture, { path, body }: Call, key: string | null = 'once') {
  const headers: Record<string, string> = key === null ? {} : { 'idempotency-key': key };
  return (await gateway.send(path, { body, headers })).status;
}

const WON = { path: '/api/v1/deals/deal_6Yh8Uj1Ik3Ol5Pq7Wr9Et2', body: { status: 'won' } };

test('after a fault a call is run again under the ids of its first run', async () => {
  await using gateway = await keyedGateway(500, 500, 200);
  for (const status of [500, 500, 200]) assert.equal(await post(gateway, WON), status);
  const [first, ...others] = commands(gateway);
  assert.equal(others.length, 2);
  for (const other of others) assert.deepEqual(other, first);
});

test('after a refusal it is run under new ids, unless an earlier run is in doubt', async () => {
  await using gateway = await keyedGateway(409, 500, 409, 200);
  for (const status of [409, 500, 409, 200]) {
    assert.equal(await post(gateway, WON), status);
  }
  const [refused, ...others] = commands(gateway).map(({ id }) => id);
  assert.equal(new Set(others).size, 1);
  assert.ok(!others.includes(refused ?? ''));
});

test('after a refusal of its second part its first part keeps its ids', async () => {
  await using gateway = await keyedGateway(200, 409, 200, 201);
  const body = { phone: '5511988887777', name: 'Ana', message: 'oi' };
  const call = { path: `/api/webhooks/channel/${MAIN}`, body };
  assert.equal(await post(gateway, call), 409);
  assert.equal(await post(gateway, call), 201);
  const [contact, message, ...again] = commands(gateway);
  assert.deepEqual(again, [contact, message]);
});

test('a fetched file is no part that was done: after a refusal the send gets new ids', async () => {
  await using gateway = await keyedGateway(200, 409, 200, 201);
  const body = { phone: '5511988887777', channelId: MAIN, mediaUrl: 'https://example.com/a.png' };
  const call = { path: '/api/v1/messages', body };
  assert.equal(await post(gateway, call), 409);
  assert.equal(await post(gateway, call), 201);
  const made = commands(gateway);
  assert.deepEqual(
    made.map(({ type }) => type),
    ['fetch-media', 'send', 'fetch-media', 'send'],
  );
  assert.equal(new Set(made.map(({ id }) => id)).size, made.length);
});

test('commands say that they may be repeated for a day under a key, and only there', async () => {
  await using gateway = await keyedGateway(200);
  await post(gateway, WON);
  await post(gateway, WON, null);
  const marks = commands(gateway).map(({ lasting }) => lasting);
  assert.deepEqual(marks, [true, undefined]);
});

const SAVED = '/api/v1/contacts';
const VALUE = {
  phone: '+55 11 98888-7777',
  name: 'Ação',
  fields: { b: '1', a: '2' },
  tags: ['x', 'y'],
};

test('a repeat is one by the value of its body, in whatever order, spaces and escapes', async () => {
  const { phone, name, fields, tags } = VALUE;
  const text = JSON.stringify(VALUE);
  const same = [
    JSON.stringify(VALUE, null, 2),
    JSON.stringify({ tags, fields: { a: fields.a, b: fields.b }, name, phone }),
    text.replace('ç', '\\u00e7').replaceAll('/', '\\/'),
    `\uFEFF${text}`,
    text.replace('{', '{"tags":["z"],'),
  ];
  const other = [
    JSON.stringify({ ...VALUE, tags: ['y', 'x'] }),
    JSON.stringify({ ...VALUE, more: null }),
    JSON.stringify({ ...VALUE, name: 'Acao' }),
  ];
  await using gateway = await keyedGateway(200);
  const send = (body: unknown) => post(gateway, { path: SAVED, body });
  for (const body of [text, ...same]) assert.equal(await send(body), 200, String(body));
  assert.equal(commands(gateway).length, 1);
  for (const body of other) assert.equal(await send(body), 422, body);
});

test('numbers are equal as they are read, and none of them is a null', async () => {
  await using gateway = await keyedGateway(200);
  const deal = (value: string) =>
    post(gateway, { path: WON.path, body: `{"title":"t","x":${value}}` }, 'numbers');
  for (const same of ['1e999', '2e999']) assert.equal(await deal(same), 200);
  for (const other of ['null', '-1e999', '"Infinity"', '1']) assert.equal(await deal(other), 422);
  const sizes = (value: string) =>
    post(gateway, { path: WON.path, body: `{"title":"t","valueCents":${value}}` }, 'sizes');
  for (const same of ['100', '1e2', '100.0', '1.00e+2']) assert.equal(await sizes(same), 200);
  assert.equal(commands(gateway).length, 2);
});

test('a call on record from an earlier version is known by its bytes', async () => {
  const database = new Database();
  await using gateway = await keyedOn(database, [200]);
  const text = JSON.stringify(VALUE);
  assert.equal(await post(gateway, { path: SAVED, body: text }), 200);
  const [kept] = database.all('idempotency');
  const change = { $set: { fingerprint: gateway.gateway.installation.current()?.digest(text) } };
  database.apply({ update: 'idempotency', filter: { _id: kept?._id ?? '' }, change });
  assert.equal(await post(gateway, { path: SAVED, body: text }), 200);
  const spaced = JSON.stringify(VALUE, null, 1);
  assert.equal(await post(gateway, { path: SAVED, body: spaced }), 422);
  assert.equal(commands(gateway).length, 1);
});

test('a body that is nested without end is bound to its bytes', async () => {
  await using gateway = await keyedGateway(200);
  const nested = (inner: string) =>
    `{"phone":"+55 11 98888-7777","x":${'['.repeat(100_000)}${inner}${']'.repeat(100_000)}}`;
  for (const inner of ['1', '1'])
    assert.equal(await post(gateway, { path: SAVED, body: nested(inner) }), 200);
  assert.equal(await post(gateway, { path: SAVED, body: nested('2') }), 422);
});

test('a tool and HTTP share the value that a key is bound to', async () => {
  await using gateway = await keyedGateway(200);
  const text = JSON.stringify(VALUE, null, 2);
  assert.equal(await post(gateway, { path: SAVED, body: text }), 200);
  const { phone, ...rest } = VALUE;
  const params = { name: 'upsertContact', arguments: { idempotencyKey: 'once', ...rest, phone } };
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
  const answer = await gateway.send('/mcp', { body });
  const { result } = (await answer.json()) as { result: { _meta: Record<string, unknown> } };
  assert.deepEqual(result._meta, { 'recado/status': 200, 'recado/idempotentReplayed': true });
  assert.equal(commands(gateway).length, 1);
});

test('a replayed answer names what its own request had in vain', async () => {
  await using gateway = await keyedGateway(200);
  const told = async () => {
    const headers = { 'idempotency-key': 'ignored' };
    const { headers: answered } = await gateway.send(`${SAVED}?a=1`, {
      headers,
      body: { ...VALUE, tag: 'x' },
    });
    return [answered.get('idempotent-replayed'), answered.get('x-ignored')];
  };
  assert.deepEqual(await told(), [null, 'a, tag']);
  assert.deepEqual(await told(), ['true', 'a, tag']);
});
