/**
 * Observer of the send queues of a world's channels: which messages an owner knows to wait, and
 * which it has begun to send. It changes nothing.
 */
import { SENDS_BY_URGENCY } from '../../../../actors/runtime/shelves.ts';
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
  readonly #lookUps: SendQueue['lookUps'][number][] = [];
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
    return { channelId, owners, known: this.#known, turns: this.#turns, lookUps: this.#lookUps };
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

  /** The record as the process asks it: pages of the send agenda, reads and marks of a batch. */
  watched(by: string, store: Store): Store {
    if (!this.#isOn) return store;
    const note = (list: QueueFact[], ids: readonly string[], at?: number): void =>
      this.#note(list, by, ids, at);
    const readAt = new Map<string, number>();
    /** When the batch was read whose messages are not marked yet. */
    let batchAt: number | null = null;
    return {
      ...store,
      find: async <T extends Stored>(
        collection: string,
        filter: Filter,
        options?: FindOptions,
      ): Promise<T[]> => {
        const read = collection === 'entries' ? namedIn(filter) : [];
        note(this.#turns, read);
        for (const id of read) readAt.set(id, this.#now());
        if (read.length > 0) batchAt = this.#now();
        const found = await store.find<T>(collection, filter, options);
        if (options?.index === SENDS_BY_URGENCY) {
          note(
            this.#known,
            found.map(({ _id }) => _id),
          );
        }
        return found;
      },
      findOne: <T extends Stored>(collection: string, filter: Filter, options?: FindOptions) => {
        const { conversationId, seq } = filter;
        if (collection === 'entries' && typeof seq === 'number') {
          const at = batchAt ?? this.#now();
          this.#lookUps.push({ conversationId: String(conversationId), by, at });
        }
        return store.findOne<T>(collection, filter, options);
      },
      commit: (writes, options) => {
        // Of the messages of a batch, those whose nudge brought them along are not read.
        const marked = writes.flatMap(markedIn);
        const since = Math.min(...marked.map((id) => readAt.get(id) ?? this.#now()));
        note(this.#turns, marked, since);
        for (const id of marked) readAt.delete(id);
        if (marked.length > 0) batchAt = null;
        return store.commit(writes, options);
      },
    };
  }

  #note(list: QueueFact[], by: string, ids: readonly string[], at = this.#now()): void {
    for (const messageId of ids) list.push({ messageId, by, at });
  }
}

function namedIn({ _id }: Filter): readonly string[] {
  const { $in } = Object(_id);
  return Array.isArray($in) ? $in : [];
}

function markedIn(write: Write): readonly string[] {
  if ('insert' in write) {
    const { send } = Object(write.document);
    return Object(send).state === 'sending' ? [write.document._id] : [];
  }
  if (!('update' in write)) return [];
  const { $set } = Object(write.change);
  return Object($set)['send.state'] === 'sending' ? [String(write.filter._id)] : [];
}
