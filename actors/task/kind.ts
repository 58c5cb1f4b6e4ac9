/**
 * Tasks as the runtime sees them, and their agenda: due reminders, found again in MongoDB by
 * whoever owns the partition next.
 */

import type { Filter } from '../../shared/ports.ts';
import {
  publishOne,
  type RecordParts,
  unpublishedPublisher,
} from '../outbox/versioned-document.ts';
import type { Kind } from '../runtime/actor.ts';
import type { DuePoller } from '../runtime/due-poller.ts';
import { describe } from '../runtime/mailbox.ts';
import { pagesOf } from '../runtime/pages.ts';
import type { World } from '../world.ts';
import { TaskActor } from './actor.ts';
import { ReminderDesk } from './desk.ts';
import { TASKS, type TaskDocument } from './documents.ts';

const IN_FLIGHT_MAX = 8;
/** A process that ends has 10 s for everything. */
const FLUSH_MS = 3_000;

export function taskKind(parts: RecordParts, duePoller: DuePoller): Kind {
  const agenda = new ReminderAgenda(parts, duePoller);
  const publishUnpublished = unpublishedPublisher(parts, TASKS.collection);
  return {
    kind: 'task',
    open: (key) => new TaskActor(key, parts),
    async acquire(partition) {
      agenda.take(partition);
      await publishUnpublished(partition);
    },
    recoverLate: publishUnpublished,
    recover: (key) => publishOne(parts, TASKS.collection, key),
    flush: (partition) => agenda.flush(partition),
    release: (partition) => agenda.giveUp(partition),
  };
}

class ReminderAgenda {
  readonly #world: World;
  readonly #desk: ReminderDesk;
  readonly #partitions = new Set<number>();
  readonly #inFlight = new Set<Promise<void>>();
  #looking = false;

  constructor(parts: RecordParts, duePoller: DuePoller) {
    this.#world = parts.world;
    this.#desk = new ReminderDesk(parts);
    duePoller.add({
      question: () =>
        this.#partitions.size > 0 ? { collection: TASKS.collection, filter: this.#due() } : null,
      poll: () => void this.#look(),
    });
  }

  take(partition: number): void {
    this.#partitions.add(partition);
  }

  giveUp(partition: number): void {
    this.#partitions.delete(partition);
  }

  /** What is being sent is recorded first, unless a mail server is too slow for that. */
  async flush(partition: number): Promise<void> {
    this.#partitions.delete(partition);
    const patience = Promise.withResolvers<void>();
    const cancel = this.#world.clock.after(FLUSH_MS, patience.resolve);
    await Promise.race([Promise.all(this.#inFlight), patience.promise]);
    cancel();
  }

  #due(): Filter {
    return {
      partition: { $in: [...this.#partitions] },
      remindAt: { $lte: this.#world.clock.now() },
      pending: { $exists: false },
    };
  }

  async #look(): Promise<void> {
    if (this.#looking) return;
    this.#looking = true;
    try {
      await this.#sendDue();
    } catch (cause) {
      this.#world.log.warn({ error: describe(cause) }, 'could not read the reminder agenda');
    }
    this.#looking = false;
  }

  /**
   * Goes on to the end of what is due: a morning's reminders all fall due at nine. One that cannot
   * be sent is passed by, and hides none of those after it.
   */
  async #sendDue(): Promise<void> {
    const { store, leaseHeld } = this.#world;
    const pages = pagesOf<TaskDocument>(store, {
      collection: TASKS.collection,
      filter: () => this.#due(),
      by: { path: 'remindAt', of: ({ remindAt }) => remindAt },
      size: IN_FLIGHT_MAX,
      index: { partition: 1, remindAt: 1, _id: 1 },
    });
    for await (const due of pages) {
      if (!leaseHeld() || this.#partitions.size === 0) return;
      await Promise.all(due.map((task) => this.#send(task)));
    }
  }

  #send(task: TaskDocument): Promise<void> {
    const sending = this.#desk.remind(task);
    this.#inFlight.add(sending);
    return sending.finally(() => this.#inFlight.delete(sending));
  }
}
