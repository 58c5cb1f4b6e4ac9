/**
 * Worlds of a busy shop, one in seven: campaigns wait in the queue of a slow number while people
 * and contacts write. Their calls are beside those of all worlds.
 */

/** A prime beside 10, 2 and 3: busy shops are in worlds of all other kinds. */
const BUSY_OF = 7;
const SLOWLY = { perSecond: 8, pairBurst: 20, pairEvery: '100ms' };
const FAST = { ...SLOWLY, perSecond: 200 };

export function isBusy(seed: number): boolean {
  return seed % BUSY_OF === 3;
}

/** Of the main channel. */
export function paceOf(seed: number): typeof FAST {
  return isBusy(seed) ? SLOWLY : FAST;
}
