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
  const gateway = await startGateway();
  const environment = { store: modelStore(new Database()), clock: systemClock };
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

test('commands say that they may be repeated for a day under a key, and only there', async () => {
  await using gateway = await keyedGateway(200);
  await post(gateway, WON);
  await post(gateway, WON, null);
  const marks = commands(gateway).map(({ lasting }) => lasting);
  assert.deepEqual(marks, [true, undefined]);
});
