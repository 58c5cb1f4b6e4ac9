/** One machine's connection to the post office: asks are repeated as by `infra/nats/mux`. */
import { ASK_REPEAT_MS } from '../../../shared/limits.ts';
import {
  type Address,
  type Answer,
  AskFailed,
  type AskOptions,
  type Command,
  type OwnerBus,
} from '../../../shared/ports.ts';
import { partitionName, partitionOf } from '../../../shared/subjects.ts';
import type { Machine } from './machine.ts';
import { copied, listen, PostOffice } from './post-office.ts';

const FIRST_REPEAT_MS = 15;

type Owner = Parameters<OwnerBus['own']>[1];
type Settle = (answer: Answer | null) => void;

function nameOf({ kind, key }: Address): string {
  return partitionName({ kind, number: partitionOf(kind, key) });
}

interface Asking {
  readonly what: string;
  readonly deadline: number;
  /** False when nobody listens. */
  readonly send: (repeat: boolean, settle: Settle) => boolean;
}

export class MachineBus implements OwnerBus {
  readonly #machine: Machine;
  readonly #office: PostOffice;
  readonly #owned = new Map<string, Owner>();

  constructor(machine: Machine, office: PostOffice) {
    this.#machine = machine;
    this.#office = office;
  }

  connected(): boolean {
    return !this.#office.down;
  }

  ask(address: Address, command: Command, options: AskOptions): Promise<Answer> {
    const local = this.#owned.get(nameOf(address));
    if (!local) return this.#askOthers(address, command, options);
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
        else this.#askOthers(address, command, options).then(resolve, reject);
      },
    });
    return promise;
  }

  query(resource: string, payload: unknown, { deadline }: AskOptions): Promise<Answer> {
    const machine = this.#machine;
    const office = this.#office;
    const send = (_repeat: boolean, settle: Settle): boolean => {
      const who = office.pick(office.queries.get(resource));
      if (!who) return false;
      const answer = this.#answering(who.machine, settle);
      office.carry(machine, who.machine, () => who.hear({ payload: copied(payload), answer }));
      return true;
    };
    return this.#insist({ what: resource, deadline, send });
  }

  nudge(address: Address, payload: unknown): void {
    const name = nameOf(address);
    const local = this.#owned.get(name);
    if (local) return local.nudge(payload);
    for (const each of PostOffice.living(this.#office.nudges.get(name))) {
      this.#office.carry(this.#machine, each.machine, () => each.hear(copied(payload)));
    }
  }

  own(partition: Parameters<OwnerBus['own']>[0], on: Owner): () => void {
    const name = partitionName(partition);
    const machine = this.#machine;
    this.#owned.set(name, on);
    const asks = listen(this.#office.asks, name, { machine, hear: (ask) => on.ask(ask) });
    const nudges = listen(this.#office.nudges, name, { machine, hear: (said) => on.nudge(said) });
    return () => {
      this.#owned.delete(name);
      asks();
      nudges();
    };
  }

  answerQueries(resource: string, answer: (payload: unknown) => Promise<Answer>): void {
    listen(this.#office.queries, resource, {
      machine: this.#machine,
      hear: ({ payload, answer: tell }) => void answer(payload).then(tell),
    });
  }

  askAll(topic: string, onAnswer: (answer: unknown) => void): () => void {
    let open = true;
    const office = this.#office;
    for (const each of PostOffice.living(office.topics.get(topic))) {
      const tell = (said: unknown): void =>
        office.carry(each.machine, this.#machine, () => {
          if (open) onAnswer(copied(said));
        });
      office.carry(this.#machine, each.machine, () => each.hear(tell));
    }
    return () => {
      open = false;
    };
  }

  answerAll(topic: string, answer: () => Promise<unknown>): void {
    listen(this.#office.topics, topic, {
      machine: this.#machine,
      hear: (tell) => void answer().then(tell, () => undefined),
    });
  }

  announceMembers(): void {
    for (const each of this.#office.members) {
      this.#office.carry(this.#machine, each.machine, () => each.hear());
    }
  }

  onMembersAnnounced(look: () => void): void {
    this.#office.members.push({ machine: this.#machine, hear: look });
  }

  #askOthers(address: Address, command: Command, options: AskOptions): Promise<Answer> {
    const office = this.#office;
    const what = nameOf(address);
    const { deadline, requestId, admission } = copied(options);
    const wire = copied(command);
    const send = (repeat: boolean, settle: Settle): boolean => {
      const owner = office.pick(office.asks.get(what));
      if (!owner) return false;
      const answer = this.#answering(owner.machine, settle);
      const ask = { address, deadline, requestId, repeat, admission, answer };
      office.carry(this.#machine, owner.machine, () =>
        owner.hear({ ...ask, command: copied(wire) }),
      );
      return true;
    };
    return this.#insist({ what, deadline, send });
  }

  #answering(from: Machine, settle: Settle): Settle {
    return (answer) => {
      const said = copied(answer);
      this.#office.carry(from, this.#machine, () => settle(said));
    };
  }

  /** Asks until somebody answers or the deadline has come. */
  #insist({ what, deadline, send }: Asking): Promise<Answer> {
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
    const settle: Settle = (answer) => {
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
    again(false);
    return promise;
  }
}
