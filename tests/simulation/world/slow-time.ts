/**
 * Worlds of slow time: one in ten lasts five virtual minutes of bursts with pauses between them.
 * State that a process forgets after 20, 30 or 60 s without use is forgotten and comes back here.
 *
 * A world has its own schedules: two outages of one subscriber with a silence
 * between them, processes that lose the store for about as long as their lease, or both.
 */
import type { Seeded } from './seeded.ts';

const EVERY = 10;
export const SLOW_WORK_MS = 300_000;
const BURST_MS = { least: 4_000, most: 8_000 };
const PAUSE_MS = { least: 15_000, most: 90_000 };
const LOST_MS = [
  [1_800, 2_900],
  [1_800, 2_900],
  [2_600, 5_000],
  [2_600, 5_000],
  [5_000, 20_000],
] as const;
/** A breaker's first probe, the end of its outage on record, the desk's idle time, and some. */
const FORGOTTEN_AFTER_MS = 112_000;

/** `reads` changes nothing; `records` makes no message; `all` is everything. */
export const THEMES = ['all', 'talks', 'records', 'reads'] as const;
export type Theme = (typeof THEMES)[number];

export interface Burst {
  readonly from: number;
  readonly until: number;
  readonly theme: Theme;
}

/** One subscriber answers nobody. */
export interface SubscriberOutage {
  readonly subscriber: 'all' | 'messages';
  readonly from: number;
  readonly until: number;
  /** The process that posted to it last is killed at this moment; null: it lives. */
  readonly ownerKilledAt: number | null;
}

/** One process has no way to the store. */
export interface LostStore {
  /** Null: the process that appended to a log last. */
  readonly place: number | null;
  readonly from: number;
  readonly forMs: number;
  /** Of its calls; the others are refused at once. */
  readonly shareHanging: number;
  /** Its peers do not hear it either, and for longer: nobody is told that it has joined anew. */
  readonly mutedForMs: number;
  /** When conversations are listed. */
  readonly readsAt: readonly number[];
}

export interface SlowPlan {
  readonly bursts: readonly Burst[];
  readonly outages: readonly SubscriberOutage[];
  readonly lostStores: readonly LostStore[];
  /** Nothing else befalls the processes meanwhile. */
  readonly calm: { readonly from: number; readonly until: number } | null;
}

/** The digit before the last, so that slow worlds have every last digit. */
export function isSlow(seed: number): boolean {
  return seed % EVERY === Math.floor(seed / EVERY) % EVERY;
}

export function planOf(chance: Seeded, from: number, places: number): SlowPlan {
  const times = burstTimes(chance, from);
  const kind = chance.unit();
  const pair = kind < 0.5 ? pairOf(chance, times) : null;
  const bursts = times.map((each, index) => ({ ...each, theme: themeOf(chance, index, pair) }));
  const lostStores =
    kind > 0.4 ? bursts.flatMap((burst) => lostStoresIn(chance, burst, places)) : [];
  const [first, second] = pair ? [bursts[pair.first], bursts[pair.second]] : [];
  if (!pair || !first || !second) return { bursts, outages: [], lostStores, calm: null };
  const outages = outagesIn(chance, { ...pair, bursts: [first, second] });
  const calm = { from: first.from, until: second.until };
  const outside = lostStores.filter((each) => each.from < calm.from || each.from > calm.until);
  return { bursts, outages, lostStores: outside, calm };
}

type Times = Omit<Burst, 'theme'>;

interface Pair {
  readonly first: number;
  readonly second: number;
  readonly subscriber: SubscriberOutage['subscriber'];
}

function burstTimes(chance: Seeded, from: number): readonly Times[] {
  const bursts: Times[] = [];
  for (let at = from; at < from + SLOW_WORK_MS; ) {
    const until = Math.min(at + chance.between(BURST_MS.least, BURST_MS.most), from + SLOW_WORK_MS);
    bursts.push({ from: at, until });
    at = until + chance.between(PAUSE_MS.least, PAUSE_MS.most);
  }
  return bursts;
}

/** Two bursts with a silence between them that is long enough to be forgotten in. */
function pairOf(chance: Seeded, bursts: readonly Times[]): Pair | null {
  const first = chance.below(2);
  const end = bursts[first]?.until ?? Number.POSITIVE_INFINITY;
  const second = bursts.findIndex(({ from }) => from > end + FORGOTTEN_AFTER_MS);
  const subscriber = chance.happens(0.25) ? 'all' : 'messages';
  return second < 0 ? null : { first, second, subscriber };
}

function themeOf(chance: Seeded, index: number, pair: Pair | null): Theme {
  const drawn = chance.pick(THEMES);
  if (!pair || index < pair.first || index > pair.second) return drawn;
  if (index === pair.first || index === pair.second) return 'talks';
  return pair.subscriber === 'all' || drawn === 'reads' ? 'reads' : 'records';
}

function outagesIn(
  chance: Seeded,
  { subscriber, bursts: [first, second] }: Pair & { readonly bursts: readonly [Burst, Burst] },
): readonly SubscriberOutage[] {
  const mended = first.until + chance.between(-1_000, 15_000);
  const over = second.until + chance.between(20_000, 40_000);
  const ownerKilledAt = chance.happens(0.8) ? second.until + chance.between(0, 12_000) : null;
  return [
    { subscriber, from: first.from, until: mended, ownerKilledAt: null },
    { subscriber, from: second.from, until: over, ownerKilledAt },
  ];
}

/** Most about as long as a lease, so that the process joins anew at once; some as an outage lasts. */
function lostStoresIn(chance: Seeded, { from, until, theme }: Burst, places: number): LostStore[] {
  if (theme === 'reads' || theme === 'records') return [];
  return Array.from({ length: 1 + chance.below(2) }, () => {
    const [least, most] = chance.pick(LOST_MS);
    const forMs = chance.between(least, most);
    const at = chance.between(from + 1_000, until + 1_000);
    const reads = chance.happens(0.5) ? ([1_000, forMs] as const) : ([forMs, forMs + 2_500] as const);
    return {
      place: chance.happens(0.3) ? chance.below(places) : null,
      from: at,
      forMs,
      shareHanging: chance.pick([0, 0, 0, 0.1, 1]),
      mutedForMs: chance.happens(0.5) ? forMs + chance.between(500, 2_000) : 0,
      readsAt: Array.from({ length: 4 }, () => at + chance.between(...reads)),
    };
  });
}
