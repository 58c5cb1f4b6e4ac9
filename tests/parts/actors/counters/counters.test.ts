/**
 * Totals against a naive count, at every moment of random histories. Documents are inserted and
 * changed, and several processes apply batches. Each may die or pause before any of its writes.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { dirtyFieldsOf } from '../../../../actors/counters/counted-collection.ts';
import { COUNTED_TASKS } from '../../../../actors/counters/counted-collections.ts';
import { applyBatch, readCounter } from '../../../../actors/counters/counter-document.ts';
import { recountAll } from '../../../../actors/counters/recount.ts';
import { readTotal } from '../../../../actors/counters/totals.ts';
import type { CounterFields } from '../../../../actors/model/counter.ts';
import { fileEngine } from '../../../support/engine.ts';
import type { Document, Filter, Store, Stored, Write } from '../../../support/plain-store.ts';

const engine = fileEngine();

interface Task extends Document {
  readonly version: number;
  readonly state: {
    readonly orgId: string;
    readonly done: boolean;
    readonly assigneeId: string | null;
  };
}

type Facets = Pick<Task['state'], 'done' | 'assigneeId'>;
const facets = fc.record({ done: fc.boolean(), assigneeId: fc.constantFrom('ana', 'bia', null) });
const who = fc.integer({ min: 0, max: 9 });
const stepArb = fc.oneof(
  { weight: 5, arbitrary: fc.record({ step: fc.constant('write' as const), who, place: facets }) },
  // Written without the actors, before the first count: it has no counter fields.
  { weight: 1, arbitrary: fc.record({ step: fc.constant('strange' as const), place: facets }) },
  {
    weight: 5,
    arbitrary: fc.record({
      step: fc.constant('fold' as const),
      /** The write before which it dies or pauses. */
      at: fc.option(fc.integer({ min: 0, max: 4 })),
      how: fc.constantFrom('dies', 'dies after', 'stands'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ step: fc.constant('goOn' as const) }) },
  { weight: 1, arbitrary: fc.record({ step: fc.constant('readAmid' as const) }) },
  { weight: 1, arbitrary: fc.record({ step: fc.constant('count' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      step: fc.constant('amid' as const),
      /** Writes during a full count. */
      writes: fc.array(fc.record({ who, place: facets }), { maxLength: 8 }),
    }),
  },
);

class Died extends Error {}

/** One history, in an organization of its own. */
class History {
  readonly #store: Store;
  readonly #orgId: string;
  readonly #tasks = new Map<string, Task & CounterFields>();
  readonly #standing: (() => Promise<unknown>)[] = [];
  #uncounted = 0;
  #counted = false;

  constructor(store: Store, orgId: string) {
    this.#store = store;
    this.#orgId = orgId;
  }

  async write(who: number, facets: Facets): Promise<void> {
    const _id = `${this.#orgId}-${who}`;
    const known = this.#tasks.get(_id);
    const version = (known?.version ?? 0) + 1;
    const task = { _id, version, state: { orgId: this.#orgId, ...facets } };
    const dirty = dirtyFieldsOf(COUNTED_TASKS, known, task);
    const { _id: _, ...fields } = { ...task, ...dirty };
    const write: Write = known
      ? { update: 'tasks', filter: { _id, version: known.version }, change: { $set: fields } }
      : { insert: 'tasks', document: { ...task, ...dirty } };
    const [written] = await this.#store.commit([write]);
    assert.ok(written?.ok);
    this.#tasks.set(_id, { ...known, ...task, ...dirty });
  }

  async insertUncounted(facets: Facets): Promise<void> {
    if (this.#counted) return;
    const task = {
      _id: `${this.#orgId}-stranger-${this.#uncounted++}`,
      version: 1,
      state: { orgId: this.#orgId, ...facets },
    };
    await this.#store.commit([{ insert: 'tasks', document: task }]);
    this.#tasks.set(task._id, task);
  }

  async count(): Promise<void> {
    const request = { orgId: this.#orgId, now: Date.now() };
    if (await recountAll(this.#store, COUNTED_TASKS, request)) this.#counted = true;
  }

  /** Counts while others write: one write before each of the count's own reads. */
  async countAmid(writes: readonly { readonly who: number; readonly place: Facets }[]) {
    const left = [...writes];
    const writeOne = async (): Promise<void> => {
      const next = left.shift();
      if (next) await this.write(next.who, next.place);
    };
    const store: Store = {
      ...this.#store,
      find: <T extends Stored>(...asked: Parameters<Store['find']>) =>
        writeOne().then(() => this.#store.find<T>(...asked)),
      findOne: <T extends Stored>(...asked: Parameters<Store['findOne']>) =>
        writeOne().then(() => this.#store.findOne<T>(...asked)),
      count: (...asked) => writeOne().then(() => this.#store.count(...asked)),
    };
    const request = { orgId: this.#orgId, now: Date.now() };
    if (!(await recountAll(store, COUNTED_TASKS, request))) return 'changed too fast';
    this.#counted = true;
    return 'counted';
  }

  async applyBatch(at: number | null, how: string): Promise<void> {
    const counterDocument = await readCounter(this.#store, COUNTED_TASKS, this.#orgId);
    if (!counterDocument) return;
    const store = at === null ? this.#store : this.#interrupted(at, how);
    const batch = { counter: counterDocument, now: Date.now() };
    const folding = applyBatch(store, COUNTED_TASKS, batch).catch((cause) => {
      if (!(cause instanceof Died)) throw cause;
    });
    if (how === 'stands' && at !== null) await Promise.race([folding, this.#stood]);
    else await folding;
  }

  #stood: Promise<void> = Promise.resolve();

  /** A process that dies, or pauses, at one of its writes. */
  #interrupted(at: number, how: string): Store {
    const stood = Promise.withResolvers<void>();
    this.#stood = stood.promise;
    let writes = 0;
    const commit: Store['commit'] = async (all) => {
      if (writes++ !== at) return this.#store.commit(all);
      if (how === 'stands') {
        const resumed = Promise.withResolvers<void>();
        let done: Promise<unknown> = Promise.resolve();
        this.#standing.push(async () => {
          resumed.resolve();
          await done;
        });
        stood.resolve();
        await resumed.promise;
        const written = this.#store.commit(all);
        done = written;
        return written;
      }
      if (how === 'dies after') await this.#store.commit(all);
      throw new Died();
    };
    return { ...this.#store, commit };
  }

  /** A total is read while another process counts dirty documents. */
  async readAmid(): Promise<void> {
    const foldAfter = async <T>(read: Promise<T>): Promise<T> => {
      const found = await read;
      await this.applyBatch(null, 'dies');
      return found;
    };
    const store: Store = {
      ...this.#store,
      byId: <T extends Stored>(...asked: Parameters<Store['byId']>) =>
        foldAfter(this.#store.byId<T>(...asked)),
      find: <T extends Stored>(...asked: Parameters<Store['find']>) =>
        foldAfter(this.#store.find<T>(...asked)),
    };
    const org = { 'state.orgId': this.#orgId };
    const total = await readTotal(store, COUNTED_TASKS, org);
    if (total !== null) assert.equal(total, await this.#store.count('tasks', org));
  }

  async goOn(): Promise<void> {
    for (const resume of this.#standing.splice(0)) await resume();
  }

  async check(): Promise<void> {
    const org = { 'state.orgId': this.#orgId };
    const tasks = await this.#store.find<Task>('tasks', org);
    const filters: readonly (readonly [Filter, (state: Task['state']) => boolean])[] = [
      [org, () => true],
      [{ ...org, 'state.done': true }, ({ done }) => done],
      [{ ...org, 'state.assigneeId': 'ana' }, ({ assigneeId }) => assigneeId === 'ana'],
      [
        { ...org, 'state.assigneeId': null, 'state.done': false },
        ({ assigneeId, done }) => assigneeId === null && !done,
      ],
    ];
    // Nothing is written meanwhile, and reads that are asked at once cost the engine less.
    const totals = await Promise.all(
      filters.map(([filter]) => readTotal(this.#store, COUNTED_TASKS, filter)),
    );
    for (const [at, [filter, matches]] of filters.entries()) {
      const counted = tasks.filter(({ state }) => matches(state)).length;
      assert.equal(totals[at], this.#counted ? counted : null, JSON.stringify(filter));
    }
  }
}

/** A document is in another facet while its facet is counted, and back when it is read again. */
const THERE_AND_BACK = [
  ...Array.from({ length: 4 }, () => ({ step: 'fold' as const, at: null, how: 'dies' as const })),
  {
    step: 'amid' as const,
    writes: (['ana', 'ana', 'ana', 'ana', 'bia', 'ana', 'bia'] as const).map((assigneeId) => ({
      who: 0,
      place: { done: false, assigneeId },
    })),
  },
];

/** A new document is in one facet while that is counted, and in another when it is read again. */
const MADE_AND_MOVED = [
  { step: 'strange' as const, place: { done: false, assigneeId: 'ana' as const } },
  { step: 'write' as const, who: 0, place: { done: false, assigneeId: 'bia' as const } },
  {
    step: 'amid' as const,
    writes: (['ana', null, 'ana', 'ana', 'ana', null, 'ana'] as const).map((assigneeId, at) => ({
      who: at < 5 ? 0 : 8,
      place: { done: false, assigneeId },
    })),
  },
];

test('totals are exact at every moment, whoever dies or stands still', async () => {
  let histories = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(stepArb, { minLength: 5, maxLength: 40 }), async (steps) => {
      const history = new History(engine.store, `org-${histories++}`);
      for (const each of [...steps, { step: 'count' as const }, ...steps]) {
        if (each.step === 'write') await history.write(each.who, each.place);
        if (each.step === 'strange') await history.insertUncounted(each.place);
        if (each.step === 'count') await history.count();
        if (each.step === 'amid') await history.countAmid(each.writes);
        if (each.step === 'fold') await history.applyBatch(each.at, each.how);
        if (each.step === 'goOn') await history.goOn();
        if (each.step === 'readAmid') await history.readAmid();
        await history.check();
      }
      await history.goOn();
      await history.check();
    }),
    // A failure is told with what it was shrunk to in that time.
    {
      numRuns: 30,
      interruptAfterTimeLimit: 120_000,
      examples: [[THERE_AND_BACK], [MADE_AND_MOVED]],
    },
  );
});

test('a new organization gets its counter while all of its documents change', async () => {
  const history = new History(engine.store, 'org-new');
  const places: readonly Facets[] = [
    { done: false, assigneeId: 'ana' },
    { done: true, assigneeId: 'bia' },
  ];
  for (let who = 0; who < 10; who++) await history.write(who, { done: false, assigneeId: null });
  // Each of the count's reads meets a document that has just moved.
  const writes = Array.from({ length: 200 }, (_, n) => ({
    who: n % 10,
    place: places[n % places.length] ?? { done: true, assigneeId: null },
  }));
  assert.equal(await history.countAmid(writes), 'counted');
  await history.check();
  await history.applyBatch(null, 'dies');
  await history.check();
});
