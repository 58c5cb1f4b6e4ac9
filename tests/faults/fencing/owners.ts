/**
 * Two owners of one entity over one record: the real actors. Each reaches the record by a path on
 * which the test can hold a commit back, as a pause or a slow network would (I16).
 */

import type { Environment } from '../../../actors/environment.ts';
import type { Kind } from '../../../actors/runtime/kind.ts';
import { ASK_DEADLINE_MS } from '../../../shared/limits.ts';
import type { Address, Answer, CommandOf } from '../../../shared/ports/bus.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import type { WriteOutcome } from '../../../shared/ports/store.ts';
import { partitionOf } from '../../../shared/wire/subjects.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import type { Store, Write } from '../../support/plain-store.ts';
import { copied } from '../simulation/memory/value.ts';
import { environmentOf, kindOf } from './environment.ts';

/** Whom every phone belongs to here. */
export const CONTACT = 'ctc_1';
/** The flow that every look-up finds here, in a version that the test has written. */
export const FLOW = { flowId: 'flw_1', name: 'Boas-vindas', channelId: null, versionId: 'flw_1.v' };

/** Answers of the owners of other entities. */
function answerOf({ kind, key }: Address, command: CommandOf): Answer {
  if (command.type === 'flow-look-up') {
    return { status: 200, body: JSON.stringify({ ...FLOW, enabled: true }) };
  }
  if (command.type === 'ensure-tags') return { status: 200, body: JSON.stringify(command.tags) };
  const phone = 'phone' in command ? command.phone : '';
  const contact = { id: key, phone, name: null };
  if (kind === 'contact') return { status: 200, body: JSON.stringify(contact) };
  const first = command.type === 'ensure-pipelines' ? [command.first] : {};
  return { status: 200, body: JSON.stringify(first) };
}

export class Owner {
  readonly #kind: Address['kind'];
  readonly #environment: Environment;
  #actors: Kind | null = null;
  #epoch = 1;
  #latch: Promise<void> = Promise.resolve();
  #reached = Promise.withResolvers<void>();
  /** Of other owners. */
  readonly asked: CommandOf[] = [];

  /** @param clock of its own, unless owners are to share one */
  constructor(kind: Address['kind'], store: Store, clock: Clock = new ManualClock()) {
    this.#kind = kind;
    const ask = async (to: Address, command: CommandOf) => {
      this.asked.push(command);
      return answerOf(to, command);
    };
    const commit = (writes: readonly Write[]) => this.#commit(store, writes);
    this.#environment = environmentOf({ store: { ...store, commit }, clock, bus: { ask } });
  }

  /** One turn of the actor, as it is on record now; `repeat`: the command was asked before. */
  async turn(key: string, command: CommandOf, repeat = false): Promise<Answer> {
    const deadline = this.#environment.clock.now() + ASK_DEADLINE_MS;
    const epoch = this.#epoch;
    return this.#kindActors().open(key, epoch, true).turn(command, { deadline, repeat, epoch });
  }

  /** Takes the partition of the entity, whose turns are under this epoch then, and recovers it. */
  async acquire(key: string, epoch: number): Promise<void> {
    this.#epoch = epoch;
    await this.#kindActors().acquire?.(partitionOf(this.#kind, key), epoch);
  }

  #kindActors(): Kind {
    this.#actors ??= kindOf(this.#kind, this.#environment);
    return this.#actors;
  }

  /** The next commit is sent and stays on its way until the answered function is called. */
  holdCommit(): { readonly inFlight: Promise<void>; readonly release: () => void } {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#latch = promise;
    this.#reached = Promise.withResolvers<void>();
    return { inFlight: this.#reached.promise, release: resolve };
  }

  async #commit(store: Store, writes: readonly Write[]): Promise<readonly WriteOutcome[]> {
    // As they are now: a write that is on its way changes no more.
    const sent = copied(writes) as readonly Write[];
    this.#reached.resolve();
    await this.#latch;
    return store.commit(sent);
  }
}
