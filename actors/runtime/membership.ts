/**
 * This process as a member: it renews its lease, takes the partitions that it should hold and that
 * no living member holds, and releases those that another should hold (I23).
 *
 * 1. It acts only while its lease stands by its own monotonic clock, measured from before the
 *    renewal was sent, less a margin: it stops before anybody else may begin.
 * 2. A lease once lost is never renewed: it joins again under a new id. So it is when it lapsed
 *    while its renewal was on its way: what has stopped acting meanwhile waits for the next owner.
 * 3. A partition is acquired only from no owner or from a dead member; or under a new epoch from
 *    ourselves, when we do not know of having it.
 * 4. At rest only the members are read with each renewal, and by a member that is alone every 10 s,
 *    since there is nobody whose death it could miss; members and partitions when somebody says so,
 *    and every 5 s in case nobody could. Alone that is every 60 s: only members change partitions.
 * 5. A call to the record is answered to the member that asked. A process that has joined anew
 *    meanwhile, or is leaving, does nothing with the answer.
 * 6. Alone, and asked nothing, it renews every 1.5 s instead of every second, a quarter of what an
 *    installation costs at rest; the lease is as long as ever.
 */
import { LEASE_MS, LEASE_RENEWAL_IDLE_MS, LEASE_RENEWAL_MS } from '../../shared/limits.ts';
import { LOG_EVENT } from '../../shared/log-events.ts';
import type { HeldPartition, PartitionRow, Registry } from '../../shared/ports/registry.ts';
import type { Clock, Log, OwnerBus } from '../../shared/ports.ts';
import type { ActorKind } from '../../shared/vocabulary.ts';
import { parsePartition } from '../../shared/wire/subjects.ts';
import type { Host } from './host.ts';
import { describe } from './mailbox.ts';
import { PartitionAssignment } from './partition-assignment.ts';
import { completeRows, RELEASE_ORDER } from './partition-rows.ts';

const MARGIN_MS = 400;
const PARTITIONS_POLL_MS = 5_000;
/** Each is 450 documents, and a tenth of what an installation costs at rest if read every 10 s. */
const PARTITIONS_POLL_ALONE_MS = 60_000;
const MEMBERS_POLL_ALONE_MS = 10_000;

export interface MembershipSettings {
  readonly registry: Registry;
  readonly bus: OwnerBus;
  readonly clock: Clock;
  readonly log: Log;
  readonly processId: string;
  readonly pid: number;
  readonly kinds: readonly ActorKind[];
  /** Called when partitions were acquired from a member that had died. */
  readonly onTakeOver: (partitions: number) => void;
}

export class Membership {
  readonly #settings: MembershipSettings;
  #host: Host | null = null;
  #memberId: string;
  #joins = 0;
  #leaseUntil = 0;
  #polling = false;
  #pollAgain = false;
  /** Something may have changed that the list of members does not show. */
  #needsRebalance = true;
  #partitionsReadAt = 0;
  #membersReadAt = 0;
  #turnsBefore = 0;
  #leaving = false;
  #cancelRenewal: () => void = () => undefined;
  #complete = false;
  #assignment = new PartitionAssignment([]);

  constructor(settings: MembershipSettings) {
    this.#settings = settings;
    this.#memberId = settings.processId;
  }

  get memberId(): string {
    return this.#memberId;
  }

  /** Every partition of the kinds in service has a living owner, as last seen. */
  get complete(): boolean {
    return this.#complete;
  }

  leaseHeld(): boolean {
    return this.#settings.clock.monotonic() < this.#leaseUntil;
  }

  /** Whether it may act, and as the member that it was when it asked. */
  #actsAs(memberId: string): boolean {
    return this.#memberId === memberId && this.leaseHeld();
  }

  async start(host: Host): Promise<void> {
    this.#host = host;
    this.#settings.bus.onMembersAnnounced(() => {
      this.#needsRebalance = true;
      void this.#poll();
    });
    await this.#join();
    this.#scheduleRenewal();
  }

  /** Hands everything over and leaves. */
  async leave(): Promise<void> {
    this.#leaving = true;
    const host = this.#host;
    if (host && this.leaseHeld()) {
      await this.#settings.registry.startLeaving(this.#memberId);
      await this.#releaseInOrder(host.names());
    }
    this.#cancelRenewal();
    // First it stops: a member that is dead on record may have a successor at once.
    this.#leaseUntil = 0;
    await this.#settings.registry.leave(this.#memberId);
    this.#settings.bus.announceMembers();
  }

  async #join(): Promise<void> {
    const { registry, processId, pid, kinds, clock } = this.#settings;
    this.#joins++;
    const memberId = this.#joins === 1 ? processId : `${processId}.${this.#joins}`;
    this.#memberId = memberId;
    const before = clock.monotonic();
    await registry.join({ id: memberId, kinds, pid });
    if (this.#leaving) return registry.leave(memberId);
    this.#leaseUntil = before + LEASE_MS - MARGIN_MS;
    this.#settings.bus.announceMembers();
    this.#needsRebalance = true;
    await this.#poll();
  }

  #scheduleRenewal(): void {
    const inMs = this.#isAtRest() ? LEASE_RENEWAL_IDLE_MS : LEASE_RENEWAL_MS;
    this.#cancelRenewal = this.#settings.clock.after(inMs, () => {
      void this.#renew().then(() => {
        if (!this.#leaving || this.#host?.names().length) this.#scheduleRenewal();
      });
    });
  }

  /** Nobody has asked anything since it was last looked. */
  #isAtRest(): boolean {
    const { turns } = this.#host ?? { turns: 0 };
    const isQuiet = turns === this.#turnsBefore;
    this.#turnsBefore = turns;
    return isQuiet && this.#isAlone() && !this.#needsRebalance && this.leaseHeld();
  }

  #isAlone(): boolean {
    return this.#assignment.size === 1;
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
        await this.#poll();
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
    } catch (cause) {
      log.warn({ error: describe(cause) }, 'waiting for the store to join again');
    }
  }

  /** One look at a time; an announcement during one asks for another. */
  async #poll(): Promise<void> {
    this.#pollAgain = true;
    if (this.#polling) return;
    this.#polling = true;
    try {
      while (this.#pollAgain && this.leaseHeld()) {
        this.#pollAgain = false;
        if (await this.#mayHaveChanged()) await this.#rebalance();
      }
    } catch (cause) {
      this.#needsRebalance = true;
      this.#settings.log.warn({ error: describe(cause) }, 'poll of the members failed');
    } finally {
      this.#polling = false;
    }
  }

  async #mayHaveChanged(): Promise<boolean> {
    const { registry, clock } = this.#settings;
    if (this.#needsRebalance) return true;
    const isAlone = this.#isAlone();
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
    // In this order: an owner who has joined in between must not look dead.
    const rows = completeRows(await registry.partitions());
    const members = await registry.liveMembers();
    if (!this.#actsAs(memberId) || !members.some(({ id }) => id === memberId)) return;
    const living = new Set(members.map((member) => member.id));
    if (!this.#assignment.isFor(members)) this.#assignment = new PartitionAssignment(members);
    this.#complete = rows.every((row) => row.owner !== null && living.has(row.owner));
    if (!this.#complete) this.#needsRebalance = true;
    const lost = rows.filter(this.#isLost);
    const names = new Set(lost.map(({ name }) => name));
    if (!this.#leaving) await this.#acquireFree(host, { rows, living, lost: names });
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

  async #acquireFree(host: Host, { rows, living, lost }: RegistryView): Promise<void> {
    const free = rows.filter(
      (row) =>
        (row.owner === null || !living.has(row.owner) || lost.has(row.name)) &&
        this.#assignment.ownerOf(row.name) === this.#memberId,
    );
    const memberId = this.#memberId;
    const claimed = await this.#settings.registry.claim(free, memberId);
    if (!this.#actsAs(memberId) || this.#leaving) return;
    for (const row of claimed) {
      const partition = parsePartition(row.name);
      if (partition && !host.holds(row.name)) host.acquire(partition, row.epoch);
    }
    const takenOver = free.filter((row) => row.owner && !living.has(row.owner)).length;
    if (takenOver > 0) this.#settings.onTakeOver(takenOver);
    if (free.length > 0) this.#needsRebalance = true;
    if (claimed.length > 0) this.#pollAgain = true;
  }

  /** Ours on record and not in our hands: the answer to a claim, or to a release, was lost. */
  #isLost = ({ name, owner }: PartitionRow): boolean =>
    owner === this.#memberId && this.#host?.holds(name) === false;

  /**
   * First the kinds that bring what they have learnt outside to others, last those that are asked
   * by all: until its turn comes each is served here. What a slow network says is heard.
   */
  async #releaseInOrder(
    names: readonly string[],
    unheld: readonly PartitionRow[] = [],
  ): Promise<void> {
    const memberId = this.#memberId;
    const held = names.map((name) => ({ name, epoch: this.#host?.epochOf(name) ?? 0 }));
    for (const kinds of RELEASE_ORDER) {
      const isNow = ({ name }: HeldPartition) => kinds.some((kind) => name.startsWith(`${kind}.`));
      const those = [...held, ...unheld].filter(isNow);
      if (those.length === 0) continue;
      await Promise.all(those.map(({ name }) => this.#host?.release(name)));
      if (!this.#actsAs(memberId)) return;
      await this.#settings.registry.release(those, memberId);
      this.#settings.bus.announceMembers();
    }
  }
}

interface RegistryView {
  readonly rows: readonly PartitionRow[];
  readonly living: ReadonlySet<string>;
  /** Ours on record, and not in our hands. */
  readonly lost: ReadonlySet<string>;
}
