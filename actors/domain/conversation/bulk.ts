/** Bulk messages: until when one may be sent. A scheduled one waits from its time on. */
import { SENTENCES } from '../../../shared/api/sentences.ts';
import { type Failure, invalid } from '../../../shared/failures.ts';
import { BULK_WAIT_DEFAULT_MS, BULK_WAIT_MAX_MS } from '../../../shared/limits.ts';
import type { Bulk, Schedule } from '../../../shared/message.ts';

interface AskedBulk {
  /** Null: the default. */
  readonly expiresAt: number | null;
}

/** When the message enters its channel's queue, epoch milliseconds. */
export function sendingFrom(schedule: Pick<Schedule, 'at'> | undefined, now: number): number {
  return Math.max(now, schedule?.at ?? now);
}

/** Why an expiry is refused; null when it may stand. */
export function refuseExpiry({ expiresAt }: AskedBulk, from: number): Failure | null {
  const isRefused =
    expiresAt !== null && (expiresAt <= from || expiresAt > from + BULK_WAIT_MAX_MS);
  return isRefused ? invalid({ path: 'expiresAt', message: SENTENCES.expiryRange }) : null;
}

export function bulkOf({ expiresAt }: AskedBulk, from: number): Bulk {
  return { expiresAt: expiresAt ?? from + BULK_WAIT_DEFAULT_MS };
}
