/**
 * What lists wish of the ledgers. Any process answers lists, one keeps an organization's ledgers:
 * its owner is told.
 */
import type { Bus, Clock } from '../../shared/ports.ts';
import { ledgerId } from './ledger.ts';
import type { Place } from './places.ts';

export interface TallyWish {
  readonly collection: string;
  readonly orgId: string;
  /** A total was found wrong: it is to be counted, however lately it was. */
  readonly doubted: boolean;
}

/** A wish may be lost: the next list but a few has it again. */
const TOLD_FOR_MS = 5_000;
const TOLD_MAX = 1_000;

export interface WishWorld {
  readonly bus: Pick<Bus, 'nudge'>;
  readonly clock: Pick<Clock, 'monotonic'>;
}

export class TallyWishes {
  readonly #world: WishWorld;
  readonly #toldAt = new Map<string, number>();

  constructor(world: WishWorld) {
    this.#world = world;
  }

  /** A list was asked for: its ledger is to be made, or checked when it is time. */
  asked(place: Place, orgId: string): void {
    const key = ledgerId(place, orgId);
    const now = this.#world.clock.monotonic();
    if (now - (this.#toldAt.get(key) ?? Number.NEGATIVE_INFINITY) < TOLD_FOR_MS) return;
    if (this.#toldAt.size >= TOLD_MAX) this.#toldAt.clear();
    this.#toldAt.set(key, now);
    this.#tell({ collection: place.collection, orgId, doubted: false });
  }

  /** A total was found wrong. */
  doubted({ collection }: Place, orgId: string): void {
    this.#tell({ collection, orgId, doubted: true });
  }

  #tell(wish: TallyWish): void {
    this.#world.bus.nudge({ kind: 'organization', key: wish.orgId }, wish);
  }
}

/** It may come from a process of another version. */
export function isTallyWish(payload: unknown): payload is TallyWish {
  if (typeof payload !== 'object' || payload === null) return false;
  const { collection, orgId, doubted }: { [name in keyof TallyWish]?: unknown } = payload;
  return (
    typeof collection === 'string' && typeof orgId === 'string' && typeof doubted === 'boolean'
  );
}
