/**
 * Keeps the ledgers near the truth, beside everything else and in every process: what is marked is
 * counted within moments, and a ledger that lists are asked of is checked from time to time: so
 * documents written past the actors are counted too.
 */
import type { Store } from '../../shared/ports.ts';
import { describe } from '../runtime/mailbox.ts';
import { sweepAway } from '../runtime/sweep.ts';
import type { World } from '../world.ts';
import { countAll } from './count.ts';
import { foldStep, type LedgerDocument, ledgerId, readLedger, STEP_MAX, STEPS } from './ledger.ts';
import type { Place, TallyDocument } from './places.ts';
import { Strangers } from './strangers.ts';
import { TALLIED } from './tallied.ts';

const LOOK_EVERY_MS = 5_000;
/** While nothing is found each look comes later: eight questions, and totals are exact anyway. */
const LOOK_AT_REST_MS = 30_000;
/** After one that has found something. */
const LOOK_SOON_MS = 1_000;
/** A pause between two steps leaves the store to those who wait for it. */
const STEP_PAUSE_MS = 20;
/** A check costs a second for each million: the larger, the rarer. */
const CHECK_EVERY_MS = { least: 60_000, most: 3_600_000, perDocument: 0.6 };
const STEPS_KEPT_MS = 3_600_000;
/** Where documents change too fast to be counted, lists count them one by one meanwhile. */
const COUNT_AGAIN_MS = 10_000;

type TallyWorld = Pick<World, 'store' | 'clock' | 'log' | 'alive'>;

interface Wish {
  readonly place: Place;
  readonly orgId: string;
  readonly doubted: boolean;
}

export class TallyKeeper {
  readonly #world: TallyWorld;
  readonly #wishes = new Map<string, Wish>();
  readonly #notBefore = new Map<string, number>();
  readonly #strangers: readonly Strangers[];
  #sweptAt = 0;
  #restMs = LOOK_EVERY_MS;

  constructor(world: TallyWorld) {
    this.#world = world;
    this.#strangers = TALLIED.map((place) => new Strangers(world.store, place));
    this.#lookIn(LOOK_EVERY_MS);
  }

  /** A list was asked for: its ledger is made, or checked when it is time. */
  asked(place: Place, orgId: string): void {
    const key = ledgerId(place, orgId);
    if (!this.#wishes.has(key)) this.#wishes.set(key, { place, orgId, doubted: false });
  }

  /** A total was found wrong: it is counted with the next look. */
  doubted(place: Place, orgId: string): void {
    this.#wishes.set(ledgerId(place, orgId), { place, orgId, doubted: true });
  }

  #lookIn(ms: number): void {
    const { clock, log, alive } = this.#world;
    clock.after(ms, () => {
      if (!alive()) return this.#lookIn(LOOK_EVERY_MS);
      this.#look()
        .catch((cause: unknown) => {
          log.warn({ error: describe(cause) }, 'could not count');
          return false;
        })
        .then((found) => this.#lookIn(this.#pauseMs(found)));
    });
  }

  #pauseMs(found: boolean): number {
    const restMs = this.#restMs;
    this.#restMs = found ? LOOK_EVERY_MS : Math.min(2 * restMs, LOOK_AT_REST_MS);
    return found ? LOOK_SOON_MS : restMs;
  }

  /** Whether there was anything to count. */
  async #look(): Promise<boolean> {
    let found = this.#wishes.size > 0;
    for (const place of TALLIED) if (await this.#fold(place)) found = true;
    for (const strangers of this.#strangers) {
      for (const { orgId } of await strangers.suspects()) this.doubted(strangers.place, orgId);
    }
    const wishes = [...this.#wishes.values()];
    this.#wishes.clear();
    for (const wish of wishes) await this.#check(wish);
    await this.#sweep();
    return found;
  }

  /** One organization after the other, in the order of their ids; whether there was any. */
  async #fold(place: Place): Promise<boolean> {
    const { store, clock, alive } = this.#world;
    let last = '';
    while (alive()) {
      const next = await nextMarked(store, place, last);
      if (next === null) break;
      last = next;
      for (let folded = STEP_MAX; folded === STEP_MAX && alive(); ) {
        const ledger = await readLedger(store, place, next);
        if (!ledger) {
          await this.#count(place, next);
          break;
        }
        folded = await foldStep(store, place, { ledger, now: clock.now() });
        await new Promise<void>((resume) => clock.after(STEP_PAUSE_MS, resume));
      }
    }
    return last !== '';
  }

  async #check({ place, orgId, doubted }: Wish): Promise<void> {
    const { store, clock } = this.#world;
    const ledger = doubted ? null : await readLedger(store, place, orgId);
    if (!ledger || clock.now() - ledger.checkedAt >= checkEveryMs(ledger)) {
      await this.#count(place, orgId);
    }
  }

  async #count(place: Place, orgId: string): Promise<void> {
    const { store, clock, log } = this.#world;
    const key = ledgerId(place, orgId);
    if (clock.now() < (this.#notBefore.get(key) ?? 0)) return;
    const recounted = await countAll(store, place, { orgId, now: clock.now() });
    if (recounted) this.#notBefore.delete(key);
    else this.#notBefore.set(key, clock.now() + COUNT_AGAIN_MS);
    if (!recounted?.corrected) return;
    log.warn({ orgId, collection: place.collection }, 'a total was wrong and has been corrected');
  }

  async #sweep(): Promise<void> {
    const { store, clock } = this.#world;
    const now = clock.now();
    if (now - this.#sweptAt < STEPS_KEPT_MS / 6) return;
    this.#sweptAt = now;
    await sweepAway(store, { collection: STEPS, filter: { at: { $lt: now - STEPS_KEPT_MS } } });
  }
}

async function nextMarked(store: Store, place: Place, after: string): Promise<string | null> {
  const next = await store.findOne<TallyDocument>(
    place.collection,
    { recount: { $gt: after } },
    { sort: { recount: 1 }, project: { recount: 1 } },
  );
  return next?.recount ?? null;
}

function checkEveryMs({ counts }: LedgerDocument): number {
  const { least, most, perDocument } = CHECK_EVERY_MS;
  const documents = counts.reduce((sum, { n }) => sum + n, 0);
  return Math.min(most, Math.max(least, documents * perDocument));
}
