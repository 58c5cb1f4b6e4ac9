/**
 * Clears from documents what has been handed on. Losing a clearing only hands on again, under the
 * same ids; so it waits a moment and clears many documents in one write.
 */
import type { Clock, Log, Store, Write } from '../../shared/ports.ts';
import { describe } from '../runtime/mailbox.ts';

const GATHER_MS = 20;

export class Settler {
  readonly #world: { readonly store: Store; readonly clock: Clock; readonly log: Log };
  #entries: { readonly entryId: string; readonly handedOn: readonly string[] }[] = [];
  #gathering = false;

  constructor(world: { readonly store: Store; readonly clock: Clock; readonly log: Log }) {
    this.#world = world;
  }

  /** The entry's snapshot has landed and these items of its outbox have been handed on. */
  settle(entryId: string, handedOn: readonly string[]): void {
    this.#entries.push({ entryId, handedOn });
    if (this.#gathering) return;
    this.#gathering = true;
    this.#world.clock.after(GATHER_MS, () => void this.#write());
  }

  async #write(): Promise<void> {
    this.#gathering = false;
    const entries = this.#entries;
    this.#entries = [];
    try {
      await this.#world.store.commit([clearing(entries)]);
    } catch (cause) {
      this.#world.log.warn({ error: describe(cause) }, 'could not clear what was handed on');
    }
  }
}

/** An entry stays pending while its outbox holds anything that was added meanwhile. */
function clearing(
  entries: readonly { readonly entryId: string; readonly handedOn: readonly string[] }[],
): Write {
  const handedOn = entries.flatMap((entry) => entry.handedOn);
  const kept = {
    $filter: {
      input: { $ifNull: ['$outbox', []] },
      cond: { $not: { $in: ['$$this.id', handedOn] } },
    },
  };
  const empty = { $eq: ['$outbox', []] };
  return {
    update: 'entries',
    many: true,
    filter: { _id: { $in: entries.map((entry) => entry.entryId) }, pending: { $exists: true } },
    change: [
      { $set: { outbox: kept } },
      {
        $set: {
          pending: { $cond: [empty, '$$REMOVE', '$pending'] },
          outbox: { $cond: [empty, '$$REMOVE', '$outbox'] },
        },
      },
    ],
  };
}
