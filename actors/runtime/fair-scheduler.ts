/**
 * Fair scheduler of work that waits: organizations alternate, one piece of work at a time. Each is
 * one waiter of a fair semaphore, whose rules hold (`concurrency.ts`).
 *
 * An organization that cools down after a turn still uses its own cap, but not the process's.
 */
import { type Caps, FairSemaphore, type IsContended, type Waiter } from './concurrency.ts';

export interface StartedWork {
  /** Neither promise ever rejects. */
  readonly ended: Promise<void>;
  /** When the organization may have another turn in place of this one; `ended` where absent. */
  readonly cooledDown?: Promise<void>;
}

interface OrganizationQueue<Key> extends Waiter {
  readonly keys: Set<Key>;
}

export class FairScheduler<Key = string> {
  readonly #semaphore: FairSemaphore;
  readonly #start: (key: Key) => StartedWork | null;
  readonly #queues = new Map<string, OrganizationQueue<Key>>();

  /** `start` returns null when there is nothing to start after all. */
  constructor(limits: Caps, start: (key: Key) => StartedWork | null, isContended?: IsContended) {
    this.#semaphore = new FairSemaphore(limits, undefined, isContended);
    this.#start = start;
  }

  /** Starts the key now, or when its organization's turn comes; once, however often enqueued. */
  enqueue(orgId: string, key: Key): void {
    const queue = this.#queues.get(orgId) ?? this.#newQueue(orgId);
    queue.keys.add(key);
    this.#queues.set(orgId, queue);
    this.#semaphore.offer(queue);
  }

  cancel(orgId: string, key: Key): void {
    const queue = this.#queues.get(orgId);
    queue?.keys.delete(key);
    if (queue?.canStart === false) this.#drop(queue);
  }

  #newQueue(orgId: string): OrganizationQueue<Key> {
    const keys = new Set<Key>();
    const start = (): boolean => {
      for (const key of keys) {
        keys.delete(key);
        if (keys.size === 0) this.#drop(queue);
        const started = this.#start(key);
        void started?.ended.then(() => this.#semaphore.release(orgId, started.cooledDown));
        if (started) return true;
      }
      return false;
    };
    const queue = {
      orgId,
      keys,
      start,
      get canStart() {
        return keys.size > 0;
      },
    };
    return queue;
  }

  #drop(queue: OrganizationQueue<Key>): void {
    this.#queues.delete(queue.orgId);
    this.#semaphore.withdraw(queue);
  }
}
