/** The task kind and its reminder agenda: the partition's owner finds due reminders in MongoDB. */

import { partitionOf } from '../../shared/wire/subjects.ts';
import type { Environment } from '../environment.ts';
import type { TaskDocument } from '../model/task.ts';
import {
  type EntityParts,
  recoverOutbox,
  unpublishedPublisher,
} from '../outbox/versioned-document.ts';
import type { DuePoller } from '../runtime/due-poller.ts';
import { DueWork } from '../runtime/due-work.ts';
import type { Kind } from '../runtime/kind.ts';
import { withoutWorkers } from '../runtime/owned-partitions.ts';
import { pagesOf } from '../runtime/pages.ts';
import { sleep } from '../runtime/repeat.ts';
import { onShelves } from '../runtime/shelves.ts';
import { TaskActor } from './actor.ts';
import { TASKS } from './documents.ts';
import { ReminderSender } from './reminder-sender.ts';

const IN_FLIGHT_MAX = 8;
/** Within the 10 s that a process has for its whole shutdown. */
const DRAIN_MS = 3_000;

export function taskKind(parts: EntityParts, duePoller: DuePoller): Kind {
  const agenda = new ReminderAgenda(parts, duePoller);
  const publishUnpublished = unpublishedPublisher(parts, TASKS);
  return {
    kind: 'task',
    open: (key) => new TaskActor(key, parts),
    async acquire(partition, epoch) {
      agenda.acquire(partition, epoch);
      await publishUnpublished(partition, epoch);
    },
    recoverLate: publishUnpublished,
    recover: (key) => recoverOutbox(parts, TASKS, key),
    flush: (partition) => agenda.drain(partition),
    release: (partition) => agenda.release(partition),
  };
}

class ReminderAgenda {
  readonly #environment: Environment;
  readonly #owned = withoutWorkers();
  readonly #inFlight = new Set<Promise<void>>();

  constructor(parts: EntityParts, duePoller: DuePoller) {
    const { environment } = parts;
    const sender = new ReminderSender(parts);
    this.#environment = environment;
    new DueWork<'tasks', TaskDocument>(environment, duePoller, {
      collection: 'tasks',
      owned: this.#owned,
      due: (numbers) => ({
        ...onShelves(numbers),
        remindAt: { $lte: environment.clock.now() },
        pending: { $exists: false },
      }),
      // A morning's reminders all fall due at nine. One that cannot be sent delays no later one.
      pages: (filter) =>
        pagesOf(environment.store, {
          collection: 'tasks',
          filter,
          by: { path: 'remindAt', of: ({ remindAt }) => remindAt },
          size: IN_FLIGHT_MAX,
          index: { partition: 1, remindAt: 1, _id: 1, place: 1 },
        }),
      partitionOf: ({ _id }) => partitionOf('task', _id),
      work: (task) => this.#track(sender.remind(task)),
      failedMessage: 'could not read the reminder agenda',
    });
  }

  acquire(partition: number, epoch: number): void {
    this.#owned.acquire(partition, epoch);
  }

  release(partition: number): void {
    this.#owned.release(partition);
  }

  /** Waits until reminders in flight are recorded, at most `DRAIN_MS` for a slow mail server. */
  drain(partition: number): Promise<void> {
    this.release(partition);
    return sleep(this.#environment.clock, DRAIN_MS, Promise.all(this.#inFlight));
  }

  #track(sending: Promise<void>): Promise<void> {
    this.#inFlight.add(sending);
    return sending.finally(() => this.#inFlight.delete(sending));
  }
}
