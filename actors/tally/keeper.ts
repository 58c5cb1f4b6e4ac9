/**
 * Keeps the ledgers near the truth, beside everything else: what is marked is counted within
 * moments, and a ledger that lists are asked of is checked from time to time: so documents written
 * past the actors are counted too.
 *
 * 1. One process counts for an organization, whoever owns it. Two in a hand-over do no harm: a
 *    ledger changes by compare-and-set.
 * 2. What nobody has counted yet makes no total wrong (`totals.ts`).
 */
import type { Store } from '../../shared/ports.ts';
import { partitionOf } from '../../shared/subjects.ts';
import { type DuePoller, POLL_EVERY_MS } from '../runtime/due-poller.ts';
import { describe } from '../runtime/mailbox.ts';
import { runPeriodically } from '../runtime/periodic.ts';
import { sweepAway } from '../runtime/sweep.ts';
import type { World } from '../world.ts';
import { countAll } from './count.ts';
import { foldStep, type LedgerDocument, ledgerId, readLedger, STEP_MAX, STEPS } from './ledger.ts';
import type { Place, TallyDocument } from './places.ts';
import { Strangers } from './strangers.ts';
import { TALLIED } from './tallied.ts';
import { type TallyWish, TallyWishes } from './wishes.ts';

/** Between two looks while there is something to count. */
const LOOK_SOON_MS = 1_000;
/** What the collections hold is four questions more. */
const STRANGERS_EVERY_MS = 20_000;
/** Whoever holds it looks after what belongs to no organization. */
const FIRST_PARTITION = 0;
/** A pause between two steps leaves the store to those who wait for it. */
const STEP_PAUSE_MS = 20;
/** A check costs a second for each million: the larger, the rarer. */
const CHECK_EVERY_MS = { least: 60_000, most: 3_600_000, perDocument: 0.6 };
const STEPS_KEPT_MS = 3_600_000;
/** Where documents change too fast to be counted, lists count them one by one meanwhile. */
const COUNT_AGAIN_MS = 10_000;

type TallyWorld = Pick<World, 'store' | 'clock' | 'log' | 'leaseHeld' | 'bus'>;

export class TallyKeeper {
  readonly #world: TallyWorld;
  /** Of organizations. */
  readonly #partitions = new Set<number>();
  readonly #wishes = new Map<string, TallyWish>();
  readonly #notBefore = new Map<string, number>();
  #strangers: readonly Strangers[] = [];
  #looking = false;
  #sweptAt = 0;

  constructor(world: TallyWorld, duePoller: Pick<DuePoller, 'add'>) {
    this.#world = world;
    const filter = { recount: { $gt: '' } };
    for (const { collection } of TALLIED) {
      duePoller.add({
        question: () => (this.#partitions.size > 0 ? { collection, filter } : null),
        poll: () => void this.#look(),
      });
    }
    runPeriodically(world, {
      firstMs: POLL_EVERY_MS,
      everyMs: () => STRANGERS_EVERY_MS,
      failed: 'comparison of the totals failed',
      run: async () => {
        if (world.leaseHeld() && !this.#looking) await this.#lookForStrangers();
      },
    });
  }

  take(partition: number): void {
    this.#partitions.add(partition);
    if (partition !== FIRST_PARTITION) return;
    this.#strangers = TALLIED.map((place) => new Strangers(this.#world.store, place));
  }

  giveUp(partition: number): void {
    this.#partitions.delete(partition);
    if (partition === FIRST_PARTITION) this.#strangers = [];
  }

  wish(wish: TallyWish): void {
    const key = `${wish.collection}:${wish.orgId}`;
    if (!wish.doubted && this.#wishes.has(key)) return;
    this.#wishes.set(key, wish);
    void this.#look();
  }

  /** Goes on as long as there is something to count. */
  async #look(): Promise<void> {
    if (this.#looking) return;
    this.#looking = true;
    const { clock, log, leaseHeld } = this.#world;
    try {
      while (leaseHeld() && ((await this.#countOnce()) || this.#wishes.size > 0)) {
        await new Promise<void>((resume) => clock.after(LOOK_SOON_MS, resume));
      }
      // What there is now that all is counted is what a stranger's write will differ from.
      await this.#lookForStrangers();
    } catch (cause) {
      log.warn({ error: describe(cause) }, 'could not count');
    } finally {
      this.#looking = false;
    }
  }

  /** Whether there was anything marked to count. */
  async #countOnce(): Promise<boolean> {
    const wishes = [...this.#wishes.values()];
    this.#wishes.clear();
    for (const wish of wishes) await this.#check(wish);
    let found = false;
    for (const place of TALLIED) if (await this.#fold(place)) found = true;
    return found;
  }

  async #lookForStrangers(): Promise<void> {
    const wishes = new TallyWishes(this.#world);
    for (const strangers of this.#strangers) {
      for (const { orgId } of await strangers.suspects()) wishes.doubted(strangers.place, orgId);
    }
    if (this.#strangers.length > 0) await this.#sweep();
  }

  #keeps(orgId: string): boolean {
    return this.#partitions.has(partitionOf('organization', orgId));
  }

  /** One organization after the other, in the order of their ids; whether there was any of ours. */
  async #fold(place: Place): Promise<boolean> {
    const { store, clock, leaseHeld } = this.#world;
    let last = '';
    let found = false;
    while (leaseHeld()) {
      const next = await nextMarked(store, place, last);
      if (next === null) break;
      last = next;
      if (!this.#keeps(next)) continue;
      found = true;
      for (let folded = STEP_MAX; folded === STEP_MAX && leaseHeld(); ) {
        const ledger = await readLedger(store, place, next);
        if (!ledger) {
          await this.#count(place, next);
          break;
        }
        folded = await foldStep(store, place, { ledger, now: clock.now() });
        await new Promise<void>((resume) => clock.after(STEP_PAUSE_MS, resume));
      }
    }
    return found;
  }

  async #check({ collection, orgId, doubted }: TallyWish): Promise<void> {
    const { store, clock } = this.#world;
    const place = TALLIED.find((each) => each.collection === collection);
    if (!place || !this.#keeps(orgId)) return;
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
