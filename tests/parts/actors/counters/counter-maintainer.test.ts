/** Counter maintenance: only the owner of the organization counts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UNCOUNTED } from '../../../../actors/counters/counted-collection.ts';
import { COUNTED_CONTACTS } from '../../../../actors/counters/counted-collections.ts';
import { RecountRequests } from '../../../../actors/counters/recount-request.ts';
import type { Environment } from '../../../../actors/environment.ts';
import { organizationKind } from '../../../../actors/organization/kind.ts';
import { DuePoller, POLL_EVERY_MS } from '../../../../actors/runtime/due-poller.ts';
import { partitionOf } from '../../../../shared/wire/subjects.ts';
import { modelStore } from '../../../faults/fencing/model-store.ts';
import { Database } from '../../../faults/simulation/memory/database.ts';
import { SILENT } from '../../../support/engine.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const ORG = 'org_1';
const OWN = partitionOf('organization', ORG);
const OTHER = (OWN + 1) % 64;

function processes() {
  const clock = new ManualClock();
  const database = new Database();
  const nudged: { key: string; payload: unknown }[] = [];
  const nudge = ({ key }: { key: string }, payload: unknown) => nudged.push({ key, payload });
  const store = modelStore(database);
  const environment = { clock, store, log: SILENT, leaseHeld: () => true, bus: { nudge } };
  const organizations = () => {
    const whole = environment as unknown as Environment;
    const duePoller = new DuePoller(whole);
    return organizationKind({ environment: whole }, duePoller);
  };
  const pass = async (ms: number): Promise<void> => {
    for (let left = ms; left > 0; left -= 100) {
      clock.advance(100);
      for (let turn = 0; turn < 20; turn++) await new Promise((go) => setImmediate(go));
    }
  };
  const counted = () => database.findOne('tallies', { _id: `contacts:${ORG}` }) !== null;
  const mark = () => {
    const document = { _id: 'ctc_1', orgId: ORG, phone: '1', version: 1, recount: ORG };
    database.apply({ insert: 'contacts', document: { ...document, ...UNCOUNTED } });
  };
  return { environment, nudged, organizations, pass, counted, mark };
}

test('what is marked is counted by the owner of its organization alone', async () => {
  const { organizations, pass, counted, mark } = processes();
  const [owner, other] = [organizations(), organizations()];
  mark();
  await other.acquire?.(OTHER, 1);
  await pass(3 * POLL_EVERY_MS);
  assert.equal(counted(), false);
  await owner.acquire?.(OWN, 1);
  await pass(POLL_EVERY_MS + 1_000);
  assert.equal(counted(), true);
});

test('a list that wishes for its ledger is heard by its owner alone, at once', async () => {
  const { environment, nudged, organizations, pass, counted } = processes();
  const [owner, other] = [organizations(), organizations()];
  const recountRequests = new RecountRequests(environment);
  for (let lists = 0; lists < 3; lists++) recountRequests.requestCounter(COUNTED_CONTACTS, ORG);
  const [request, ...more] = nudged;
  assert.deepEqual([request?.key, more], [ORG, []]);
  await owner.acquire?.(OWN, 1);
  await other.acquire?.(OTHER, 1);
  other.nudge?.(OWN, request?.payload);
  await pass(1_000);
  assert.equal(counted(), false);
  owner.nudge?.(OWN, { something: 'else' });
  owner.nudge?.(OWN, request?.payload);
  await pass(1_000);
  assert.equal(counted(), true);
  recountRequests.requestRecount(COUNTED_CONTACTS, ORG);
  await pass(POLL_EVERY_MS);
  recountRequests.requestCounter(COUNTED_CONTACTS, ORG);
  assert.equal(nudged.length, 3);
});
