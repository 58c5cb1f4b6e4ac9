/**
 * An owner that was paused, or whose write was slow, commits late: its decision was made on a stale
 * state (I7). On the real engine and on the simulation's model of it.
 */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { StaleState } from '../../../actors/runtime/kind.ts';
import type { Answer, CommandOf } from '../../../shared/ports/bus.ts';
import type { ActorKind } from '../../../shared/vocabulary.ts';
import { applied } from '../../support/actors/domain/organization-fixture.ts';
import type { Store } from '../../support/plain-store.ts';
import { bothStores } from './both-stores.ts';
import { SHOP } from './organization-owner.ts';
import { CONTACT, Owner } from './owners.ts';
import { deal, ORG, said, send, task } from './schedules.ts';

interface Entity {
  readonly kind: ActorKind;
  readonly key: string;
  /** Makes it; absent where it is there from the start. */
  readonly first?: CommandOf;
  readonly late: CommandOf;
  readonly next: CommandOf;
  /** The version on record, and which of the two changes it shows. */
  readonly shows: (store: Store) => Promise<{ version: number; late: boolean; next: boolean }>;
}

function changesIn(text: string) {
  return { late: text.includes('tardia'), next: text.includes('seguinte') };
}

/** Searches one document for the words of the two changes. */
const inDocument =
  (collection: string, id: string): Entity['shows'] =>
  async (store) => {
    const document = await store.byId(collection, id);
    const text = JSON.stringify(document);
    const version = Number(Reflect.get(Object(document), 'version'));
    return { version, ...changesIn(text) };
  };

const inLog: Entity['shows'] = async (store) => {
  const entries = await store.find('entries', { conversationId: 'cnv_1' });
  const text = JSON.stringify(entries);
  const seqs = new Set(entries.map((entry) => Reflect.get(entry, 'seq')));
  assert.equal(seqs.size, entries.length, 'every entry has a place of its own');
  return { version: entries.length, ...changesIn(text) };
};

const unready = { revision: 0, answered: false, ready: false, trouble: null };

const ENTITIES: readonly Entity[] = [
  {
    kind: 'deal',
    key: 'dea_1',
    first: { id: 'dea_1', type: 'create', orgId: ORG, ...deal },
    late: { id: 'late', type: 'change', title: 'tardia', ...said },
    next: { id: 'next', type: 'change', status: 'lost', lostReason: 'seguinte', ...said },
    shows: inDocument('deals', 'dea_1'),
  },
  {
    kind: 'task',
    key: 'tsk_1',
    first: { id: 'tsk_1', type: 'create', orgId: ORG, ...task },
    late: { id: 'late', type: 'change', title: 'tardia', ...said },
    next: { id: 'next', type: 'change', notes: 'seguinte', ...said },
    shows: inDocument('tasks', 'tsk_1'),
  },
  {
    kind: 'contact',
    key: 'ctc_2',
    first: { id: 'first', type: 'upsert', source: 'api', name: 'Bia', ...said },
    late: { id: 'late', type: 'upsert', source: 'api', fields: { a: 'tardia' }, ...said },
    next: { id: 'next', type: 'upsert', source: 'api', fields: { b: 'seguinte' }, ...said },
    shows: inDocument('contacts', 'ctc_2'),
  },
  {
    kind: 'organization',
    key: ORG,
    late: { id: 'late', type: 'set-readiness', channelId: 'a', ...unready, reason: 'tardia' },
    next: { id: 'next', type: 'set-readiness', channelId: 'b', ...unready, reason: 'seguinte' },
    shows: inDocument('organizations', ORG),
  },
  {
    kind: 'conversation',
    key: 'cnv_1',
    first: send('first', 'primeira'),
    late: send('late', 'tardia'),
    next: send('next', 'seguinte'),
    shows: inLog,
  },
];

/** Records that the actors need: an organization, and a contact for deals. */
async function furnish(store: Store): Promise<void> {
  const { id: _, ...state } = applied(SHOP);
  const ready = { networkReady: true, networkReason: null, networkRevision: 0 };
  const channels = ['a', 'b'].map((id) => ({ id, ...ready }));
  const contact = { _id: CONTACT, orgId: ORG, phone: '5511987654321', name: 'Ana' };
  await store.commit([
    { insert: 'organizations', document: { _id: ORG, ...state, channels } },
    { insert: 'contacts', document: contact },
  ]);
}

function ok({ status, body }: Answer): void {
  assert.ok(status === 200 || status === 201, `${status} ${body}`);
}

/** The late owner decides before the next one does, and its write arrives after. */
async function race(store: Store, entity: Entity): Promise<void> {
  const { kind, key, first, late, next, shows } = entity;
  if (first) ok(await new Owner(kind, store).turn(key, first));
  const { version } = await shows(store);
  const old = new Owner(kind, store);
  const { inFlight, release } = old.holdCommit();
  const lost = assert.rejects(old.turn(key, late), StaleState);
  await inFlight;
  ok(await new Owner(kind, store).turn(key, next));
  release();
  await lost;
  assert.deepEqual(await shows(store), { version: version + 1, late: false, next: true });
  ok(await old.turn(key, late));
  // Decided again, on what the next one had written.
  assert.deepEqual(await shows(store), { version: version + 2, late: true, next: true });
}

for (const [name, storeOf] of bothStores()) {
  describe(`a late write on ${name}`, () => {
    let store: Store;
    before(async () => {
      store = storeOf();
      await furnish(store);
    });
    for (const entity of ENTITIES) {
      test(`of a stale owner of a ${entity.kind} changes nothing`, () => race(store, entity));
    }
  });
}
