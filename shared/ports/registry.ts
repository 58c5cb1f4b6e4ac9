/** The port of members and partitions: the owner and the epoch of each partition. Types only. */
import type { ActorKind } from '../vocabulary.ts';

export interface Member {
  readonly id: string;
  readonly kinds: readonly ActorKind[];
  /** Its share of the partitions is its weight among those of all members that run a kind. */
  readonly weight: number;
  /** It still owns its partitions, and acquires no more. */
  readonly leaving?: boolean;
}

/** One time of holding a partition. */
export interface HeldPartition {
  /** `<kind>.<number>`. */
  readonly name: string;
  readonly epoch: number;
}

export interface PartitionRow extends HeldPartition {
  readonly owner: string | null;
}

/** Members and partitions, by the server's clock (I23). */
export interface Registry {
  join(member: Member & { readonly pid: number }): Promise<void>;
  /** False when the member is dead or has expired: it must start again under a new id. */
  renew(memberId: string): Promise<boolean>;
  /** The others become the intended owners of its partitions; it releases them, then leaves. */
  startLeaving(memberId: string): Promise<void>;
  leave(memberId: string): Promise<void>;
  /** Marks expired members as dead, then lists the live ones. */
  liveMembers(): Promise<readonly Member[]>;
  partitions(): Promise<readonly PartitionRow[]>;
  /** Compare-and-set of each row's owner and epoch; answers the rows now owned by `memberId`. */
  claim(rows: readonly PartitionRow[], memberId: string): Promise<readonly PartitionRow[]>;
  /** Compare-and-set likewise: a late release changes nothing of a later ownership. */
  release(held: readonly HeldPartition[], memberId: string): Promise<void>;
}
