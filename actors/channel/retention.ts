/** Retention of what channels keep: unmatched receipts, uploads, and files that no message names. */
import { MEDIA_UNREFERENCED_RETENTION_MS } from '../../shared/limits.ts';
import type { Environment } from '../environment.ts';
import { POLL_EVERY_MS } from '../runtime/due-poller.ts';
import { runPeriodically } from '../runtime/periodic.ts';
import { sweepUnmatchedReceipts } from './sending/unmatched-receipts.ts';
import { sweepUploads } from './sending/uploads.ts';

const SWEEP_EVERY_MS = 60 * 60 * 1000;

/** Any process may sweep: expired records have no owner. */
export function sweepPeriodically(environment: Environment): void {
  const { leaseHeld } = environment;
  runPeriodically(environment, {
    firstMs: POLL_EVERY_MS,
    everyMs: () => (leaseHeld() ? SWEEP_EVERY_MS : POLL_EVERY_MS),
    failed: 'channel retention failed',
    run: async () => {
      if (!leaseHeld()) return;
      await sweepUnmatchedReceipts(environment);
      await sweepUploads(environment);
      await sweepMedia(environment);
    },
  });
}

type SweepEnvironment = Pick<Environment, 'store' | 'clock' | 'media' | 'log'>;

/**
 * Retention of files that no entry names (D128): their send was refused after the download, or its
 * gateway or owner died in between. A file is removed an hour after its last request, and only if
 * its entry does not name it. A call that is repeated later under the same ids downloads anew.
 */
export async function sweepMedia({ store, media, clock, log }: SweepEnvironment): Promise<void> {
  const before = clock.now() - MEDIA_UNREFERENCED_RETENTION_MS;
  const removed = await media.sweep(before, async ({ id, entryId }) => {
    const entry = await store.byId('entries', entryId);
    const { media, fallback } = entry?.message ?? {};
    if (media?.id === id || fallback?.media?.id === id) return 'named';
    return entry?.mediaDue ? 'waiting' : 'unnamed';
  });
  if (removed > 0) log.info({ removed }, 'files that no message names were removed');
}
