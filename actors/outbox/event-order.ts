/**
 * Order of an entity's events. They are published at once, in any order: a failing publication
 * holds up no other. Only streams promise the order of commits, and their owners restore it.
 *
 * 1. Each commit gives its events the entity's next numbers. A number consists of the version or
 *    the epoch that fences the commit, and of a count of the process.
 * 2. An event is published with the ids of earlier ones that are not known to be recorded. Mostly
 *    there are none.
 */
import type { OutboxEvent, OutboxItem } from '../../shared/wire/outbox.ts';
import { sortKey } from '../domain/published-event.ts';

export class EventNumbers {
  #count = 0;

  /** @param fence the version that the commit raises, or the epoch of the entity's owner */
  next(items: readonly OutboxItem[], fence: number): readonly OutboxItem[] {
    return items.map((item) =>
      item.type === 'event' ? { ...item, number: sortKey(fence, ++this.#count) } : item,
    );
  }
}

/** An item of an earlier version comes before all that have a number. */
export function numberOf(item: OutboxItem): string {
  return (item.type === 'event' ? item.number : undefined) ?? '';
}

export function byNumber(a: OutboxItem, b: OutboxItem): number {
  return numberOf(a) < numberOf(b) ? -1 : Number(numberOf(a) > numberOf(b));
}

/** More of one entity wait, in their order: they are named with every later one. */
const UNDER_WAY_MAX = 50;

interface Lane {
  /** Waiting or under way. */
  readonly events: Set<OutboxEvent>;
  readonly waiting: (() => void)[];
}

/** Events that are published, by entity. */
export class EventsUnderWay {
  readonly #lanes = new Map<string, Lane>();

  /**
   * Publishes an event; calls of one entity begin in their order.
   * @param publish gets the earlier events of the entity that are not published yet
   */
  async run<T>(
    entityId: string,
    event: OutboxEvent,
    publish: (earlier: readonly OutboxEvent[]) => Promise<T>,
  ): Promise<T> {
    const lane = this.#lanes.get(entityId) ?? { events: new Set(), waiting: [] };
    this.#lanes.set(entityId, lane);
    const { events, waiting } = lane;
    events.add(event);
    if (events.size > UNDER_WAY_MAX) {
      await new Promise<void>((begin) => waiting.push(begin));
      waiting.shift();
    }
    beginNext(lane);
    try {
      return await publish([...events].filter((each) => numberOf(each) < numberOf(event)));
    } finally {
      events.delete(event);
      beginNext(lane);
      if (events.size === 0) this.#lanes.delete(entityId);
    }
  }
}

/** It leaves the queue when it begins: until then no other one goes ahead. */
function beginNext({ events, waiting }: Lane): void {
  if (events.size - waiting.length < UNDER_WAY_MAX) waiting[0]?.();
}
