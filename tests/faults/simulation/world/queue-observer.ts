/**
 * Observer of the send queues of a world's channels: which messages an owner knows to wait, and
 * which it has begun to send. It changes nothing.
 */
import { SENDS_BY_URGENCY } from '../../../../actors/runtime/shelves.ts';
import { isLogEvent, LOG_EVENT } from '../../../../shared/log-events.ts';
import { partitionOf } from '../../../../shared/wire/subjects.ts';
import type { Filter, FindOptions, Store, Stored, Write } from '../../../support/plain-store.ts';
import type { QueueFact, SendQueue } from '../../checkers/history.ts';
import type { Database } from '../memory/database.ts';

interface Owner {
  readonly by: string;
  readonly number: number;
  readonly at: number;
}

export class QueueObserver {
  readonly #now: () => number;
  readonly #isOn: boolean;
  readonly #known: QueueFact[] = [];
  readonly #turns: QueueFact[] = [];
  readonly #owners: Owner[] = [];
  /** When messages left the send agenda. */
  readonly endedAt = new Map<string, number>();

  /** @param isOn false in worlds whose queues never wait, which need not pay for it */
  constructor(now: () => number, isOn: boolean) {
    this.#now = now;
    this.#isOn = isOn;
  }

  queueOf(channelId: string): SendQueue {
    const number = partitionOf('channel', channelId);
    const owners = this.#owners.filter((owner) => owner.number === number);
    return { channelId, owners, known: this.#known, turns: this.#turns };
  }

  owned(by: string, { kind, number }: { readonly kind: string; readonly number: number }): void {
    if (this.#isOn && kind === 'channel') this.#owners.push({ by, number, at: this.#now() });
  }

  /** A nudge has come to the owner of a partition. */
  nudged(by: string, payload: unknown): void {
    const { entryId, settled } = Object(payload);
    if (this.#isOn && typeof entryId === 'string' && settled === false) {
      this.#note(this.#known, by, [entryId]);
    }
  }

  tookEffect(write: Write, database: Database): void {
    if (!this.#isOn || !('update' in write) || write.update !== 'entries') return;
    const id = String(write.filter._id);
    const entry = database.byId('entries', id);
    if (entry && !('send' in entry) && !this.endedAt.has(id)) this.endedAt.set(id, this.#now());
  }

  /** A process has logged a line. What its queues read and write comes later than a turn. */
  logged(by: string, { messageIds }: Readonly<Record<string, unknown>>, message: string): void {
    if (!this.#isOn || !isLogEvent(message, LOG_EVENT.sendTurn)) return;
    this.#note(this.#turns, by, Array.isArray(messageIds) ? messageIds : []);
  }

  /** The record as the process asks it: pages of the send agenda. */
  watched(by: string, store: Store): Store {
    if (!this.#isOn) return store;
    return {
      ...store,
      find: async <T extends Stored>(
        collection: string,
        filter: Filter,
        options?: FindOptions,
      ): Promise<T[]> => {
        const found = await store.find<T>(collection, filter, options);
        if (isOfQueues(options)) {
          this.#note(
            this.#known,
            by,
            found.map(({ _id }) => _id),
          );
        }
        return found;
      },
    };
  }

  #note(list: QueueFact[], by: string, ids: readonly string[]): void {
    for (const messageId of ids) list.push({ messageId, by, at: this.#now() });
  }
}

/** Others walk the agenda too; whose queue a message joins is of interest to the queues alone. */
function isOfQueues({ index, project = {} }: FindOptions = {}): boolean {
  return index === SENDS_BY_URGENCY && 'send.channelId' in project;
}
