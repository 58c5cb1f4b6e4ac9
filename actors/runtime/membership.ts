/**
 * Membership of this process: it renews its lease and acquires its assigned partitions that no
 * living member holds. It releases those that are assigned to another (I23).
 *
 * 1. It acts only while its lease holds by its own monotonic clock. The lease counts from before
 *    the renewal was sent, less a margin: the process stops before any other may begin.
 * 2. A lost lease is never renewed: the process joins again under a new id. That includes a lease
 *    that ended during its renewal: work that has stopped waits for the next owner.
 * 3. A partition is acquired only from no owner or a dead member. One that this member owns on
 *    record but does not hold is acquired under a new epoch.
 * 4. At rest each renewal reads only the members; alone every 10 s, since it can miss no other's
 *    death. An announcement causes a read of members and partitions. Otherwise that read is every
 *    5 s, in case one was lost, and alone every 60 s: only members change partitions.
 * 5. The registry answers the member that asked. A process that has joined anew meanwhile, or is
 *    leaving, ignores the answer.
 * 6. Alone and without asks, it renews every 1.5 s instead of every second. Rarer renewals and
 *    reads save up to a quarter of an installation's cost at rest; the lease stays as long.
 * 7. No renewal waits for partitions. A release waits for turns under way, and a claim for a store
 *    at work: their members would lose their leases, and claim everything anew.
 * 8. What it claims or releases is from one placement, of owners and members that it read one after
 *    the other. No claim exceeds its cap, whatever others have done since: no other adds to its own.
 */
import { LEASE_MS, LEASE_RENEWAL_IDLE_MS, LEASE_RENEWAL_MS } from '../../shared/limits.ts';
import { LOG_EVENT } from '../../shared/log-events.ts';
import type { OwnerBus } from '../../shared/ports/bus.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { Log } from '../../shared/ports/log.ts';
import type { HeldPartition, Member, PartitionRow, Registry } from '../../shared/ports/registry.ts';
import type { ActorKind } from '../../shared/vocabulary.ts';
import { parsePartition } from '../../shared/wire/subjects.ts';
import { describe } from './describe-fault.ts';
import type { Host } from './host.ts';
import { completeRows, PartitionAssignment, RELEASE_ORDER } from './partition-assignment.ts';
import { RunAgain } from './repeat.ts';

const MARGIN_MS = 400;
const RENEWAL_MIN_MS = 100;
const PARTITIONS_POLL_MS = 5_000;
/** Each read is 512 documents, and a tenth of an installation's cost at rest if made every 10 s. */
const PARTITIONS_POLL_ALONE_MS = 60_000;
const MEMBERS_POLL_ALONE_MS = 10_000;

const assign = (members: readonly Member[], rows: readonly PartitionRow[]): PartitionAssignment =>
  new PartitionAssignment(members, rows);

interface MembershipSettings {
  readonly registry: Registry;
  readonly bus: OwnerBus;
  readonly clock: Clock;
  readonly log: Log;
  readonly processId: string;
  readonly pid: number;
  readonly kinds: readonly ActorKind[];
  /** Its share of the partitions among the members, 1 to 100. */
  readonly weight: number;
  /** Called when partitions were acquired from a dead member. */
  readonly onTakeOver: (partitions: number) => void;
  /** Called with the milliseconds from the begin of a release until others may own the partitions. */
  readonly onReleased?: (ms: number) => void;
  /** Computes an assignment; a simulation of many processes computes each once for all of them. */
  readonly assign?: typeof assign;
}

export class Membership {
  readonly #settings: MembershipSettings;
  #host: Host | null = null;
  #memberId: string;
  #joins = 0;
  #leaseUntil = 0;
  /** An announcement during a poll causes another. */
  readonly #poll = new RunAgain(
    async () => {
      if (this.leaseHeld() && (await this.#mayHaveChanged())) await this.#rebalance();
    },
    (cause) => {
      this.#needsRebalance = true;
      this.#settings.log.warn({ error: describe(cause) }, 'poll of the members failed');
    },
  );
  /** Something may have changed that the list of members does not show. */
  #needsRebalance = true;
  #partitionsReadAt = 0;
  #membersReadAt = 0;
  #turnsBefore = 0;
  #leaving = false;
  #cancelRenewal: () => void = () => undefined;
  #complete = false;
  #assignment = new PartitionAssignment([], []);

  constructor(settings: MembershipSettings) {
    this.#settings = settings;
    this.#memberId = settings.processId;
  }

  get memberId(): string {
    return this.#memberId;
  }

  /** Every partition of the kinds in service has a living owner, as of the last read. */
  get complete(): boolean {
    return this.#complete;
  }

  leaseHeld(): boolean {
    return this.#settings.clock.monotonic() < this.#leaseUntil;
  }

  /** Whether it may act, and is still the member that asked. */
  #actsAs(memberId: string): boolean {
    return this.#memberId === memberId && this.leaseHeld();
  }

  async start(host: Host): Promise<void> {
    this.#host = host;
    this.#settings.bus.onMembersAnnounced((to) => {
      if (to && !to.includes(this.#memberId)) return;
      this.#needsRebalance = true;
      void this.#poll.request();
    });
    await this.#join();
    this.#scheduleRenewal();
    await this.#poll.request();
  }

  /** Releases all partitions and leaves. */
  async leave(): Promise<void> {
    this.#leaving = true;
    const host = this.#host;
    if (host && this.leaseHeld()) {
      await this.#settings.registry.startLeaving(this.#memberId);
      await this.#releaseInOrder(host.names());
    }
    this.#cancelRenewal();
    // It stops first: a member that is dead on record may have a successor at once.
    this.#leaseUntil = 0;
    await this.#settings.registry.leave(this.#memberId);
    this.#settings.bus.announceMembers();
  }

  async #join(): Promise<void> {
    const { registry, processId, pid, kinds, weight, clock } = this.#settings;
    this.#joins++;
    const memberId = this.#joins === 1 ? processId : `${processId}.${this.#joins}`;
    this.#memberId = memberId;
    const before = clock.monotonic();
    await registry.join({ id: memberId, kinds, weight, pid });
    if (this.#leaving) return registry.leave(memberId);
    this.#leaseUntil = before + LEASE_MS - MARGIN_MS;
    this.#settings.bus.announceMembers();
    this.#needsRebalance = true;
  }

  /** @param tookMs since the last renewal was sent */
  #scheduleRenewal(tookMs = 0): void {
    const { clock } = this.#settings;
    const everyMs = this.#isIdle() ? LEASE_RENEWAL_IDLE_MS : LEASE_RENEWAL_MS;
    this.#cancelRenewal = clock.after(Math.max(RENEWAL_MIN_MS, everyMs - tookMs), () => {
      const sentAt = clock.monotonic();
      void this.#renew().then(() => {
        const isNeeded = !this.#leaving || this.#host?.names().length;
        if (isNeeded) this.#scheduleRenewal(clock.monotonic() - sentAt);
      });
    });
  }

  /** Whether it is alone, and has run no turn since the last check. */
  #isIdle(): boolean {
    const { turns } = this.#host ?? { turns: 0 };
    const isQuiet = turns === this.#turnsBefore;
    this.#turnsBefore = turns;
    return isQuiet && this.#assignment.size === 1 && !this.#needsRebalance && this.leaseHeld();
  }

  async #renew(): Promise<void> {
    const { registry, clock, log } = this.#settings;
    const before = clock.monotonic();
    const memberId = this.#memberId;
    try {
      const answered = this.leaseHeld() && (await registry.renew(memberId));
      const renewed = answered && this.#memberId === memberId;
      if (renewed && this.leaseHeld()) {
        this.#leaseUntil = before + LEASE_MS - MARGIN_MS;
        void this.#poll.request();
        return;
      }
    } catch (cause) {
      log.warn({ error: describe(cause) }, 'could not renew the lease');
      if (this.leaseHeld()) return;
    }
    await this.#rejoin();
  }

  async #rejoin(): Promise<void> {
    const { log, registry } = this.#settings;
    log.warn({ member: this.#memberId }, `${LOG_EVENT.leaseLost}: joining again under a new id`);
    this.#leaseUntil = 0;
    this.#host?.dropAll();
    try {
      await registry.leave(this.#memberId);
      if (!this.#leaving) await this.#join();
      void this.#poll.request();
    } catch (cause) {
      log.warn({ error: describe(cause) }, 'waiting for the store to join again');
    }
  }

  async #mayHaveChanged(): Promise<boolean> {
    const { registry, clock } = this.#settings;
    if (this.#needsRebalance) return true;
    const isAlone = this.#assignment.size === 1;
    const now = clock.monotonic();
    const everyMs = isAlone ? PARTITIONS_POLL_ALONE_MS : PARTITIONS_POLL_MS;
    if (now - this.#partitionsReadAt >= everyMs) return true;
    if (isAlone && now - this.#membersReadAt < MEMBERS_POLL_ALONE_MS) return false;
    this.#membersReadAt = now;
    return !this.#assignment.isFor(await registry.liveMembers());
  }

  async #rebalance(): Promise<void> {
    const { registry, clock } = this.#settings;
    const host = this.#host;
    if (!host) return;
    const memberId = this.#memberId;
    this.#partitionsReadAt = clock.monotonic();
    this.#membersReadAt = this.#partitionsReadAt;
    this.#needsRebalance = false;
    // In this order: an owner that joined in between must not appear dead.
    const rows = completeRows(await registry.partitions());
    const members = await registry.liveMembers();
    if (!this.#actsAs(memberId) || !members.some(({ id }) => id === memberId)) return;
    const living = new Set(members.map((member) => member.id));
    if (!this.#assignment.isFor(members) || !this.#assignment.isFrom(rows)) {
      this.#assignment = (this.#settings.assign ?? assign)(members, rows);
    }
    const isOwned = ({ owner }: PartitionRow): boolean => owner !== null && living.has(owner);
    // At rest there are none, and a poll costs one pass over the partitions.
    const open = rows.filter((row) => !isOwned(row) || this.#isLost(row));
    this.#complete = open.every(isOwned);
    const isExpected = ({ name, owner }: PartitionRow): boolean =>
      owner !== memberId && this.#assignment.ownerOf(name) === memberId;
    // Its owner may tell of the release by a placement without this member.
    if (!this.#complete || rows.some(isExpected)) this.#needsRebalance = true;
    const lost = open.filter(this.#isLost);
    const free = open.filter(({ name }) => this.#assignment.ownerOf(name) === memberId);
    const takenOver = free.filter(({ owner }) => owner && !living.has(owner)).length;
    if (!this.#leaving) await this.#acquireFree(host, free, takenOver);
    const isForeign = (name: string): boolean => {
      const assigned = this.#assignment.ownerOf(name);
      return assigned !== null && assigned !== memberId;
    };
    const foreign = host.names().filter(isForeign);
    const unheld = lost.filter(({ name }) => isForeign(name));
    if (!this.#actsAs(memberId) || foreign.length + unheld.length === 0) return;
    this.#needsRebalance = true;
    await this.#releaseInOrder(foreign, unheld);
  }

  async #acquireFree(host: Host, free: readonly PartitionRow[], takenOver: number): Promise<void> {
    const memberId = this.#memberId;
    const claimed = await this.#settings.registry.claim(free, memberId);
    if (!this.#actsAs(memberId) || this.#leaving) return;
    for (const row of claimed) {
      const partition = parsePartition(row.name);
      if (partition && host.epochOf(row.name) === null) host.acquire(partition, row.epoch);
    }
    if (claimed.length > 0) this.#settings.bus.announceOwners();
    if (takenOver > 0) this.#settings.onTakeOver(takenOver);
    if (free.length > 0) this.#needsRebalance = true;
    if (claimed.length > 0) void this.#poll.request();
  }

  /** To whom they are assigned: an announcement costs each that hears it a read of all partitions. */
  #announceReleased(released: readonly HeldPartition[]): void {
    const next = new Set(released.map(({ name }) => this.#assignment.ownerOf(name)));
    // One that leaves is still in its own placement.
    const to = this.#leaving ? [] : [...next].filter((id) => id !== null);
    this.#settings.bus.announceMembers(to.length > 0 ? to : undefined);
  }

  /** Ours on record and not held: the answer to a claim, or to a release, was lost. */
  #isLost = ({ name, owner }: PartitionRow): boolean =>
    owner === this.#memberId && this.#host?.epochOf(name) === null;

  /**
   * The first kinds report to others what arrives from outside; all others ask the last ones. Each
   * kind serves asks until its turn, so that a late answer of a slow network is processed.
   */
  async #releaseInOrder(names: readonly string[], unheld: readonly PartitionRow[] = []) {
    const { registry, clock, onReleased } = this.#settings;
    const memberId = this.#memberId;
    const held = names.map((name) => ({ name, epoch: this.#host?.epochOf(name) ?? 0 }));
    for (const kinds of RELEASE_ORDER) {
      const isNow = ({ name }: HeldPartition) => kinds.some((kind) => name.startsWith(`${kind}.`));
      const releasing = [...held, ...unheld].filter(isNow);
      if (releasing.length === 0) continue;
      const startedAt = clock.monotonic();
      await Promise.all(releasing.map(({ name }) => this.#host?.release(name)));
      if (!this.#actsAs(memberId)) return;
      await registry.release(releasing, memberId);
      onReleased?.(clock.monotonic() - startedAt);
      this.#announceReleased(releasing);
    }
  }
}
