/** Bounds of the memory of flows: work beyond them goes on. */

import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { FlowCalls } from '../../../../../actors/conversation/flow/calls.ts';
import { FlowFacts } from '../../../../../actors/conversation/flow/facts.ts';
import type { Environment } from '../../../../../actors/environment.ts';
import { FlowVersions } from '../../../../../actors/organization/flow-versions.ts';
import type { Relay } from '../../../../../actors/outbox/relay.ts';
import { Budget } from '../../../../../shared/liquid/budget.ts';
import { modelStore } from '../../../../faults/fencing/model-store.ts';
import { Database } from '../../../../faults/simulation/memory/database.ts';
import { SILENT } from '../../../../support/engine.ts';
import { ManualClock } from '../../../../support/manual-clock.ts';
import type { Store } from '../../../../support/plain-store.ts';

const PER_ORGANIZATION = 256;
const PER_PROCESS = 1_024;

/** A store that counts its calls. */
function counted(database: Database) {
  const model = modelStore(database);
  const calls = { commit: 0, byId: 0, findOne: 0 };
  const store: Store = { ...model };
  for (const name of ['commit', 'byId', 'findOne'] as const) {
    mock.method(store, name, (...asked: never[]) => {
      calls[name]++;
      return Reflect.apply(model[name], model, asked);
    });
  }
  return { store, calls };
}

test('facts of more organizations than are kept are read again', async () => {
  const database = new Database();
  for (const name of ['a', 'b', 'c']) {
    database.apply({ insert: 'organizations', document: { _id: name, name, timeZone: 'UTC' } });
  }
  const { store, calls } = counted(database);
  const environment = { store, clock: new ManualClock(), log: SILENT } as unknown as Environment;
  const facts = new FlowFacts(environment, new FlowVersions(store), 2);
  for (const name of ['a', 'b', 'c']) assert.equal((await facts.organization(name)).name, name);
  await facts.organization('c');
  assert.equal(calls.findOne, 3, 'the last is kept');
  assert.equal((await facts.organization('a')).name, 'a');
  assert.equal(calls.findOne, 4, 'the first is read again');
});

test('a version that is forgotten is read again, and written again without harm', async () => {
  const database = new Database();
  const { store, calls } = counted(database);
  const versions = new FlowVersions(store, { cachedMax: 2, writtenMax: 2 });
  const version = (n: number) => ({
    ...{ _id: `flw_1.${n}`, flowId: 'flw_1', orgId: 'org_1', writtenAt: 0 },
    steps: [{ id: 'end', do: 'end' }],
  });
  for (const n of [1, 2, 3, 3]) await versions.write(version(n));
  assert.equal(calls.commit, 3, 'the last is known to be written');
  await versions.write(version(1));
  assert.equal(calls.commit, 4);
  assert.equal(database.all('flowVersions').length, 3);
  for (const n of [1, 2, 3, 3]) assert.ok(await versions.find(`flw_1.${n}`));
  assert.equal(calls.byId, 3);
  assert.equal((await versions.find('flw_1.1'))?.firstStepId, 'end');
  assert.equal(calls.byId, 4);
});

/** Of calls that never end. */
function beginner() {
  const never = () => new Promise<never>(() => undefined);
  const settings = { eventHeaderPrefix: 'X-Loja' };
  const parts = { outbound: { request: never }, log: SILENT, settings };
  const environment = parts as unknown as Environment;
  const calls = new FlowCalls(environment, { publish: never } as unknown as Relay);
  const contact = { id: '', phone: '', name: null, email: null, fields: {}, tags: [] };
  return (orgId: string, name: string): boolean => {
    const budget = new Budget();
    const org = { name: '', timeZone: 'UTC' };
    const context = { now: 0, budget, contact, org, nameOf: () => name };
    const run = { id: name, visit: 1, answers: {}, parsed: [] };
    const step = { do: 'http', url: 'http://127.0.0.1/' };
    const state = { id: name, orgId, createdAt: 0 };
    return calls.begin(state as never, { run, step, context } as never) === 'begun';
  };
}

test('beyond its share of http calls an organization waits, and no other', () => {
  const begin = beginner();
  for (let n = 0; n < PER_ORGANIZATION; n++) assert.ok(begin('one', `one-${n}`));
  assert.equal(begin('one', 'one-more'), false);
  assert.ok(begin('one', 'one-0'), 'under way already');
  assert.ok(begin('two', 'two-0'));
});

test('beyond its http calls a process begins none', () => {
  const begin = beginner();
  for (let n = 0; n < PER_PROCESS; n++) assert.ok(begin(`org_${n % 8}`, `call_${n}`));
  assert.equal(begin('other', 'one-more'), false);
});
