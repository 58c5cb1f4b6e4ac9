/**
 * Keeps the ledgers near the truth, beside everything else and in every process: what is marked is
 * counted within moments, and a ledger that lists are asked of is checked from time to time: so
 * documents written past the actors are counted too.
 */
import type { Store } from '../../shared/ports.ts';
import { describe } from '../runtime/mailbox.ts';
import type { World } from '../world.ts';
import { countAll } from './count.ts';
import { foldStep, type LedgerDocument, readLedger, STEP_MAX, STEPS } from './ledger.ts';
import type { Place, TallyDocument } from './places.ts';
import { TALLIED } from './tallied.ts';

const LOOK_EVERY_MS = 2_000;
/** A pause between two steps leaves the store to those who wait for it. */
const STEP_PAUSE_MS = 20;
/** A check costs a second for each million: the larger, the rarer. */
const CHECK_EVERY_MS = { least: 60_000, most: 3_600_000, perDocument: 0.6 };
const STEPS_KEPT_MS = 3_600_000;

type TallyWorld = Pick<World, 'store' | 'clock' | 'log' | 'alive'>;

interface Wish {
  readonly place: Place;
  readonly orgId: string;
  readonly doubted: boolean;
}

export class TallyKeeper {
  readonly #world: TallyWorld;
  readonly #wishes = new Map<string, Wish>();
  #sweptAt = 0;

  constructor(world: TallyWorld) {
    this.#world = world;
    this.#schedule();
  }

  /** A list was asked for: its ledger is made, or checked when it is time. */
  asked(place: Place, orgId: string): void {
    const key = `${place.collection}:${orgId}`;
    if (!this.#wishes.has(key)) this.#wishes.set(key, { place, orgId, doubted: false });
  }

  /** A total was found wrong: it is counted with the next look. */
  doubted(place: Place, orgId: string): void {
    this.#wishes.set(`${place.collection}:${orgId}`, { place, orgId, doubted: true });
  }

  #schedule(): void {
    const { clock, log, alive } = this.#world;
    clock.after(LOOK_EVERY_MS, () => {
      if (!alive()) return this.#schedule();
      this.#look()
        .catch((cause: unknown) => log.warn({ error: describe(cause) }, 'could not count'))
        .finally(() => this.#schedule());
    });
  }

  async #look(): Promise<void> {
    for (const place of TALLIED) await this.#fold(place);
    const wishes = [...this.#wishes.values()];
    this.#wishes.clear();
    for (const wish of wishes) await this.#check(wish);
    await this.#sweep();
  }

  /** One organization after the other, in the order of their ids. */
  async #fold(place: Place): Promise<void> {
    const { store, clock, alive } = this.#world;
    for (let last = ''; alive(); ) {
      const next = await nextMarked(store, place, last);
      if (next === null) return;
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
    const recounted = await countAll(store, place, { orgId, now: clock.now() });
    if (!recounted?.corrected) return;
    log.warn({ orgId, collection: place.collection }, 'a total was wrong and has been corrected');
  }

  async #sweep(): Promise<void> {
    const { store, clock } = this.#world;
    const now = clock.now();
    if (now - this.#sweptAt < STEPS_KEPT_MS / 6) return;
    this.#sweptAt = now;
    await store.commit([{ remove: STEPS, filter: { at: { $lt: now - STEPS_KEPT_MS } } }]);
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
