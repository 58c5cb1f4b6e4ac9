/** An organization's windows that cannot be read (actors/organization/counters). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Counters } from '../../actors/organization/counters.ts';
import type { World } from '../../actors/world.ts';
import { partitionOf } from '../../shared/subjects.ts';
import { ManualClock } from '../gateway/manual-clock.ts';
import { SILENT } from './engine.ts';

test('a partition that is given up while they are read harms nobody when that fails', async () => {
  const away = Promise.withResolvers<never>();
  const read = () => away.promise;
  const store = { byId: read, find: read, findOne: read };
  const clock = new ManualClock();
  const counters = new Counters({ store, clock, log: SILENT } as unknown as World);
  const asked = assert.rejects(counters.of('org_1', 1), /the store is away/);
  counters.giveUp(partitionOf('organization', 'org_1'));
  // Whatever nobody listens to ends the process: here, this test.
  away.reject(new Error('the store is away'));
  await asked;
  await new Promise((go) => setImmediate(go));
});

test('a turn of an epoch that has ended takes no place of the one that counts', async () => {
  const read = async () => null;
  const store = { byId: read, find: read, findOne: read };
  const clock = new ManualClock();
  const counters = new Counters({ store, clock, log: SILENT } as unknown as World);
  const counting = await counters.of('org_1', 2);
  await counters.of('org_1', 1);
  assert.equal(await counters.of('org_1', 2), counting);
});

test('windows that could not be read under one epoch take nothing from the next', async () => {
  const away = Promise.withResolvers<null>();
  const reads = [away.promise, Promise.resolve(null)];
  const store = { findOne: () => reads.shift() };
  const clock = new ManualClock();
  const counters = new Counters({ store, clock, log: SILENT } as unknown as World);
  const asked = assert.rejects(counters.of('org_1', 1), /the store is away/);
  const counting = await counters.of('org_1', 2);
  away.reject(new Error('the store is away'));
  await asked;
  await new Promise((go) => setImmediate(go));
  assert.equal(await counters.of('org_1', 2), counting);
});
