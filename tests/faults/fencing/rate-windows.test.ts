/** An organization's windows that cannot be read (actors/organization/rate-windows). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AdmissionStates } from '../../../actors/organization/admission.ts';
import { RateWindows } from '../../../actors/organization/rate-windows.ts';
import { partitionOf } from '../../../shared/wire/subjects.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { Database } from '../simulation/memory/database.ts';
import { environmentOf } from './environment.ts';
import { modelStore, watched } from './model-store.ts';
import { settle } from './settle.ts';

/** With windows that are read as the test says. */
const statesOf = (findOne: () => unknown) =>
  new AdmissionStates(environmentOf({ store: { findOne } }));

test('a partition that is given up while they are read harms nobody when that fails', async () => {
  const away = Promise.withResolvers<never>();
  const rateWindows = statesOf(() => away.promise);
  const asked = assert.rejects(rateWindows.acquire('org_1', 1), /the store is away/);
  rateWindows.releasePartition(partitionOf('organization', 'org_1'));
  // An unhandled rejection ends the process: here, this test.
  away.reject(new Error('the store is away'));
  await asked;
  await settle(1);
});

test('a read that fails late forgets nothing of the owner that has come after it', async () => {
  const away = Promise.withResolvers<never>();
  const reads = [() => away.promise, async () => null];
  const rateWindows = statesOf(() => reads.shift()?.());
  const lost = assert.rejects(rateWindows.acquire('org_1', 1), /the store is away/);
  rateWindows.releasePartition(partitionOf('organization', 'org_1'));
  const counter = await rateWindows.acquire('org_1', 2);
  away.reject(new Error('the store is away'));
  await lost;
  await settle(1);
  assert.equal(await rateWindows.acquire('org_1', 2), counter);
});

test('windows that are read again under one epoch go on being written, and a later owner wins', async () => {
  const environment = environmentOf({ store: modelStore(new Database()) });
  const read = (epoch: number) => RateWindows.load({ orgId: 'org_1', epoch }, environment);
  const call = async (windows: RateWindows): Promise<void> => {
    windows.admit('key_1', { keyLimit: 100, orgLimit: 100 });
    await windows.flush();
  };
  const calls = async () => {
    const document = await environment.store.byId('windows', 'org_1');
    return Object(document).org.calls;
  };
  const first = await read(1);
  for (let n = 0; n < 5; n++) await call(first);
  const again = await read(1);
  await call(again);
  assert.equal(await calls(), 6, 'the sixth call is on record');
  const next = await read(2);
  await call(next);
  const late = await read(1);
  await call(late);
  await call(next);
  assert.equal(await calls(), 8, 'a superseded owner covers nothing');
});

test('a turn of an epoch that has ended takes no place of the one that counts', async () => {
  const rateWindows = statesOf(async () => null);
  const counting = await rateWindows.acquire('org_1', 2);
  await rateWindows.acquire('org_1', 1);
  assert.equal(await rateWindows.acquire('org_1', 2), counting);
});

test('windows that could not be read under one epoch take nothing from the next', async () => {
  const away = Promise.withResolvers<null>();
  const reads = [away.promise, Promise.resolve(null)];
  const rateWindows = statesOf(() => reads.shift());
  const asked = assert.rejects(rateWindows.acquire('org_1', 1), /the store is away/);
  const counting = await rateWindows.acquire('org_1', 2);
  away.reject(new Error('the store is away'));
  await asked;
  await settle(1);
  assert.equal(await rateWindows.acquire('org_1', 2), counting);
});

test('an organization at rest is forgotten, and one that is asked or not written is not', async () => {
  const clock = new ManualClock();
  const database = new Database();
  let away = true;
  const commit = () => (away ? assert.fail('the store is away') : null);
  const environment = environmentOf({ store: watched(modelStore(database), { commit }), clock });
  const rateWindows = new AdmissionStates(environment);
  const pass = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 1_000) {
      clock.advance(1_000);
      await settle(1);
    }
  };
  for (let n = 0; n < 100; n++) await rateWindows.acquire(`org_${n}`, 1);
  const { windows } = await rateWindows.acquire('org_0', 1);
  windows.admit('key_1', { keyLimit: 100, orgLimit: 100 });
  for (let n = 0; n < 99; n++) rateWindows.release(`org_${n}`, 1);
  rateWindows.release('org_99', 2);
  await pass(60_000);
  assert.equal(rateWindows.size, 100, 'a window may still count');
  await pass(200_000);
  assert.equal(rateWindows.size, 2, 'one is not written, one has its actor');
  away = false;
  await pass(250_000);
  assert.equal(rateWindows.size, 1);
  const calls = Object(await environment.store.byId('windows', 'org_0')).org.calls;
  assert.equal(calls, 1, 'nothing that was counted is lost');
  assert.equal((await rateWindows.acquire('org_0', 1)).windows.dirty, false);
});
