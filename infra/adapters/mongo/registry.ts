/**
 * Membership and partition ownership in MongoDB (I23). All times are the server's (`$$NOW`), so
 * that no two processes' clocks are ever compared.
 *
 * 1. A dead or expired member never renews.
 * 2. A partition changes its owner by compare-and-set of owner and epoch; the epoch only rises.
 * 3. Another server of a replica set may have another clock: after a failover all leases would end
 *    at once, or none for long. So a replica set's lease ends in one of two ways. A reader saw it
 *    unrenewed for its whole duration, by the reader's own clock. Or it ended longer ago than the
 *    servers' clocks can differ.
 */
import type { Db, Filter } from 'mongodb';
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
  readonly old: boolean;
}

interface PartitionDocument {
  readonly _id: string;
  readonly owner: string | null;
  readonly epoch: number;
}

const REGISTRY_DEADLINE_MS = 2_000;
const LEASE_END = { $add: ['$$NOW', LEASE_MS] };
/** With `apartMs` as a variable of the command. */
const EXPIRED = { $lte: [{ $add: ['$expiresAt', '$$apartMs'] }, '$$NOW'] };
/** More than the clocks of a replica set's servers are apart. */
const CLOCKS_APART_MS = 60_000;
/** Dead members are kept for diagnosis, then removed. */
const DEAD_KEPT_MS = 60 * 60 * 1000;
const OLD = { $lt: [{ $add: ['$expiresAt', DEAD_KEPT_MS] }, '$$NOW'] };
/** Every partition in one answer. */
const BATCH = 1_000;

function members(db: Db) {
  return db.collection<MemberDocument>('members');
}

function toRow(document: PartitionDocument): PartitionRow {
  return { name: document._id, owner: document.owner, epoch: document.epoch };
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

  constructor({ db, standalone }: RegistryOptions, monotonic: () => number) {
    this.#db = db;
    this.#variables = { let: { apartMs: standalone ? 0 : CLOCKS_APART_MS } };
    this.#expiryDetector = new LeaseExpiryDetector(monotonic);
  }

  async join(member: Member & { readonly pid: number }): Promise<void> {
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
      const { _id, state, expiresAt, expired, unrenewed } = member;
      if (state === 'dead' || !(expired || unrenewed)) return [];
      // A renewal that has come meanwhile saves it.
      const still = expired ? { $expr: EXPIRED } : { expiresAt };
      return [{ _id, state: { $ne: 'dead' }, ...still }];
    });
    if (ended.length > 0) {
      const dead = { $set: { state: 'dead' as const } };
      await members(this.#db).updateMany({ $or: ended }, dead, this.#variables);
      known = await this.#members();
    }
    if (known.some(({ old }) => old)) {
      await members(this.#db).deleteMany({ state: 'dead', $expr: OLD });
    }
    // A member that has expired meanwhile is dead only when it is marked so: it may have renewed.
    return known
      .filter(({ state }) => state !== 'dead')
      .map(({ _id, kinds, weight = 1, state }) => {
        return { id: _id, kinds, weight, leaving: state === 'leaving' };
      });
  }

  async #members(): Promise<readonly (SeenMember & { readonly unrenewed: boolean })[]> {
    const seen = this.#expiryDetector.begin();
    const known = await members(this.#db)
      .find({}, this.#variables)
      .project<SeenMember>({
        ...{ kinds: 1, weight: 1, state: 1, expiresAt: 1 },
        ...{ expired: EXPIRED, old: OLD },
      })
      .toArray();
    const living = known.filter(({ state }) => state !== 'dead');
    const unrenewed = seen(living.map(({ _id, expiresAt }) => [_id, expiresAt.getTime()]));
    return known.map((member) => ({ ...member, unrenewed: unrenewed.has(member._id) }));
  }

  async partitions(): Promise<readonly PartitionRow[]> {
    return (await this.#partitions().find({}, { batchSize: BATCH }).toArray()).map(toRow);
  }

  async claim(rows: readonly PartitionRow[], memberId: string): Promise<readonly PartitionRow[]> {
    if (rows.length === 0) return [];
    try {
      await this.#partitions().bulkWrite(
        rows.map((row) =>
          row.epoch === 0
            ? { insertOne: { document: { _id: row.name, owner: memberId, epoch: 1 } } }
            : {
                updateOne: {
                  filter: { _id: row.name, owner: row.owner, epoch: row.epoch },
                  update: { $set: { owner: memberId }, $inc: { epoch: 1 } },
                },
              },
        ),
        { ordered: false },
      );
    } catch (cause) {
      // Another process created the row first: the rows owned by this one are read below in any
      // case.
      if (!(cause instanceof Error) || !cause.message.includes('E11000')) throw cause;
    }
    const names = rows.map((row) => row.name);
    const owned = await this.#partitions()
      .find({ _id: { $in: names }, owner: memberId }, { batchSize: BATCH })
      .toArray();
    return owned.map(toRow);
  }

  async release(held: readonly HeldPartition[], memberId: string): Promise<void> {
    if (held.length === 0) return;
    await this.#partitions().bulkWrite(
      held.map(({ name, epoch }) => ({
        updateOne: {
          filter: { _id: name, owner: memberId, epoch },
          update: { $set: { owner: null } },
        },
      })),
      { ordered: false },
    );
  }

  #partitions() {
    return this.#db.collection<PartitionDocument>('partitions');
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
