/**
 * Campaigns of a busy shop: bulk messages and some others to contacts of their own, all at once,
 * and people's replies while they wait. Each call has a caller of its own.
 */
import type { Operation } from './coverage.ts';
import type { SeededRandom } from './world/seeded-random.ts';

/** Both channels' queues are empty again before the next one, more often than not. */
const EVERY_MS = { least: 3_500, most: 6_500 };
const MESSAGES = 24;
const APART_MS = 25;
const REPLIES = 6;
/** After the first of its messages. */
const REPLIES_AT_MS = { least: 200, most: 3_500 };

interface Planned {
  readonly at: number;
  readonly operation: Operation;
}

/** What is called in such a time, and when. */
export function campaignsIn(random: SeededRandom, from: number, until: number): readonly Planned[] {
  const planned: Planned[] = [];
  for (let at = from + random.between(300, 1_500); at < until; ) {
    for (let message = 0; message < MESSAGES; message++) {
      planned.push({ at: at + message * APART_MS, operation: 'campaign-message' });
    }
    for (let reply = 0; reply < REPLIES; reply++) {
      const repliedAt = at + random.between(REPLIES_AT_MS.least, REPLIES_AT_MS.most);
      planned.push({ at: repliedAt, operation: 'reply' });
    }
    planned.push({ at: at + random.between(300, 2_000), operation: 'campaign-opt-out' });
    planned.push({ at: at + random.between(300, 2_000), operation: 'campaign-opt-out' });
    at += random.between(EVERY_MS.least, EVERY_MS.most);
  }
  return planned;
}
