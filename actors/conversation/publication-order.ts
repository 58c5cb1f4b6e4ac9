/**
 * Order of the events of one conversation that its owner commits and publishes. It chooses which of
 * the unpublished events in the store go ahead of one of them. They are events that the owner does
 * not know, and events that it has tried to commit before. An event whose publication was queued
 * before is left out: it goes ahead anyway.
 */
import type { OutboxEvent, OutboxItem } from '../../shared/wire/outbox.ts';
import type { EntryDocument } from './api.ts';

/** An unpublished event in the store. */
export interface FoundEvent {
  readonly event: OutboxEvent;
  /** Of its entry; null for an event that the entry got later. */
  readonly seq: number | null;
}

interface Known {
  /** Place in the order of this owner's commits; before them for a commit of another owner. */
  readonly committed: number;
  /** Place in the order of publications; behind them while none is queued. */
  readonly queued: number;
}

const OF_ANOTHER: Known = { committed: 0, queued: Number.POSITIVE_INFINITY };

export class PublicationOrder {
  readonly #known = new Map<string, Known>();
  #committed = 0;
  #queued = 0;
  #publishing = 0;

  /** Something is being published that may have to look. */
  get isUsed(): boolean {
    return this.#publishing > 0;
  }

  willCommit(outbox: readonly OutboxItem[]): void {
    this.#committed += 1;
    for (const { id } of outbox) {
      const known = this.#known.get(id) ?? OF_ANOTHER;
      this.#known.set(id, { ...known, committed: this.#committed });
    }
  }

  /** Publications are queued in the order of these calls. */
  publishes(outbox: readonly OutboxItem[]): void {
    this.#queued += 1;
    this.#queueAt(this.#queued, outbox);
  }

  /**
   * As `publishes`, until `ended`: chooses of what is found what goes ahead of the outbox.
   * @param seq of the entry that was appended with it; null where the entry was there before
   */
  publishing(
    outbox: readonly OutboxItem[],
    seq: number | null,
  ): (found: readonly FoundEvent[]) => readonly OutboxEvent[] {
    this.publishes(outbox);
    this.#publishing += 1;
    const queued = this.#queued;
    const committed = this.#committed;
    return (found) => {
      const isEarlier = ({ event: { id }, seq: foundSeq }: FoundEvent): boolean => {
        const known = this.#known.get(id) ?? OF_ANOTHER;
        if (known.queued <= queued) return false;
        if (seq !== null && foundSeq !== null) return foundSeq < seq;
        return known.committed <= committed;
      };
      const earlier = found.filter(isEarlier).map(({ event }) => event);
      // They are published in this publication's place.
      this.#queueAt(queued, earlier);
      return earlier;
    };
  }

  ended(): void {
    this.#publishing -= 1;
  }

  #queueAt(queued: number, items: readonly OutboxItem[]): void {
    for (const { id } of items) {
      const known = this.#known.get(id) ?? OF_ANOTHER;
      this.#known.set(id, { ...known, queued: Math.min(known.queued, queued) });
    }
  }
}

/** An entry may get events long after it was appended, for receipts: each event has its time. */
export function commitTime({ after }: Pick<EntryDocument, 'after'>, item: OutboxItem): number {
  return (item.type === 'event' ? item.at : undefined) ?? after.at;
}
