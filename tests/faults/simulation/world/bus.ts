/** One machine's connection to the bus; asks are repeated as by `infra/adapters/nats/mux`. */
import { byOwnClock, withClock } from '../../../../infra/adapters/nats/envelope.ts';
import { ASK_REPEAT_MS } from '../../../../shared/limits.ts';
import {
  type Address,
  type Answer,
  AskFailed,
  type AskOptions,
  type Command,
  type CommandOf,
  type OwnerBus,
} from '../../../../shared/ports/bus.ts';
import { partitionName, partitionOf } from '../../../../shared/wire/subjects.ts';
import type { Machine } from './machine.ts';
import { copied, listen, SimulatedBus } from './simulated-bus.ts';

const FIRST_REPEAT_MS = 15;

type Owner = Parameters<OwnerBus['own']>[1];
type Resolve = (answer: Answer | null) => void;

function nameOf({ kind, key }: Address): string {
  return partitionName({ kind, number: partitionOf(kind, key) });
}

/** A deadline as its reader takes it, whose clock may be another. */
function readBy(
  { clock }: Machine,
  { deadline, askedAt }: { readonly deadline: number; readonly askedAt: number },
): number {
  const sent = withClock([{ n: 0, kind: '', key: '', command: null, deadline }], askedAt);
  return byOwnClock(sent, clock.now())[0]?.deadline ?? deadline;
}

interface Asking {
  readonly what: string;
  readonly deadline: number;
  /** False when there is no listener. */
  readonly send: (repeat: boolean, settle: Resolve) => boolean;
  /** Before the first send. */
  readonly mayHaveRun?: boolean;
}

export class MachineBus implements OwnerBus {
  readonly #machine: Machine;
  readonly #bus: SimulatedBus;
  readonly #owned = new Map<string, Owner>();

  constructor(machine: Machine, bus: SimulatedBus) {
    this.#machine = machine;
    this.#bus = bus;
  }

  connected(): boolean {
    return !this.#bus.down;
  }

  ask(address: Address, command: Command, options: AskOptions): Promise<Answer> {
    const local = this.#owned.get(nameOf(address));
    if (!local) return this.#askOthers(address, command, options);
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    local.ask({
      address,
      command: command as CommandOf,
      deadline: options.deadline,
      requestId: options.requestId,
      repeat: options.repeat === true,
      admission: options.admission,
      answer: (answer) => {
        if (answer) resolve(answer);
        else this.#askOthers(address, command, { ...options, repeat: true }).then(resolve, reject);
      },
    });
    return promise;
  }

  query(resource: string, payload: unknown, { deadline }: AskOptions): Promise<Answer> {
    const machine = this.#machine;
    const bus = this.#bus;
    const send = (_repeat: boolean, settle: Resolve): boolean => {
      const who = bus.pick(bus.queries.get(resource));
      if (!who) return false;
      const answer = this.#answering(who.machine, settle);
      bus.transmit(machine, who.machine, () => who.receive({ payload: copied(payload), answer }));
      return true;
    };
    return this.#askUntilAnswered({ what: resource, deadline, send });
  }

  nudge(address: Address, payload: unknown): void {
    const name = nameOf(address);
    const local = this.#owned.get(name);
    if (local) return local.nudge(payload);
    for (const each of SimulatedBus.living(this.#bus.nudges.get(name))) {
      this.#bus.transmit(this.#machine, each.machine, () => each.receive(copied(payload)));
    }
  }

  own(partition: Parameters<OwnerBus['own']>[0], owner: Owner): () => void {
    const name = partitionName(partition);
    const machine = this.#machine;
    const on = this.#observed(owner);
    this.#owned.set(name, on);
    this.#bus.onOwned(machine.name, partition);
    const asks = listen(this.#bus.asks, name, { machine, receive: (ask) => on.ask(ask) });
    const nudges = listen(this.#bus.nudges, name, { machine, receive: (said) => on.nudge(said) });
    return () => {
      this.#owned.delete(name);
      asks();
      nudges();
    };
  }

  #observed(owner: Owner): Owner {
    const { name } = this.#machine;
    return {
      ask: (ask) => owner.ask(ask),
      nudge: (payload) => {
        this.#bus.onNudged(name, payload);
        owner.nudge(payload);
      },
    };
  }

  answerQueries(resource: string, answer: (payload: unknown) => Promise<Answer>): void {
    listen(this.#bus.queries, resource, {
      machine: this.#machine,
      receive: ({ payload, answer: reply }) => void answer(payload).then(reply),
    });
  }

  askAll(topic: string, onAnswer: (answer: unknown) => void, payload?: unknown): () => void {
    let open = true;
    const bus = this.#bus;
    for (const each of SimulatedBus.living(bus.topics.get(topic))) {
      const reply = (said: unknown): void => {
        if (said === undefined) return;
        bus.transmit(each.machine, this.#machine, () => {
          if (open) onAnswer(copied(said));
        });
      };
      bus.transmit(this.#machine, each.machine, () =>
        each.receive({ payload: payload && copied(payload), reply }),
      );
    }
    return () => {
      open = false;
    };
  }

  answerAll(topic: string, answer: (payload: unknown) => Promise<unknown>): void {
    listen(this.#bus.topics, topic, {
      machine: this.#machine,
      receive: ({ payload, reply }) => void answer(payload).then(reply, () => undefined),
    });
  }

  announceMembers(to?: readonly string[]): void {
    for (const each of this.#bus.members) {
      this.#bus.transmit(this.#machine, each.machine, () => each.receive(to ?? null));
    }
  }

  announceOwners(): void {
    // It only saves time.
  }

  onMembersAnnounced(onAnnounced: (to: readonly string[] | null) => void): void {
    this.#bus.members.push({ machine: this.#machine, receive: onAnnounced });
  }

  #askOthers(address: Address, command: Command, options: AskOptions): Promise<Answer> {
    const bus = this.#bus;
    const what = nameOf(address);
    const { deadline, requestId, admission } = copied(options);
    const wire = copied(command) as CommandOf;
    const send = (repeat: boolean, settle: Resolve): boolean => {
      const owner = bus.pick(bus.asks.get(what));
      if (!owner) return false;
      const answer = this.#answering(owner.machine, settle);
      const ask = { address, requestId, repeat, admission, answer };
      const askedAt = this.#machine.clock.now();
      bus.transmit(this.#machine, owner.machine, () =>
        owner.receive({
          ...ask,
          command: copied(wire),
          deadline: readBy(owner.machine, { deadline, askedAt }),
        }),
      );
      return true;
    };
    return this.#askUntilAnswered({ what, deadline, send, mayHaveRun: options.repeat === true });
  }

  #answering(from: Machine, settle: Resolve): Resolve {
    return (answer) => {
      const said = copied(answer);
      this.#bus.transmit(from, this.#machine, () => settle(said));
    };
  }

  /** Asks until an answer or the deadline comes. */
  #askUntilAnswered({ what, deadline, send, mayHaveRun = false }: Asking): Promise<Answer> {
    const { clock } = this.#machine;
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    let over = false;
    let backoffMs = FIRST_REPEAT_MS;
    let cancelRepeat: () => void = () => undefined;
    const againIn = (ms: number): void => {
      cancelRepeat();
      cancelRepeat = clock.after(ms, () => again(true));
    };
    const soon = (): void => {
      againIn(backoffMs);
      backoffMs = Math.min(backoffMs * 2, ASK_REPEAT_MS);
    };
    const settle: Resolve = (answer) => {
      if (over) return;
      if (answer === null) return soon();
      over = true;
      cancelRepeat();
      resolve(answer);
    };
    const again = (repeat: boolean): void => {
      if (over) return;
      if (clock.now() >= deadline) {
        over = true;
        reject(new AskFailed(what));
        return;
      }
      againIn(ASK_REPEAT_MS);
      if (!send(repeat, settle)) soon();
    };
    again(mayHaveRun);
    return promise;
  }
}
