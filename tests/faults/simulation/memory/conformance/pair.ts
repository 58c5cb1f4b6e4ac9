/**
 * The database of the simulation and the real one, asked the same: every outcome of a write and
 * every read are compared in full. Where an order leaves open which of two documents comes first,
 * either may; and a page may then end with either. Both get what is packed packed: of two states
 * of one revision `$max` keeps the larger text.
 */
import assert from 'node:assert/strict';
import type { MongoConnection } from '../../../../../infra/adapters/mongo/client.ts';
import {
  packedProjection,
  packedWrite,
  unpacked,
} from '../../../../../infra/adapters/mongo/packing.ts';
import { createStore } from '../../../../../infra/adapters/mongo/store.ts';
import type { SizedDocument } from '../../../../../shared/ports/sized-document.ts';
import type { WriteOutcome } from '../../../../../shared/ports/store.ts';
import type { Store, Stored, Write } from '../../../../support/plain-store.ts';
import { Database } from '../database.ts';
import { at, copied, type Fields, isFields } from '../value.ts';
import type { Operation, Read } from './operation.ts';

function judged(outcome: WriteOutcome): string {
  if (outcome.ok) return 'done';
  return 'duplicate' in outcome ? `duplicate of ${outcome.duplicate}` : 'refused';
}

/** Written field by field: their order is undefined in the real engine. */
const FIELD_BY_FIELD = new Set(['send', 'mediaDue']);

function sorted(fields: Readonly<Fields>): Fields {
  const names = Object.keys(fields).sort();
  return Object.fromEntries(names.map((name) => [name, fields[name]]));
}

/** The order of fields within a value written whole counts: `$max` compares by it. */
function written(document: Stored | null): string {
  const fields = Object.entries(document ?? {}).map(([name, value]): [string, unknown] => [
    name,
    FIELD_BY_FIELD.has(name) && isFields(value) ? sorted(value) : value,
  ]);
  return document === null ? 'nothing' : JSON.stringify(sorted(Object.fromEntries(fields)));
}

/** @param collection of a document that is packed still */
function sizedText(document: Stored, collection?: string): string {
  const { _id, bytes, whole } = document as unknown as SizedDocument;
  const isPacked = collection !== undefined && whole !== null;
  return `${_id} of ${bytes}: ${written(isPacked ? unpacked(collection, whole) : whole)}`;
}

export class Pair {
  readonly #database = new Database();
  readonly #mongo: MongoConnection;
  readonly #store: Store;

  /** The real database has the indexes and nothing else in it. */
  constructor(mongo: MongoConnection) {
    this.#mongo = mongo;
    this.#store = createStore(mongo);
  }

  async carryOut(operation: Operation): Promise<void> {
    if ('commit' in operation) await this.#commit(operation.commit);
    else await this.#read(operation);
  }

  /** Reads that follow each other are asked at once, and single writes of one kind as a group. */
  async carryOutAll(operations: readonly Operation[]): Promise<void> {
    for (const run of runsOf(operations)) {
      const writes = run.flatMap((each) => ('commit' in each ? each.commit : []));
      if (writes.length > 0) await this.#commit(writes);
      else await Promise.all(run.map((each) => this.carryOut(each)));
    }
  }

  /**
   * All that is stored, on both sides.
   * @returns names of the collections that hold something
   */
  async compareAll(): Promise<readonly string[]> {
    const real = await this.#mongo.db.listCollections({}, { nameOnly: true }).toArray();
    const names = new Set([...real.map(({ name }) => name), ...this.#database.collections()]);
    await Promise.all(
      [...names].map((collection) =>
        this.#read({ read: 'find', collection, filter: {}, options: {} }),
      ),
    );
    return this.#database.collections().filter((name) => this.#database.count(name, {}) > 0);
  }

  async #commit(writes: readonly Write[]): Promise<void> {
    const real = await this.#store.commit(writes);
    const own = copied(writes) as readonly Write[];
    const simulated = own.map((write) => this.#database.apply(packedWrite(write)));
    assert.deepEqual(simulated.map(judged), real.map(judged), JSON.stringify(writes));
  }

  async #read({ read, collection, filter, options }: Read): Promise<void> {
    const what = JSON.stringify({ read, collection, filter, options });
    const simulated = this.#database;
    const { _id: id } = filter;
    if (read === 'count') {
      const real = await this.#store.count(collection, filter);
      assert.equal(simulated.count(collection, filter), real, what);
    } else if (read === 'byId') {
      const real = await this.#store.byId(collection, String(id));
      const known = simulated.byId(collection, String(id));
      assert.equal(written(known && unpacked(collection, known)), written(real), what);
    } else if (read === 'findOne') {
      const real = await this.#store.findOne(collection, filter, options);
      this.#isLawful({ read, collection, filter, options: { ...options, limit: 1 } }, real);
    } else {
      const real = await this.#store.find(collection, filter, options);
      this.#isLawful({ read, collection, filter, options }, real);
    }
  }

  /** Whether the simulation's documents allow the real answer, in every field and in its order. */
  #isLawful({ collection, filter, options }: Read, answer: Stored | readonly Stored[] | null) {
    const real = [answer ?? []].flat() as readonly Stored[];
    const { sort = {}, skip = 0, limit = 0, project = {}, wholeMaxBytes } = options;
    const sized = wholeMaxBytes === undefined ? {} : { wholeMaxBytes };
    const packedProject = packedProjection(collection, project);
    const what = JSON.stringify({ collection, filter, options });
    const ordered = this.#database.find(collection, filter, { sort });
    const page = ordered.slice(skip, limit === 0 ? undefined : skip + limit);
    assert.equal(this.#database.find(collection, filter, options).length, page.length, what);
    const shown = new Map(
      this.#database
        .find(collection, filter, { project: packedProject, ...sized })
        .map((each) => [each._id, each]),
    );
    const keyOf = new Map(
      ordered.map((each) => [each._id, Object.keys(sort).map((path) => at(each, path) ?? null)]),
    );
    const known = real.flatMap(({ _id }) => shown.get(_id) ?? []);
    if (wholeMaxBytes === undefined) {
      const whole = known.map((each) => unpacked(collection, each, options.project));
      assert.deepEqual(whole.map(written), real.map(written), what);
    } else {
      const own = known.map((each) => sizedText(each, collection));
      const theirs = real.map((each) => sizedText(each));
      assert.deepEqual(own, theirs, what);
    }
    assert.equal(new Set(real.map(({ _id }) => _id)).size, page.length, what);
    const keysOf = (some: readonly Stored[]) => some.map(({ _id }) => keyOf.get(_id));
    assert.deepEqual(keysOf(real), keysOf(page), what);
  }
}

const GROUP_MAX = 50;

/** The group of operations that may run together; null for one that runs alone. */
function groupOf(operation: Operation): string | null {
  if (!('commit' in operation)) return 'read';
  const [only] = operation.commit;
  if (!only || operation.commit.length > 1) return null;
  return 'insert' in only ? `insert ${only.insert}` : 'change';
}

function runsOf(operations: readonly Operation[]): readonly (readonly Operation[])[] {
  const runs: Operation[][] = [];
  let current: string | null = null;
  for (const operation of operations) {
    const group = groupOf(operation);
    const last = runs.at(-1);
    if (group !== null && group === current && last && last.length < GROUP_MAX)
      last.push(operation);
    else runs.push([operation]);
    current = group;
  }
  return runs;
}
