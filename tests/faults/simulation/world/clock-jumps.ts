/**
 * Jumps of wall clocks, in one world of ten: a process that an operator or a time server corrects.
 * Its monotonic clock goes on, and so does the store's own clock. Nobody sets it right again.
 */
import { SeededRandom } from './seeded-random.ts';

const SHARE_OF_WORLDS = 0.1;
const SALT = 0x0c10;
/** Some seconds to a minute, forward or back, and once in a process. */
export const JUMP_MS = { least: 3_000, most: 60_000 };
/** No clock of a world with jumps is further from the network's. */
export const CLOCK_OFF_MAX_MS = JUMP_MS.most + 2_000;

/** By chance of their own: the seed alone says which worlds have them. */
export function hasClockJumps(seed: number): boolean {
  return new SeededRandom(seed ^ SALT).happens(SHARE_OF_WORLDS);
}
