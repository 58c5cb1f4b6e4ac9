/** The port of members and partitions: who owns what, and under which epoch. Types only. */
import type { ActorKind } from '../vocabulary.ts';

export interface Member {
  readonly id: string;
  readonly kinds: readonly ActorKind[];
  /** It still acts for what it holds, and takes nothing more. */
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
  /** The others become the rightful owners of what it holds; it hands over, then leaves. */
  startLeaving(memberId: string): Promise<void>;
  leave(memberId: string): Promise<void>;
  /** Sets expired members dead, then lists the live ones. */
  liveMembers(): Promise<readonly Member[]>;
  partitions(): Promise<readonly PartitionRow[]>;
  /** Compare-and-set of each row's owner and epoch; answers the rows now owned by `memberId`. */
  claim(rows: readonly PartitionRow[], memberId: string): Promise<readonly PartitionRow[]>;
  /** Compare-and-set likewise: one that lands late takes nothing from a later time of holding. */
  release(held: readonly HeldPartition[], memberId: string): Promise<void>;
}
