/**
 * The bus between simulated processes, as core NATS behaves: at most once on the way, lost, late
 * or doubled; "no responders" where nobody listens; one of a group gets an ask.
 */

import { ASK_REPEAT_MS } from '../../../shared/limits.ts';
import type {
  Address,
  Answer,
  AskOptions,
  Command,
  IncomingAsk,
  OwnerBus,
} from '../../../shared/ports.ts';
import { AskFailed } from '../../../shared/ports.ts';
import { partitionName, partitionOf } from '../../../shared/subjects.ts';
import type { Machine } from './machine.ts';
import type { Scheduler } from './scheduler.ts';
import type { Weather } from './weather.ts';

const FIRST_REPEAT_MS = 15;

interface Listener<Heard> {
  readonly machine: Machine;
  readonly hear: (heard: Heard) => void;
}

interface Question {
  readonly payload: unknown;
  readonly answer: (answer: Answer | null) => void;
}

type Owner = Parameters<OwnerBus['own']>[1];

function copied<T>(value: T): T {
  return JSON.parse(JSON.stringify(value ?? null)) as T;
}

export class PostOffice {
  readonly #scheduler: Scheduler;
  readonly #weather: Weather;
  readonly asks = new Map<string, Listener<IncomingAsk>[]>();
  readonly nudges = new Map<string, Listener<unknown>[]>();
  readonly queries = new Map<string, Listener<Question>[]>();
  readonly topics = new Map<string, Listener<(said: unknown) => void>[]>();
  readonly members: Listener<void>[] = [];
  /** Machines that reach nobody. */
  readonly cutOff = new Set<Machine>();
  down = false;

  constructor(scheduler: Scheduler, weather: Weather) {
    this.#scheduler = scheduler;
    this.#weather = weather;
  }

  carry(from: Machine, to: Machine, run: () => void): void {
    const { chance } = this.#weather;
    if (from.dead || this.down || this.cutOff.has(from) || this.cutOff.has(to)) return;
    if (from === to) {
      this.#scheduler.after(0.1, () => to.reach(run));
      return;
    }
    if (this.#weather.strikes('envelope-lost', 0.15)) return;
    const times = this.#weather.strikes('envelope-doubled', 0.2) ? 2 : 1;
    for (let time = 0; time < times; time++) {
      const late = this.#weather.strikes('envelope-late', 0.15) ? chance.around(700) : 0;
      this.#scheduler.after(0.2 + chance.around(1) + late, () => {
        if (!this.down && !this.cutOff.has(to)) to.reach(run);
      });
    }
  }

  /** Those of a group that the server believes to listen. */
  static living<Heard>(listeners: Listener<Heard>[] | undefined): Listener<Heard>[] {
    return (listeners ?? []).filter(({ machine }) => !machine.dead);
  }

  pick<Heard>(listeners: Listener<Heard>[] | undefined): Listener<Heard> | null {
    const living = PostOffice.living(listeners);
    return living.length === 0 ? null : this.#weather.chance.pick(living);
  }
}

function listen<Heard>(
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

/** One machine's connection to the post office. */
export function busOf(machine: Machine, office: PostOffice): OwnerBus {
  const owned = new Map<string, Owner>();
  const { clock } = machine;

  /** Asks until somebody answers or the deadline has come. */
  const insist = (
    what: string,
    deadline: number,
    send: (repeat: boolean, settle: (answer: Answer | null) => void) => boolean,
  ): Promise<Answer> => {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    let over = false;
    let backoffMs = FIRST_REPEAT_MS;
    let cancelRepeat: () => void = () => undefined;
    const soon = (): void => {
      cancelRepeat();
      cancelRepeat = clock.after(backoffMs, () => again(true));
      backoffMs = Math.min(backoffMs * 2, ASK_REPEAT_MS);
    };
    const again = (repeat: boolean): void => {
      if (over) return;
      if (clock.now() >= deadline) {
        over = true;
        reject(new AskFailed(what));
        return;
      }
      cancelRepeat();
      cancelRepeat = clock.after(ASK_REPEAT_MS, () => again(true));
      const heard = send(repeat, (answer) => {
        if (over) return;
        if (answer === null) return soon();
        over = true;
        cancelRepeat();
        resolve(answer);
      });
      if (!heard) soon();
    };
    again(false);
    return promise;
  };

  const askOthers = (
    address: Address,
    command: Command,
    options: AskOptions,
    asked: boolean,
  ): Promise<Answer> => {
    const name = partitionName({
      kind: address.kind,
      number: partitionOf(address.kind, address.key),
    });
    const wire = { address, command: copied(command), options: copied(options) };
    return insist(name, options.deadline, (repeat, settle) => {
      const owner = office.pick(office.asks.get(name));
      if (!owner) return false;
      office.carry(machine, owner.machine, () =>
        owner.hear({
          address: wire.address,
          command: copied(wire.command),
          deadline: wire.options.deadline,
          requestId: wire.options.requestId,
          repeat: repeat || asked,
          admission: wire.options.admission,
          answer: (answer) => {
            const said = copied(answer);
            office.carry(owner.machine, machine, () => settle(said));
          },
        }),
      );
      return true;
    });
  };

  return {
    connected: () => !office.down,
    ask(address, command, options) {
      const name = partitionName({
        kind: address.kind,
        number: partitionOf(address.kind, address.key),
      });
      const local = owned.get(name);
      if (!local) return askOthers(address, command, options, false);
      const { promise, resolve, reject } = Promise.withResolvers<Answer>();
      local.ask({
        address,
        command,
        deadline: options.deadline,
        requestId: options.requestId,
        repeat: false,
        admission: options.admission,
        answer: (answer) => {
          if (answer) resolve(answer);
          else askOthers(address, command, options, false).then(resolve, reject);
        },
      });
      return promise;
    },
    query(resource, payload, options) {
      return insist(resource, options.deadline, (_repeat, settle) => {
        const who = office.pick(office.queries.get(resource));
        if (!who) return false;
        office.carry(machine, who.machine, () =>
          who.hear({
            payload: copied(payload),
            answer: (answer) => {
              const said = copied(answer);
              office.carry(who.machine, machine, () => settle(said));
            },
          }),
        );
        return true;
      });
    },
    nudge(address, payload) {
      const name = partitionName({
        kind: address.kind,
        number: partitionOf(address.kind, address.key),
      });
      const local = owned.get(name);
      if (local) return local.nudge(payload);
      for (const each of PostOffice.living(office.nudges.get(name))) {
        office.carry(machine, each.machine, () => each.hear(copied(payload)));
      }
    },
    own(partition, on) {
      const name = partitionName(partition);
      owned.set(name, on);
      const asks = listen(office.asks, name, { machine, hear: (ask) => on.ask(ask) });
      const nudges = listen(office.nudges, name, { machine, hear: (said) => on.nudge(said) });
      return () => {
        owned.delete(name);
        asks();
        nudges();
      };
    },
    answerQueries(resource, answer) {
      listen(office.queries, resource, {
        machine,
        hear: ({ payload, answer: tell }) => {
          void answer(payload).then(tell);
        },
      });
    },
    askAll(topic, onAnswer) {
      let open = true;
      for (const each of PostOffice.living(office.topics.get(topic))) {
        office.carry(machine, each.machine, () =>
          each.hear((said) =>
            office.carry(each.machine, machine, () => {
              if (open) onAnswer(copied(said));
            }),
          ),
        );
      }
      return () => {
        open = false;
      };
    },
    answerAll(topic, answer) {
      listen(office.topics, topic, {
        machine,
        hear: (tell) => {
          answer().then(tell, () => undefined);
        },
      });
    },
    announceMembers() {
      for (const each of office.members) {
        office.carry(machine, each.machine, () => each.hear());
      }
    },
    onMembersAnnounced(look) {
      office.members.push({ machine, hear: look });
    },
  };
}
