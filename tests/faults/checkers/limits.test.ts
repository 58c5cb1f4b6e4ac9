/** Rate windows by what callers are told: well, and gone wrong. */
import { call, type Ended, kill, show, type Told } from './fixture.ts';
import type { Call } from './history.ts';
import { limits } from './limits.ts';

const BOTH = { limits: { perKey: 5, perOrg: 7 } };
const rateLimit = '"key";r=1;t=60, "org";r=1;t=60';

/** Calls within moments, from a second on. */
function spent(count: number, key = 'one', from = 1_000): readonly Call[] {
  return Array.from({ length: count }, (_, n) => {
    const startedAt = from + 20 * n;
    return call('spend', { key }, { rateLimit }, { startedAt });
  });
}
const six: Told = { ...BOTH, calls: spent(6) };
const refused = (status: Ended, retryAfter: string | null): Told => ({
  calls: [call('spend', { key: 'one' }, status, { retryAfter })],
});

show(limits, {
  noWindowAdmitsMore: {
    well: [
      { ...BOTH, calls: [...spent(5), ...spent(2, 'two')] },
      { ...BOTH, calls: [...spent(5), ...spent(5, 'one', 62_000)] },
      // The counting process forgot them: by a crash, or with its lease.
      { ...six, faults: [kill('actors-1', 1_003, 1_004)] },
      { ...six, lostLeases: [4_000] },
    ],
    'one: 6 calls in one window of 5': [
      six,
      // A crash elsewhere forgets nothing.
      { ...six, faults: [kill('gateway-1', 1_003, 1_004)] },
      // Nor does a crash long before.
      { ...six, calls: spent(6, 'one', 9_000), faults: [kill('actors-1', 1_003, 1_004)] },
      // Calls were written down when the lease was lost.
      { ...six, lostLeases: [9_000] },
      // The lease was lost long before.
      { ...six, calls: spent(6, 'one', 9_000), lostLeases: [1_000] },
    ],
    'both keys: 8 calls in one window of 7': [
      { ...BOTH, calls: [...spent(5), ...spent(3, 'two')] },
    ],
  },
  aRefusalSaysHowLongToWait: {
    well: [refused(429, '12'), { calls: spent(1) }],
    'a refusal 429 said Retry-After 0': [refused(429, '0')],
    'a refusal 429 said Retry-After null': [refused(429, null)],
    'a refusal 403 said Retry-After 12': [refused(403, '12')],
  },
});
