/**
 * Recoveries of outboxes that are under way. New events of a conversation wait while events of an
 * earlier owner have to be published first; those of other conversations do not.
 */
import { partitionOf } from '../../shared/wire/subjects.ts';

interface Recovering {
  /** Conversations with events of an earlier owner. */
  readonly held: Promise<ReadonlySet<string>>;
  readonly ended: PromiseWithResolvers<void>;
}

export class OutboxRecovery {
  readonly #find: (partition: number) => Promise<ReadonlySet<string>>;
  /** By partition. */
  readonly #recovering = new Map<number, Recovering>();

  /** @param find the conversations of a partition with events of an earlier owner */
  constructor(find: (partition: number) => Promise<ReadonlySet<string>>) {
    this.#find = find;
  }

  /** Until `end`. A repeat, after a recovery that failed, keeps what is held. */
  begin(partition: number): void {
    if (this.#recovering.has(partition)) return;
    const held = this.#find(partition);
    const recovering = { held, ended: Promise.withResolvers<void>() };
    this.#recovering.set(partition, recovering);
    // The recovery fails with the same store, and is repeated.
    held.catch(() => {
      if (this.#recovering.get(partition) === recovering) this.end(partition);
    });
  }

  end(partition: number): void {
    this.#recovering.get(partition)?.ended.resolve();
    this.#recovering.delete(partition);
  }

  /** Resolves when nothing of an earlier owner has to be published first; null if that is so. */
  ended(conversationId: string): Promise<void> | null {
    if (this.#recovering.size === 0) return null;
    const recovering = this.#recovering.get(partitionOf('conversation', conversationId));
    return recovering ? waited(recovering, conversationId) : null;
  }
}

async function waited({ held, ended }: Recovering, conversationId: string): Promise<void> {
  const ids = await Promise.race([held.catch(() => null), ended.promise]);
  if (ids?.has(conversationId)) await ended.promise;
}
