/**
 * The record as one process sees it: a shared database behind a link. Calls on the link are slow,
 * fail before or after their execution, come late, or are executed in part.
 */

import type { Registry } from '../../../../shared/ports/registry.ts';
import type { WriteOutcome } from '../../../../shared/ports/store.ts';
import type { Filter, FindOptions, Store, Stored, Write } from '../../../support/plain-store.ts';
import type { Database } from '../memory/database.ts';
import type { SyncRegistry } from '../memory/registry.ts';
import { copied } from '../memory/value.ts';
import type { FaultInjector } from './fault-injector.ts';
import type { Machine } from './machine.ts';
import type { Scheduler } from './scheduler.ts';

const STORE_DEADLINE_MS = 5_000;
const REGISTRY_DEADLINE_MS = 2_000;

export interface DatabaseLinkParts {
  readonly scheduler: Scheduler;
  readonly faults: FaultInjector;
  readonly database: Database;
  /** May kill the machine that calls, at the very moment of its call. */
  readonly atPortCall: (machine: Machine) => void;
  readonly onBegun: (writes: readonly Write[]) => void;
  readonly onApplied: (machine: Machine, write: Write, outcome: WriteOutcome) => void;
}

/** How the way is just now, for everybody. */
export class DatabaseLink {
  readonly parts: DatabaseLinkParts;
  down = false;
  /** Machines without a way to the record: the share of their calls that hangs; others fail. */
  readonly cutOff = new Map<Machine, number>();
  /** Commits that have been asked for and not been answered. */
  readonly #underWay = new Map<Machine, number>();

  constructor(parts: DatabaseLinkParts) {
    this.parts = parts;
  }

  count(machine: Machine, by: number): void {
    this.#underWay.set(machine, this.underWay(machine) + by);
  }

  /** How a call of the machine fails now; null: it does not. */
  failing(machine: Machine): 'refused' | 'hangs' | null {
    if (this.down) return 'refused';
    const hanging = this.cutOff.get(machine);
    if (hanging === undefined) return null;
    return this.parts.faults.random.happens(hanging) ? 'hangs' : 'refused';
  }

  underWay(machine: Machine): number {
    return this.#underWay.get(machine) ?? 0;
  }

  latency(): number {
    const { faults } = this.parts;
    const { random } = faults;
    const slow = faults.injects('store-slow', 0.05) ? random.around(800) : 0;
    return 0.3 + random.around(2) + slow;
  }

  /** One call: executed at some moment, answered at a later one or never. */
  call<T>(
    machine: Machine,
    run: () => T,
    { ms, fails }: { readonly ms: number; readonly fails: boolean },
  ): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const { scheduler } = this.parts;
    if (machine.dead) return promise;
    const late = scheduler.after(ms, () =>
      machine.reach(() => reject(new Error('the store did not answer in time'))),
    );
    scheduler.after(this.latency(), () => {
      const failing = fails ? 'refused' : this.failing(machine);
      if (failing === 'hangs') return;
      if (failing) {
        late();
        machine.reach(() => reject(new Error('the store is away')));
        return;
      }
      const result = run();
      scheduler.after(this.latency(), () => {
        late();
        machine.reach(() => resolve(result));
      });
    });
    return promise;
  }
}

type Fate = 'well' | 'refused' | 'hangs' | 'answer lost' | 'late';

function fateOf(faults: FaultInjector, failing: 'refused' | 'hangs' | null): Fate {
  if (failing) return failing;
  if (faults.injects('store-refuses-before', 0.08)) return 'refused';
  if (faults.injects('store-fails-after', 0.08)) return 'answer lost';
  if (faults.injects('store-late-write', 0.04)) return 'late';
  return 'well';
}

/** One commit on its way. */
class InFlightCommit {
  readonly #machine: Machine;
  readonly #link: DatabaseLink;
  readonly #writes: readonly Write[];
  readonly #outcomes: WriteOutcome[] = [];
  readonly #done = Promise.withResolvers<readonly WriteOutcome[]>();
  #missing: number;

  constructor(machine: Machine, link: DatabaseLink, writes: readonly Write[]) {
    this.#machine = machine;
    this.#link = link;
    this.#writes = copied(writes) as readonly Write[];
    this.#missing = writes.length;
  }

  send(): Promise<readonly WriteOutcome[]> {
    const { faults, atPortCall, onBegun } = this.#link.parts;
    if (this.#machine.dead) return this.#done.promise;
    onBegun(this.#writes);
    this.#link.count(this.#machine, 1);
    const fate = fateOf(faults, this.#link.failing(this.#machine));
    const arrival = this.#link.latency();
    if (fate === 'refused') this.#failIn(arrival, 'the store refused');
    else if (fate !== 'hangs') this.#commit(fate, arrival);
    if (fate === 'late' || fate === 'hangs')
      this.#failIn(STORE_DEADLINE_MS, 'the store did not answer in time');
    atPortCall(this.#machine);
    return this.#done.promise;
  }

  #commit(fate: Fate, arrival: number): void {
    const { scheduler, faults } = this.#link.parts;
    const { random } = faults;
    const torn = this.#writes.length > 1 && faults.injects('store-torn', 0.3);
    // Writes of a dying process that are on its socket may still arrive.
    const survives = random.happens(0.5);
    const extra = fate === 'late' ? random.between(2_000, 8_000) : 0;
    this.#writes.forEach((write, index) => {
      const apart = torn ? random.around(30) : 0;
      scheduler.after(arrival + extra + apart, () => {
        if (!this.#machine.dead || survives) this.#outcomes[index] = this.#apply(write);
        this.#missing -= 1;
        if (this.#missing === 0) this.#carriedOut(fate);
      });
    });
  }

  #apply(write: Write): WriteOutcome {
    const { faults, database, onApplied } = this.#link.parts;
    if (faults.injects('store-conflict', 0.03)) {
      return { ok: false, error: new Error('write conflict') };
    }
    const outcome = database.apply(write);
    onApplied(this.#machine, write, outcome);
    return outcome;
  }

  #carriedOut(fate: Fate): void {
    if (fate === 'late') return;
    const { scheduler } = this.#link.parts;
    if (fate === 'answer lost') return this.#failIn(this.#link.latency(), 'the answer was lost');
    scheduler.after(this.#link.latency(), () => {
      this.#link.count(this.#machine, -1);
      this.#machine.reach(() => this.#done.resolve(this.#outcomes));
    });
  }

  #failIn(ms: number, why: string): void {
    this.#link.parts.scheduler.after(ms, () => {
      this.#link.count(this.#machine, -1);
      this.#machine.reach(() => this.#done.reject(new Error(why)));
    });
  }
}

export function storeOf(machine: Machine, link: DatabaseLink): Store {
  const { faults, database } = link.parts;
  const read = <T>(run: () => T): Promise<T> =>
    link.call(machine, run, {
      ms: STORE_DEADLINE_MS,
      fails: faults.injects('store-read-fails', 0.04),
    });
  return {
    // As the real one: nothing is written at once.
    commit: (writes) =>
      writes.length === 0 ? Promise.resolve([]) : new InFlightCommit(machine, link, writes).send(),
    byId: <T extends Stored>(collection: string, id: string) =>
      read(() => database.byId<T>(collection, id)),
    find: <T extends Stored>(collection: string, filter: Filter, options?: FindOptions) =>
      read(() => database.find<T>(collection, filter, options)),
    findOne: <T extends Stored>(collection: string, filter: Filter, options?: FindOptions) =>
      read(() => database.findOne<T>(collection, filter, options)),
    existsEach: (questions) =>
      read(() =>
        questions.map(({ collection, filter }) => database.findOne(collection, filter) !== null),
      ),
    count: (collection, filter) => read(() => database.count(collection, filter)),
  };
}

export function registryOf(machine: Machine, link: DatabaseLink, registry: SyncRegistry): Registry {
  const call = <T>(run: () => T): Promise<T> =>
    link.call(machine, run, {
      ms: REGISTRY_DEADLINE_MS,
      fails: link.parts.faults.injects('store-read-fails', 0.04),
    });
  return {
    join: (member) => call(() => registry.join(member)),
    renew: (id) => call(() => registry.renew(id)),
    startLeaving: (id) => call(() => registry.startLeaving(id)),
    leave: (id) => call(() => registry.leave(id)),
    liveMembers: () => call(() => registry.liveMembers()),
    partitions: () => call(() => registry.partitions()),
    claim: (rows, id) => call(() => registry.claim(rows, id)),
    release: (names, id) => call(() => registry.release(names, id)),
  };
}
