/** The task kind and its reminder agenda: the partition's owner finds due reminders in MongoDB. */

import type { Filter } from '../../shared/ports/store.ts';
import type { Environment } from '../environment.ts';
import {
  type EntityParts,
  recoverOutbox,
  unpublishedPublisher,
} from '../outbox/versioned-document.ts';
import type { Kind } from '../runtime/actor.ts';
import { describe } from '../runtime/describe-fault.ts';
import type { DuePoller } from '../runtime/due-poller.ts';
import { pagesOf } from '../runtime/pages.ts';
import { TaskActor } from './actor.ts';
import { TASKS, type TaskDocument } from './documents.ts';
import { ReminderSender } from './reminder-sender.ts';

const IN_FLIGHT_MAX = 8;
/** Within the 10 s that a process has for its whole shutdown. */
const DRAIN_MS = 3_000;

export function taskKind(parts: EntityParts, duePoller: DuePoller): Kind {
  const agenda = new ReminderAgenda(parts, duePoller);
  const publishUnpublished = unpublishedPublisher(parts, TASKS.collection);
  return {
    kind: 'task',
    open: (key) => new TaskActor(key, parts),
    async acquire(partition) {
      agenda.acquire(partition);
      await publishUnpublished(partition);
    },
    recoverLate: publishUnpublished,
    recover: (key) => recoverOutbox(parts, TASKS.collection, key),
    flush: (partition) => agenda.drain(partition),
    release: (partition) => agenda.release(partition),
  };
}

class ReminderAgenda {
  readonly #environment: Environment;
  readonly #sender: ReminderSender;
  readonly #partitions = new Set<number>();
  readonly #inFlight = new Set<Promise<void>>();
  #polling = false;

  constructor(parts: EntityParts, duePoller: DuePoller) {
    this.#environment = parts.environment;
    this.#sender = new ReminderSender(parts);
    duePoller.add({
      question: () =>
        this.#partitions.size > 0 ? { collection: TASKS.collection, filter: this.#due() } : null,
      poll: () => void this.#poll(),
    });
  }

  acquire(partition: number): void {
    this.#partitions.add(partition);
  }

  release(partition: number): void {
    this.#partitions.delete(partition);
  }

  /** Waits until reminders in flight are recorded, at most `DRAIN_MS` for a slow mail server. */
  async drain(partition: number): Promise<void> {
    this.#partitions.delete(partition);
    const timeout = Promise.withResolvers<void>();
    const cancel = this.#environment.clock.after(DRAIN_MS, timeout.resolve);
    await Promise.race([Promise.all(this.#inFlight), timeout.promise]);
    cancel();
  }

  #due(): Filter {
    return {
      partition: { $in: [...this.#partitions] },
      remindAt: { $lte: this.#environment.clock.now() },
      pending: { $exists: false },
    };
  }

  async #poll(): Promise<void> {
    if (this.#polling) return;
    this.#polling = true;
    try {
      await this.#sendDue();
    } catch (cause) {
      this.#environment.log.warn({ error: describe(cause) }, 'could not read the reminder agenda');
    }
    this.#polling = false;
  }

  /**
   * Sends all due reminders: a morning's reminders all fall due at nine. A reminder that cannot be
   * sent is skipped and delays none of those after it.
   */
  async #sendDue(): Promise<void> {
    const { store, leaseHeld } = this.#environment;
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
    const sending = this.#sender.remind(task);
    this.#inFlight.add(sending);
    return sending.finally(() => this.#inFlight.delete(sending));
  }
}
