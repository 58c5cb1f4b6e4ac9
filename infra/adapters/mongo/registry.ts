/**
 * Membership and partition ownership in MongoDB (I23). All times are the server's (`$$NOW`), so
 * that no two processes' clocks are ever compared.
 *
 * 1. A dead or expired member never renews.
 * 2. A partition changes its owner by compare-and-set of owner and epoch; the epoch only rises. The
 *    partitions of a shelf are one document (`shelf.ts`): a change that met another of the same
 *    shelf is made again, where it still applies.
 * 3. A process of before there were shelves may have read the schema number before its migration,
 *    and join after it. It claims no shelf that was written since, for it counts up `epoch`, which
 *    is null: that fails. What it has claimed before is not taken from it while it lives.
 * 4. Another server of a replica set may have another clock: after a failover all leases would end
 *    at once, or none for long. So a replica set's lease ends in one of two ways. A reader saw it
 *    unrenewed for its whole duration, by the reader's own clock. Or it ended longer ago than the
 *    servers' clocks can differ.
 */
import type { AnyBulkWriteOperation, Db, Filter } from 'mongodb';
import { LEASE_MS } from '../../../shared/limits.ts';
import type {
  HeldPartition,
  Member,
  PartitionRow,
  Registry,
} from '../../../shared/ports/registry.ts';
import type { ActorKind } from '../../../shared/vocabulary.ts';
import type { MongoConnection } from './client.ts';
import { withinDeadline } from './deadline.ts';
import { LeaseExpiryDetector } from './lease-expiry-detector.ts';
import {
  changedShelf,
  isOpen,
  type OwnerChange,
  rowsOf,
  type ShelfDocument,
  shelfId,
} from './shelf.ts';

interface MemberDocument {
  readonly _id: string;
  readonly kinds: readonly ActorKind[];
  readonly weight?: number;
  readonly pid: number;
  readonly state: 'live' | 'leaving' | 'dead';
  readonly expiresAt: Date;
}

interface SeenMember
  extends Pick<MemberDocument, '_id' | 'kinds' | 'weight' | 'state' | 'expiresAt'> {
  readonly expired: boolean;
}

const REGISTRY_DEADLINE_MS = 2_000;
const LEASE_END = { $add: ['$$NOW', LEASE_MS] };
/** With `apartMs` as a variable of the command. */
const EXPIRED = { $lte: [{ $add: ['$expiresAt', '$$apartMs'] }, '$$NOW'] };
/** More than the clocks of a replica set's servers are apart. */
const CLOCKS_APART_MS = 60_000;
/** Dead members are kept for diagnosis, then removed when another joins. */
const DEAD_KEPT_MS = 60 * 60 * 1000;
const OLD = { $lt: [{ $add: ['$expiresAt', DEAD_KEPT_MS] }, '$$NOW'] };
/** Every shelf in one answer. */
const BATCH = 1_000;
/** Changes of one shelf by others in the meantime, before a change is given up. */
const TRIES_MAX = 20;

function members(db: Db) {
  return db.collection<MemberDocument>('members');
}

/** Marks the processes of a member as ended: its partitions may be acquired at once. */
export async function markProcessDead(db: Db, processId: string): Promise<void> {
  await members(db).updateMany(
    { _id: { $regex: `^${processId}(\\.|$)` }, state: { $ne: 'dead' } },
    { $set: { state: 'dead' } },
  );
}

class MongoRegistry implements Registry {
  readonly #db: Db;
  readonly #variables: { readonly let: { readonly apartMs: number } };
  readonly #expiryDetector: LeaseExpiryDetector;
  /** Shelves as they were read or written last, by id. */
  readonly #known = new Map<string, ShelfDocument>();
  #lastRead: { readonly of: string; readonly rows: readonly PartitionRow[] } = { of: '', rows: [] };

  constructor({ db, standalone }: RegistryOptions, monotonic: () => number) {
    this.#db = db;
    this.#variables = { let: { apartMs: standalone ? 0 : CLOCKS_APART_MS } };
    this.#expiryDetector = new LeaseExpiryDetector(monotonic);
  }

  async join(member: Member & { readonly pid: number }): Promise<void> {
    await members(this.#db).deleteMany({ state: 'dead', $expr: OLD });
    await members(this.#db).updateOne(
      { _id: member.id },
      [
        {
          $set: {
            kinds: { $literal: member.kinds },
            weight: member.weight,
            pid: member.pid,
            state: 'live',
            expiresAt: LEASE_END,
          },
        },
      ],
      { upsert: true },
    );
  }

  async renew(memberId: string): Promise<boolean> {
    const renewed = await members(this.#db).updateOne(
      { _id: memberId, state: { $ne: 'dead' }, $expr: { $not: [EXPIRED] } },
      [{ $set: { expiresAt: LEASE_END } }],
      this.#variables,
    );
    return renewed.matchedCount === 1;
  }

  async startLeaving(memberId: string): Promise<void> {
    await members(this.#db).updateOne(
      { _id: memberId, state: 'live' },
      { $set: { state: 'leaving' } },
    );
  }

  async leave(memberId: string): Promise<void> {
    await members(this.#db).updateOne({ _id: memberId }, { $set: { state: 'dead' } });
  }

  /** One read while nothing happens, for every process asks once a second. */
  async liveMembers(): Promise<readonly Member[]> {
    let known = await this.#members();
    const ended = known.flatMap((member): Filter<MemberDocument>[] => {
      const { _id, expiresAt, expired, unrenewed } = member;
      if (!(expired || unrenewed)) return [];
      // A renewal that has come meanwhile saves it.
      const still = expired ? { $expr: EXPIRED } : { expiresAt };
      return [{ _id, state: { $ne: 'dead' }, ...still }];
    });
    if (ended.length > 0) {
      const dead = { $set: { state: 'dead' as const } };
      await members(this.#db).updateMany({ $or: ended }, dead, this.#variables);
      known = await this.#members();
    }
    // A member that has expired meanwhile is dead only when it is marked so: it may have renewed.
    return known.map(({ _id, kinds, weight = 1, state }) => {
      return { id: _id, kinds, weight, leaving: state === 'leaving' };
    });
  }

  /** Of a restart of many processes there are as many dead ones, for an hour. */
  async #members(): Promise<readonly (SeenMember & { readonly unrenewed: boolean })[]> {
    const seen = this.#expiryDetector.begin();
    const known = await members(this.#db)
      .find({ state: { $ne: 'dead' } }, this.#variables)
      .project<SeenMember>({
        ...{ kinds: 1, weight: 1, state: 1, expiresAt: 1 },
        expired: EXPIRED,
      })
      .toArray();
    const unrenewed = seen(known.map(({ _id, expiresAt }) => [_id, expiresAt.getTime()]));
    return known.map((member) => ({ ...member, unrenewed: unrenewed.has(member._id) }));
  }

  async partitions(): Promise<readonly PartitionRow[]> {
    const shelves = await this.#shelves()
      .find({}, { batchSize: BATCH, sort: { _id: 1 } })
      .toArray();
    // At rest nothing has changed since the last read: then its thousands of rows are answered.
    const read = JSON.stringify(
      shelves.map(({ _id, rev, owner, epoch }) => [_id, rev, owner, epoch]),
    );
    for (const shelf of shelves) this.#known.set(shelf._id, shelf);
    if (this.#lastRead.of !== read) {
      this.#lastRead = { of: read, rows: shelves.flatMap((shelf) => rowsOf(shelf._id, shelf)) };
    }
    return this.#lastRead.rows;
  }

  async claim(rows: readonly PartitionRow[], memberId: string): Promise<readonly PartitionRow[]> {
    const changes = rows.map((from) => {
      return { from, to: { owner: memberId, epoch: from.epoch + 1 } };
    });
    const after = await this.#change(changes);
    return rows.flatMap(({ name }) => {
      const row = after.get(name);
      return row?.owner === memberId ? [row] : [];
    });
  }

  async release(held: readonly HeldPartition[], memberId: string): Promise<void> {
    await this.#change(
      held.map(({ name, epoch }) => {
        return { from: { name, owner: memberId, epoch }, to: { owner: null, epoch } };
      }),
    );
  }

  /**
   * Makes the changes that apply; answers the partitions of their shelves after that, by name. The
   * shelves are first taken as they were read last: the revision tells when they have changed since.
   */
  async #change(changes: readonly OwnerChange[]): Promise<ReadonlyMap<string, PartitionRow>> {
    const byShelf = Map.groupBy(changes, ({ from }) => shelfId(from.name));
    const after = new Map<string, PartitionRow>();
    const note = (ids: readonly string[]): void => {
      for (const id of ids) {
        for (const row of rowsOf(id, this.#known.get(id))) after.set(row.name, row);
      }
    };
    const applies = (change: OwnerChange) => isOpen(change, after.get(change.from.name));
    let open: readonly string[] = [...byShelf.keys()];
    note(open);
    // What does not apply to what is known may apply to what has become of it.
    let isRead = changes.every(applies);
    for (let tries = 0; open.length > 0; tries++) {
      if (tries > TRIES_MAX) throw new Error('the owners of partitions changed too often');
      if (!isRead) await this.#readShelves(open);
      note(open);
      open = open.filter((id) => byShelf.get(id)?.some(applies));
      const isMade = open.length > 0 && (await this.#write(open, byShelf));
      if (isMade) note(open);
      open = isMade ? [] : open;
      isRead = false;
    }
    return after;
  }

  async #readShelves(ids: readonly string[]): Promise<void> {
    const shelves = await this.#shelves()
      .find({ _id: { $in: ids } }, { batchSize: BATCH })
      .toArray();
    for (const shelf of shelves) this.#known.set(shelf._id, shelf);
  }

  /** True: every shelf was as it was known, and is known as it is now. */
  async #write(
    ids: readonly string[],
    changes: ReadonlyMap<string, readonly OwnerChange[]>,
  ): Promise<boolean> {
    const changed = ids.map((id) => changedShelf(id, this.#known.get(id), changes.get(id) ?? []));
    const writes = changed.map(({ _id, runs, rev }): AnyBulkWriteOperation<ShelfDocument> => {
      const shelf = this.#known.get(_id);
      if (!shelf) return { insertOne: { document: { _id, runs, rev, epoch: null } } };
      const { rev: before, owner = null, epoch = null } = shelf;
      const filter = before === undefined ? { _id, owner, epoch } : { _id, rev: before };
      const update = { $set: { runs, rev, epoch: null }, $unset: { owner: 1 } } as const;
      return { updateOne: { filter, update } };
    });
    try {
      const written = await this.#shelves().bulkWrite(writes, { ordered: false });
      if (written.matchedCount + written.insertedCount < writes.length) return false;
    } catch (cause) {
      // Another process has made the shelf's document: the next read finds it.
      if (!(cause instanceof Error) || !cause.message.includes('E11000')) throw cause;
      return false;
    }
    for (const shelf of changed) this.#known.set(shelf._id, shelf);
    return true;
  }

  #shelves() {
    return this.#db.collection<ShelfDocument>('partitions');
  }
}

export type RegistryOptions = Pick<MongoConnection, 'db' | 'standalone'>;

/** A renewal that hangs must not keep the process from noticing that its lease has ended. */
export function createRegistry(
  place: RegistryOptions,
  monotonic: () => number = () => performance.now(),
): Registry {
  const registry = new MongoRegistry(place, monotonic);
  const bounded = <T>(work: Promise<T>, what: string): Promise<T> =>
    withinDeadline(work, what, REGISTRY_DEADLINE_MS);
  return {
    join: (member) => bounded(registry.join(member), 'join'),
    renew: (memberId) => bounded(registry.renew(memberId), 'renew'),
    startLeaving: (memberId) => bounded(registry.startLeaving(memberId), 'startLeaving'),
    leave: (memberId) => bounded(registry.leave(memberId), 'leave'),
    liveMembers: () => bounded(registry.liveMembers(), 'liveMembers'),
    partitions: () => bounded(registry.partitions(), 'partitions'),
    claim: (rows, memberId) => bounded(registry.claim(rows, memberId), 'claim'),
    release: (held, memberId) => bounded(registry.release(held, memberId), 'release'),
  };
}
