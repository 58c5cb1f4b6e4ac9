/**
 * Worlds of slow time: one in ten lasts five virtual minutes of bursts with pauses between them.
 * State that a process forgets after 20, 30 or 60 s without use is forgotten and restored here. A
 * world has its own schedules: two outages of one subscriber with a silence between them, or
 * processes that lose the store, or both. The store is away for about as long as a lease.
 */
import type { SeededRandom } from './seeded-random.ts';

const EVERY = 10;
export const SLOW_WORK_MS = 300_000;
const BURST_MS = { least: 4_000, most: 8_000 };
const LIST_EVERY_MS = [500, 3_000, null, null] as const;
const PAUSE_MS = { least: 15_000, most: 90_000 };
/**
 * A breaker's first probe, the end of its outage on record, the delivery worker's idle time, and
 * slack.
 */
const FORGOTTEN_AFTER_MS = 112_000;

/** `reads` changes nothing; `records` makes no message; `all` is everything. */
const THEMES = ['all', 'talks', 'records', 'reads'] as const;
export type Theme = (typeof THEMES)[number];
const MESSAGING = ['all', 'all', 'talks', 'talks', 'talks', 'records'] as const;

export interface Burst extends Period {
  readonly theme: Theme;
  /** The mean time between two lists of conversations; null: none are read. */
  readonly listEveryMs: number | null;
}

interface Period {
  readonly from: number;
  readonly until: number;
}

/** One subscriber does not answer. */
export interface SubscriberOutage {
  readonly subscriber: 'all' | 'messages';
  readonly from: number;
  readonly until: number;
  /** The process that posted to it last is killed at this moment; null: it lives. */
  readonly ownerKilledAt: number | null;
}

/** One process has no way to the store. */
export interface LostStore {
  /** Null: the process that appends to a log next, so long after it. */
  readonly place: number | null;
  readonly afterMs: number;
  readonly from: number;
  readonly forMs: number;
  /** Of its calls; the others are refused at once. */
  readonly shareHanging: number;
  /** Its peers do not hear that it has joined anew. */
  readonly muted: Period | null;
  /** When conversations are listed. */
  readonly readsAt: readonly number[];
}

export interface SlowPlan {
  readonly bursts: readonly Burst[];
  readonly outages: readonly SubscriberOutage[];
  readonly lostStores: readonly LostStore[];
  /** Processes have no other faults meanwhile. */
  readonly calm: Period | null;
}

/** The digit before the last, so that slow worlds have every last digit. */
export function isSlow(seed: number): boolean {
  return seed % EVERY === Math.floor(seed / EVERY) % EVERY;
}

export function planOf(random: SeededRandom, from: number, places: number): SlowPlan {
  const times = burstTimes(random, from);
  const kind = random.unit();
  const pair = kind < 0.5 ? pairOf(random, times) : null;
  const bursts = times.map((each, index) => ({
    ...each,
    theme: themeOf(random, index, pair),
    listEveryMs: random.pick(LIST_EVERY_MS),
  }));
  const lostStores =
    kind > 0.4 ? bursts.flatMap((burst) => lostStoresIn(random, burst, places)) : [];
  const [first, second] = pair ? [bursts[pair.first], bursts[pair.second]] : [];
  if (!pair || !first || !second) return { bursts, outages: [], lostStores, calm: null };
  const outages = outagesIn(random, { ...pair, bursts: [first, second] });
  const calm = { from: first.from, until: second.until };
  const outside = lostStores.filter((each) => each.from < calm.from || each.from > calm.until);
  return { bursts, outages, lostStores: outside, calm };
}

interface Pair {
  readonly first: number;
  readonly second: number;
  readonly subscriber: SubscriberOutage['subscriber'];
}

function burstTimes(random: SeededRandom, from: number): readonly Period[] {
  const bursts: Period[] = [];
  for (let at = from; at < from + SLOW_WORK_MS; ) {
    const until = Math.min(at + random.between(BURST_MS.least, BURST_MS.most), from + SLOW_WORK_MS);
    bursts.push({ from: at, until });
    at = until + random.between(PAUSE_MS.least, PAUSE_MS.most);
  }
  return bursts;
}

/** Two bursts with a silence between them that is long enough to be forgotten in. */
function pairOf(random: SeededRandom, bursts: readonly Period[]): Pair | null {
  const first = random.below(2);
  const end = bursts[first]?.until ?? Number.POSITIVE_INFINITY;
  const second = bursts.findIndex(({ from }) => from > end + FORGOTTEN_AFTER_MS);
  const subscriber = random.happens(0.25) ? 'all' : 'messages';
  return second < 0 ? null : { first, second, subscriber };
}

function themeOf(random: SeededRandom, index: number, pair: Pair | null): Theme {
  // Without an outage to be silent for, most bursts make messages.
  const drawn = random.pick(pair ? THEMES : MESSAGING);
  if (!pair || index < pair.first || index > pair.second) return drawn;
  if (index === pair.first || index === pair.second) return 'talks';
  return pair.subscriber === 'all' || drawn === 'reads' ? 'reads' : 'records';
}

function outagesIn(
  random: SeededRandom,
  { subscriber, bursts: [first, second] }: Pair & { readonly bursts: readonly [Burst, Burst] },
): readonly SubscriberOutage[] {
  const mended = first.until + random.between(-1_000, 15_000);
  const over = second.until + random.between(20_000, 40_000);
  const ownerKilledAt = random.happens(0.8) ? second.until + random.between(0, 12_000) : null;
  return [
    { subscriber, from: first.from, until: mended, ownerKilledAt: null },
    { subscriber, from: second.from, until: over, ownerKilledAt },
  ];
}

/**
 * One that fails two of three renewals near the burst's end: the process joins anew at once, and
 * has dropped snapshots that were due. One that lasts until the lease has lapsed, while the process
 * still answers; or as long as an outage does.
 */
function lostStoresIn(
  random: SeededRandom,
  { from, until, theme }: Burst,
  places: number,
): LostStore[] {
  if (theme === 'reads' || theme === 'records') return [];
  const place = (): number | null => (random.happens(0.2) ? random.below(places) : null);
  const lost: LostStore[] = [];
  if (random.happens(0.7)) {
    const at = random.between(until - 3_000, until + 500);
    const muted = random.happens(0.7) ? { from: at + 2_100, until: at + 4_000 } : null;
    const forMs = random.between(1_900, 2_300);
    const afterMs = random.between(100, 500);
    lost.push({ place: place(), afterMs, from: at, forMs, shareHanging: 0, muted, readsAt: [] });
  }
  if (random.happens(0.9)) {
    const at = random.between(from + 1_000, until);
    const forMs = random.happens(0.8)
      ? random.between(2_800, 5_000)
      : random.between(5_000, 20_000);
    const readsAt = Array.from({ length: 5 }, () => at + random.between(1_200, 3_200));
    const shareHanging = random.pick([0, 0, 0, 0.1, 1]);
    const afterMs = random.between(20, 120);
    lost.push({ place: place(), afterMs, from: at, forMs, shareHanging, muted: null, readsAt });
  }
  return lost;
}
