/**
 * Subscriptions of the partitions that this process owns. A shelf that it owns as a whole has one
 * subscription for all of its partitions (D351), so a process has hundreds of them, not thousands.
 *
 * 1. Changes of one tick are applied together: a process acquires its share in one.
 * 2. New subscriptions are made before the old ones end. What arrives by both comes once, for asks
 *    are of one queue group; a nudge that comes twice does nothing more.
 */
import type { Msg, Subscription } from 'nats';
import type { ActorKind } from '../../../shared/vocabulary.ts';
import {
  ownerSubject,
  PARTITIONS_PER_SHELF,
  type Partition,
  shelfOf,
  shelfSubject,
} from '../../../shared/wire/subjects.ts';
import type { Wire } from './connection.ts';

/** One member of the group gets a message: in an overlap of two owners nothing is asked twice. */
const OWNER_GROUP = 'owner';

interface Shelf {
  readonly kind: ActorKind;
  readonly shelf: number;
  readonly owned: Set<number>;
  /** By subject. */
  readonly subscriptions: Map<string, Subscription>;
}

export interface OwnedSubjectsSettings {
  readonly onAsks: (message: Msg) => void;
  readonly onNudge: (partition: Partition, message: Msg) => void;
}

export class OwnedSubjects {
  readonly #connection: Wire;
  readonly #settings: OwnedSubjectsSettings;
  readonly #shelves = new Map<string, Shelf>();
  readonly #changed = new Set<Shelf>();

  constructor(connection: Wire, settings: OwnedSubjectsSettings) {
    this.#connection = connection;
    this.#settings = settings;
  }

  add({ kind, number }: Partition): void {
    const shelf = this.#shelfOf(kind, shelfOf(number));
    shelf.owned.add(number);
    this.#change(shelf);
  }

  remove({ kind, number }: Partition): void {
    const shelf = this.#shelfOf(kind, shelfOf(number));
    shelf.owned.delete(number);
    this.#change(shelf);
  }

  #shelfOf(kind: ActorKind, shelf: number): Shelf {
    const name = `${kind}.${shelf}`;
    const known = this.#shelves.get(name);
    if (known) return known;
    const made: Shelf = { kind, shelf, owned: new Set(), subscriptions: new Map() };
    this.#shelves.set(name, made);
    return made;
  }

  #change(shelf: Shelf): void {
    if (this.#changed.size === 0) queueMicrotask(() => this.#apply());
    this.#changed.add(shelf);
  }

  #apply(): void {
    if (this.#connection.isClosed() || this.#connection.isDraining()) return;
    for (const shelf of this.#changed) this.#subscribe(shelf);
    this.#changed.clear();
  }

  #subscribe({ kind, shelf, owned, subscriptions }: Shelf): void {
    const isWhole = owned.size === PARTITIONS_PER_SHELF;
    const partitions = [...owned].map((number): Partition => ({ kind, number }));
    const of = (to: 'ask' | 'nudge') =>
      isWhole ? [shelfSubject(to, kind, shelf)] : partitions.map((each) => ownerSubject(to, each));
    const [asks, nudges] = [of('ask'), of('nudge')];
    const { onAsks, onNudge } = this.#settings;
    for (const subject of asks.filter((each) => !subscriptions.has(each))) {
      const callback = (error: unknown, message: Msg) => {
        if (!error) onAsks(message);
      };
      const asked = this.#connection.subscribe(subject, { queue: OWNER_GROUP, callback });
      subscriptions.set(subject, asked);
    }
    for (const subject of nudges.filter((each) => !subscriptions.has(each))) {
      const callback = (error: unknown, message: Msg) => {
        // Without permission there is no message.
        if (error) return;
        const slot = Number(message.subject.slice(message.subject.lastIndexOf('.') + 1));
        const number = shelf * PARTITIONS_PER_SHELF + slot;
        onNudge({ kind, number }, message);
      };
      subscriptions.set(subject, this.#connection.subscribe(subject, { callback }));
    }
    const wanted = new Set([...asks, ...nudges]);
    for (const [subject, subscription] of subscriptions) {
      if (wanted.has(subject)) continue;
      subscription.unsubscribe();
      subscriptions.delete(subject);
    }
  }
}
