/**
 * Searches against a naive model, at every moment of random histories. Contacts are created and
 * renamed, batches of the counters end anywhere, and searches run during a batch.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { dirtyFlag, UNCOUNTED } from '../../../../actors/counters/counted-collection.ts';
import { COUNTED_CONTACTS } from '../../../../actors/counters/counted-collections.ts';
import { applyBatch, readCounter } from '../../../../actors/counters/counter-document.ts';
import { recountAll } from '../../../../actors/counters/recount.ts';
import { ContactIndex, TooLarge } from '../../../../actors/search/contact-index.ts';
import { HitListCache } from '../../../../actors/search/hit-list-cache.ts';
import { startTimeSlice } from '../../../../actors/search/time-slice.ts';
import { systemClock } from '../../../../infra/adapters/clock/clock.ts';
import { fileEngine } from '../../../support/engine.ts';
import type { Store, Stored, Write } from '../../../support/plain-store.ts';

const engine = fileEngine();

const name = fc.constantFrom('ana', 'bia', 'mariana', 'joao', 'joana');
const stepArb = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ step: fc.constant('write' as const), who: fc.nat({ max: 9 }), name }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      step: fc.constant('fold' as const),
      /** The write before which it dies. */
      dies: fc.option(fc.integer({ min: 0, max: 4 })),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      step: fc.constant('search' as const),
      text: fc.constantFrom('an', 'jo', 'ana', 'x'),
      /** Steps are made between its reads. */
      amid: fc.boolean(),
    }),
  },
);

const MAX_BYTES = 100 * 1024 * 1024;

class Died extends Error {}

class History {
  readonly #store: Store;
  readonly #orgId: string;
  readonly #names = new Map<string, { readonly name: string; readonly at: number }>();
  readonly #versions = new Map<string, number>();
  #foldsAmid = false;
  #at = 0;
  readonly contacts: ContactIndex;

  constructor(store: Store, orgId: string) {
    this.#store = store;
    this.#orgId = orgId;
    const amid = async <T>(asking: Promise<T>): Promise<T> => {
      const found = await asking;
      if (this.#foldsAmid) await this.fold(null);
      return found;
    };
    const watched: Store = {
      ...store,
      find: <T extends Stored>(...asked: Parameters<Store['find']>) =>
        amid(store.find<T>(...asked)),
      byId: <T extends Stored>(...asked: Parameters<Store['byId']>) =>
        amid(store.byId<T>(...asked)),
    };
    this.contacts = new ContactIndex({ store: watched, clock: systemClock }, orgId, {
      hitLists: new HitListCache(),
      maxBytes: MAX_BYTES,
    });
  }

  async count(): Promise<void> {
    await recountAll(this.#store, COUNTED_CONTACTS, { orgId: this.#orgId, now: 1 });
  }

  async write(who: number, name: string): Promise<void> {
    const _id = `${this.#orgId}-${who}`;
    const at = ++this.#at;
    const version = this.#versions.get(_id) ?? 0;
    const fields = { orgId: this.#orgId, search: name, updatedAt: at, version: version + 1 };
    const changed = { ...fields, ...dirtyFlag(this.#orgId) };
    const write: Write =
      version === 0
        ? { insert: 'contacts', document: { _id, ...changed, ...UNCOUNTED } }
        : { update: 'contacts', filter: { _id, version }, change: { $set: changed } };
    const [written] = await this.#store.commit([write]);
    assert.ok(written?.ok);
    this.#versions.set(_id, version + 1);
    this.#names.set(_id, { name, at });
  }

  async fold(dies: number | null): Promise<void> {
    const counterDocument = await readCounter(this.#store, COUNTED_CONTACTS, this.#orgId);
    if (!counterDocument) return;
    let writes = 0;
    const commit: Store['commit'] = (all) => {
      if (writes++ === dies) throw new Died();
      return this.#store.commit(all);
    };
    try {
      const batch = { counter: counterDocument, now: Date.now() };
      await applyBatch({ ...this.#store, commit }, COUNTED_CONTACTS, batch);
    } catch (cause) {
      if (!(cause instanceof Died)) throw cause;
    }
  }

  async search(text: string, amid: boolean): Promise<void> {
    const wanted = [...this.#names]
      .filter(([, contact]) => contact.name.includes(text))
      .toSorted(([, a], [, b]) => b.at - a.at)
      .map(([id]) => id);
    this.#foldsAmid = amid;
    await this.contacts.refresh();
    this.#foldsAmid = false;
    const pace = startTimeSlice(systemClock);
    const found = await this.contacts.substringIndex.search(text, { skip: 0, limit: 50 }, pace);
    assert.deepEqual(found, { ids: wanted, total: wanted.length });
  }
}

test('a search finds what was written before it, whatever step is half-done', async () => {
  let histories = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(stepArb, { minLength: 5, maxLength: 40 }), async (steps) => {
      const history = new History(engine.store, `org-${histories++}`);
      await history.count();
      for (const each of steps) {
        if (each.step === 'write') await history.write(each.who, each.name);
        if (each.step === 'fold') await history.fold(each.dies);
        if (each.step === 'search') await history.search(each.text, each.amid);
      }
    }),
    { numRuns: 60 },
  );
});

test('contacts of more bytes than there is room for are left to the store (decisions: D126)', async () => {
  const history = new History(engine.store, 'org-large');
  await history.write(1, 'ana');
  await history.count();
  let reads = 0;
  const find: Store['find'] = <T extends Stored>(...asked: Parameters<Store['find']>) => {
    if (asked[0] === 'contacts') reads += 1;
    return engine.store.find<T>(...asked);
  };
  const store: Store = { ...engine.store, find };
  const room = { hitLists: new HitListCache(), maxBytes: 1_000 };
  const contacts = new ContactIndex({ store, clock: systemClock }, 'org-large', room);
  await assert.rejects(contacts.refresh(), TooLarge);
  assert.equal(contacts.isRead, false);
  const before = reads;
  await assert.rejects(contacts.refresh(), TooLarge);
  assert.equal(reads, before);
});
