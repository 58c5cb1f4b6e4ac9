/**
 * The actors processes of an installation: the real membership and the real host of each, whose
 * actors have nothing to do. Only a release takes a while, for turns under way.
 */

import { Host } from '../../../../actors/runtime/host.ts';
import type { Kind } from '../../../../actors/runtime/kind.ts';
import { Membership } from '../../../../actors/runtime/membership.ts';
import { PartitionAssignment } from '../../../../actors/runtime/partition-assignment.ts';
import type { OwnerBus } from '../../../../shared/ports/bus.ts';
import type { Member, PartitionRow } from '../../../../shared/ports/registry.ts';
import { ACTOR_KINDS } from '../../../../shared/vocabulary.ts';
import { SILENT } from '../../../support/engine.ts';
import { Machine } from '../world/machine.ts';
import type { Scheduler } from '../world/scheduler.ts';
import type { SeededRandom } from '../world/seeded-random.ts';
import { SharedRecord } from './record.ts';
import { Service } from './service.ts';
import { Traffic } from './traffic.ts';

/** Turns under way, and due snapshots, of a partition that is released. */
const SETTLE_MS = 20;
const CHECK_MS = 100;
const CHECKS = 5;
const AGREE_MS = 120_000;

export interface FleetParts {
  readonly scheduler: Scheduler;
  readonly random: SeededRandom;
  readonly mongoCores: number;
}

export interface Process {
  readonly id: string;
  readonly rack: number;
  readonly machine: Machine;
  readonly membership: Membership;
}

export class Fleet {
  readonly #parts: FleetParts;
  readonly traffic: Traffic;
  readonly record: SharedRecord;
  readonly service: Service;
  readonly processes = new Map<string, Process>();
  readonly #listeners = new Map<string, (to: readonly string[] | null) => void>();
  /** All compute the same from the same: here it is computed once. */
  readonly #assignments = new WeakMap<object, WeakMap<object, PartitionAssignment>>();
  #started = 0;

  constructor(parts: FleetParts) {
    this.#parts = parts;
    const now = () => parts.scheduler.now;
    this.traffic = new Traffic(now);
    this.service = new Service(now);
    const { scheduler, random, mongoCores: cores } = parts;
    this.record = new SharedRecord({ scheduler, random, cores, traffic: this.traffic });
  }

  get now(): number {
    return this.#parts.scheduler.now;
  }

  /** Lets virtual time pass. */
  pass(ms: number): Promise<void> {
    return this.#parts.scheduler.run(this.now + ms, () => false);
  }

  #nextId(): string {
    return `actors-${String(this.#started++).padStart(6, '0')}`;
  }

  /** A member that has joined and does nothing yet; answers its id. */
  enrol(): string {
    const id = this.#nextId();
    this.record.join({ id, kinds: ACTOR_KINDS, weight: 1 });
    return id;
  }

  start(rack: number, id = this.#nextId()): void {
    const { scheduler } = this.#parts;
    const machine = new Machine(id, scheduler, 0);
    const { clock } = machine;
    const bus = this.#busOf(id, machine);
    const membership = new Membership({
      ...{ bus, clock, registry: this.record.registryOf(machine), log: SILENT },
      ...{ processId: id, pid: 1, kinds: ACTOR_KINDS, weight: 1, onTakeOver: () => undefined },
      assign: (members, rows) => {
        this.traffic.count('placements');
        return this.#assignmentFor(members, rows);
      },
    });
    const settle = () => {
      const ms = this.#parts.random.around(SETTLE_MS);
      return new Promise<void>((resume) => clock.after(ms, resume));
    };
    const host = new Host({
      ...{ bus, clock, log: SILENT, kinds: ACTOR_KINDS.map((kind) => idle(kind, settle)) },
      ...{ leaseHeld: () => membership.leaseHeld(), journalBarrier: () => Promise.resolve() },
      ...{ onTurn: () => undefined, admit: () => Promise.resolve(undefined) },
    });
    this.processes.set(id, { id, rack, machine, membership });
    void membership.start(host);
  }

  /** It releases all that it holds, and ends. */
  async leave({ id, machine, membership }: Process): Promise<void> {
    let isDone = false;
    const left = membership.leave().then(() => {
      isDone = true;
    });
    await this.#parts.scheduler.run(this.now + AGREE_MS, () => isDone);
    if (!isDone) throw new Error(`${id} does not get to its end`);
    await left;
    this.#forget(id, machine);
  }

  /** It does nothing more, and nobody is told. */
  kill({ id, machine }: Process): void {
    this.#forget(id, machine);
  }

  #forget(id: string, machine: Machine): void {
    machine.kill();
    this.processes.delete(id);
    this.#listeners.delete(id);
  }

  /**
   * Lets time pass until every partition is served by whom it is assigned to. That has to last: a
   * process may still act on what it read before.
   */
  async agree(): Promise<void> {
    const until = this.now + AGREE_MS;
    for (let agreed = 0; agreed < CHECKS; agreed = this.#isAgreed() ? agreed + 1 : 0) {
      if (this.now > until) throw new Error('the processes do not agree on owners');
      await this.pass(CHECK_MS);
    }
  }

  #isAgreed(): boolean {
    const members = this.record.members();
    if (this.service.unserved > 0 || members.length !== this.processes.size) return false;
    if (members.some(({ id }) => !this.processes.has(id))) return false;
    const rows = this.record.rows();
    const assignment = this.#assignmentFor(members, rows);
    return rows.every(({ name, owner }) => assignment.ownerOf(name) === owner);
  }

  #assignmentFor(members: readonly Member[], rows: readonly PartitionRow[]): PartitionAssignment {
    const byRows = this.#assignments.get(members) ?? new WeakMap<object, PartitionAssignment>();
    const assignment = byRows.get(rows) ?? new PartitionAssignment(members, rows);
    this.#assignments.set(members, byRows.set(rows, assignment));
    return assignment;
  }

  #busOf(id: string, machine: Machine): OwnerBus {
    const unused = () => Promise.reject(new TypeError('no actor asks here'));
    return {
      ...{ ask: unused, query: unused, nudge: () => undefined, connected: () => true },
      ...{ answerQueries: () => undefined, answerAll: () => undefined },
      askAll: () => () => undefined,
      own: (partition) => {
        let isServed = true;
        const end = () => {
          if (isServed) this.service.end(partition);
          isServed = false;
        };
        this.service.begin(partition);
        machine.onDeath(end);
        return end;
      },
      announceMembers: (to) => {
        this.#announce();
        const heard = to?.filter((each) => this.#listeners.has(each)) ?? this.#listeners.keys();
        for (const each of heard) this.#deliver(each, to ?? null);
      },
      onMembersAnnounced: (onChange) => this.#listeners.set(id, onChange),
      announceOwners: () => this.#announce(),
    };
  }

  /** Every process hears it, whomever it is for. */
  #announce(): void {
    this.traffic.count('announcements');
    this.traffic.count('announcements received', this.#listeners.size);
  }

  #deliver(id: string, to: readonly string[] | null): void {
    const { scheduler, random } = this.#parts;
    scheduler.after(0.2 + random.around(0.5), () => {
      this.processes.get(id)?.machine.reach(() => this.#listeners.get(id)?.(to));
    });
  }
}

function idle(kind: Kind['kind'], settle: () => Promise<void>): Kind {
  const open = () => {
    throw new TypeError('no actor is asked here');
  };
  return { kind, open, settle };
}
