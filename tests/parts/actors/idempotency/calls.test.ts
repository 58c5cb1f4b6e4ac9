/** D30: who may run a call, by the record and by the clock. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { claimCall, purgeCalls, settleCall } from '../../../../actors/idempotency/calls.ts';
import { systemClock } from '../../../../infra/adapters/clock/clock.ts';
import { IDEMPOTENCY_CLAIM_MS, IDEMPOTENCY_RETENTION_MS } from '../../../../shared/limits.ts';
import type { IdempotencyClaimed } from '../../../../shared/wire/queries.ts';
import { fileEngine } from '../../../support/engine.ts';

const ANSWER = { status: 201, body: '{"data":1}' };

const engine = fileEngine();
let calls = 0;

/** One call's record under a clock of its own. */
function givenCall() {
  calls += 1;
  const id = `idm_${calls}`;
  let now = Date.UTC(2026, 4, 4);
  const environment = { store: engine.store, clock: { ...systemClock, now: () => now } };
  return {
    id,
    pass: (ms: number) => {
      now += ms;
    },
    now: () => now,
    claim: async (holder: string, fingerprint = 'f'): Promise<IdempotencyClaimed> =>
      JSON.parse((await claimCall(environment, { id, holder, fingerprint })).body),
    settle: (holder: string, answer: typeof ANSWER | null) =>
      settleCall(environment, { id, holder, answer }),
    refuse: (holder: string) =>
      settleCall(environment, { id, holder, answer: null, refused: true }),
    sweep: () => purgeCalls(environment),
  };
}

test('of k claims at once one holds', async () => {
  const call = givenCall();
  const holders = Array.from({ length: 50 }, (_, index) => `h${index}`);
  const claims = await Promise.all(holders.map((holder) => call.claim(holder)));
  assert.equal(claims.filter(({ claimed }) => claimed === 'held').length, 1);
  assert.equal(claims.filter(({ claimed }) => claimed === 'running').length, 49);
});

test('a claim that is asked again holds what it holds, and takes nothing up again', async () => {
  const call = givenCall();
  const first = await call.claim('a');
  call.pass(500);
  assert.deepEqual(await call.claim('a'), first);
  await call.settle('a', null);
  assert.deepEqual(await call.claim('a'), first, 'the bus repeated it late');
  assert.deepEqual(await call.claim('b'), first, 'and it is free nevertheless');
});

test('a call that was lost is run again under the same since, by one', async () => {
  const call = givenCall();
  const first = await call.claim('a');
  call.pass(IDEMPOTENCY_CLAIM_MS - 1);
  assert.deepEqual(await call.claim('b'), { claimed: 'running' });
  call.pass(1);
  const claims = await Promise.all(['b', 'c', 'd'].map((holder) => call.claim(holder)));
  const held = claims.filter(({ claimed }) => claimed === 'held');
  assert.deepEqual(held, [first]);
  await call.settle('a', ANSWER);
  assert.deepEqual(await call.claim('e'), { claimed: 'running' }, 'the lost one keeps nothing');
});

test('what was refused is a new call next time, unless an earlier run may have happened', async () => {
  const refused = givenCall();
  const first = await refused.claim('a');
  await refused.refuse('a');
  const second = await refused.claim('b');
  const next = { claimed: 'held', since: refused.now() + 1 };
  assert.deepEqual(second, next, 'in the same millisecond');
  assert.deepEqual(await refused.claim('b'), second);
  await refused.settle('b', null);
  assert.deepEqual(await refused.claim('c'), second, 'a fault leaves it open what happened');
  await refused.refuse('c');
  assert.deepEqual(await refused.claim('d'), second, 'the fault before is in doubt for ever');
  const lost = givenCall();
  const original = await lost.claim('a');
  lost.pass(IDEMPOTENCY_CLAIM_MS);
  await lost.claim('b');
  await lost.refuse('b');
  assert.deepEqual(await lost.claim('c'), original);
  assert.notDeepEqual(second, first);
});

test('an answer is given for 24 h, to the same body; then the key is as new', async () => {
  const call = givenCall();
  const first = await call.claim('a');
  await call.settle('a', ANSWER);
  call.pass(IDEMPOTENCY_RETENTION_MS - 1);
  assert.deepEqual(await call.claim('b'), { claimed: 'answered', answer: ANSWER });
  assert.deepEqual(await call.claim('b', 'g'), { claimed: 'other-body' });
  call.pass(1);
  const anew = await call.claim('c', 'g');
  assert.deepEqual(anew, { claimed: 'held', since: call.now() });
  assert.notDeepEqual(anew, first, 'so that its commands are new ones');
});

test('what counts for nothing any more is swept, and nothing else', async () => {
  const old = givenCall();
  const young = givenCall();
  await Promise.all([old.claim('a'), young.claim('a')]);
  const ids = async () => {
    const found = await engine.store.find('idempotency', { _id: { $in: [old.id, young.id] } });
    return found.map(({ _id }) => _id);
  };
  old.pass(IDEMPOTENCY_RETENTION_MS);
  young.pass(IDEMPOTENCY_RETENTION_MS - 1);
  await young.sweep();
  assert.equal((await ids()).length, 2);
  await young.claim('a');
  await old.sweep();
  assert.deepEqual(await ids(), []);
});
