/**
 * The bus between simulated processes, as core NATS behaves. A message arrives at most once on the
 * way: lost, late or doubled. An ask without a listener gets "no responders"; one of a group gets
 * an ask.
 */

import type { Answer, IncomingAsk, OwnerBus } from '../../../../shared/ports/bus.ts';
import type { FaultInjector } from './fault-injector.ts';
import type { Machine } from './machine.ts';
import type { Scheduler } from './scheduler.ts';

type Partition = Parameters<OwnerBus['own']>[0];

export interface Listener<Heard> {
  readonly machine: Machine;
  readonly receive: (heard: Heard) => void;
}

export interface Question {
  readonly payload: unknown;
  readonly answer: (answer: Answer | null) => void;
}

/** Asked of every process that answers on a topic. */
export interface Topical {
  readonly payload: unknown;
  readonly reply: (said: unknown) => void;
}

function received(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((each) => received(each ?? null));
  if ('toJSON' in value) return JSON.parse(JSON.stringify(value));
  const copy: Record<string, unknown> = {};
  const fields = value as Readonly<Record<string, unknown>>;
  for (const name of Object.keys(fields)) {
    const field = fields[name];
    if (field !== undefined && typeof field !== 'function') copy[name] = received(field);
  }
  return copy;
}

/** As it comes over the wire, where all is JSON. */
export function copied<T>(value: T): T {
  return received(value ?? null) as T;
}

export class SimulatedBus {
  readonly #scheduler: Scheduler;
  readonly #faults: FaultInjector;
  readonly asks = new Map<string, Listener<IncomingAsk>[]>();
  readonly nudges = new Map<string, Listener<unknown>[]>();
  readonly queries = new Map<string, Listener<Question>[]>();
  readonly topics = new Map<string, Listener<Topical>[]>();
  readonly members: Listener<readonly string[] | null>[] = [];
  /** Machines that reach no other machine. */
  readonly cutOff = new Set<Machine>();
  /** Machines that receive from all others, and reach none. */
  readonly muted = new Set<Machine>();
  down = false;
  /** For observers: a machine owns a partition now, and one is nudged as its owner. */
  onOwned: (by: string, partition: Partition) => void = () => undefined;
  onNudged: (by: string, payload: unknown) => void = () => undefined;

  constructor(scheduler: Scheduler, faults: FaultInjector) {
    this.#scheduler = scheduler;
    this.#faults = faults;
  }

  transmit(from: Machine, to: Machine, run: () => void): void {
    const { random } = this.#faults;
    if (from.dead || this.down || this.cutOff.has(from) || this.cutOff.has(to)) return;
    if (from === to) {
      this.#scheduler.after(0.1, () => to.reach(run));
      return;
    }
    if (this.muted.has(from)) return;
    if (this.#faults.injects('envelope-lost', 0.15)) return;
    const times = this.#faults.injects('envelope-doubled', 0.2) ? 2 : 1;
    for (let time = 0; time < times; time++) {
      const late = this.#faults.injects('envelope-late', 0.15) ? random.around(700) : 0;
      this.#scheduler.after(0.2 + random.around(1) + late, () => {
        if (!this.down && !this.cutOff.has(to)) to.reach(run);
      });
    }
  }

  /** Listeners of a group that are alive, as far as the server knows. */
  static living<Heard>(listeners: Listener<Heard>[] | undefined): Listener<Heard>[] {
    return (listeners ?? []).filter(({ machine }) => !machine.dead);
  }

  pick<Heard>(listeners: Listener<Heard>[] | undefined): Listener<Heard> | null {
    const living = SimulatedBus.living(listeners);
    return living.length === 0 ? null : this.#faults.random.pick(living);
  }
}

export function listen<Heard>(
  map: Map<string, Listener<Heard>[]>,
  name: string,
  listener: Listener<Heard>,
): () => void {
  const listeners = map.get(name) ?? [];
  map.set(name, [...listeners, listener]);
  return () => {
    map.set(
      name,
      (map.get(name) ?? []).filter((each) => each !== listener),
    );
  };
}
