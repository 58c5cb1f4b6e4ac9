/**
 * Retention of files that no entry names. Their send was refused after the download, or its gateway
 * or owner died in between (D128). Any process may sweep.
 *
 * 1. A file is removed an hour after its last request, and only if its entry does not name it.
 * 2. A call that is repeated later under the same ids downloads anew.
 */
import { MEDIA_UNREFERENCED_KEPT_MS } from '../../shared/limits.ts';
import type { ReferenceState, UnreferencedMedia } from '../../shared/media.ts';
import type { EntryDocument } from '../conversation/documents.ts';
import type { Environment } from '../environment.ts';

type SweepEnvironment = Pick<Environment, 'store' | 'clock' | 'media' | 'log'>;

export async function sweepMedia(environment: SweepEnvironment): Promise<void> {
  const { media, clock, log } = environment;
  const before = clock.now() - MEDIA_UNREFERENCED_KEPT_MS;
  const removed = await media.sweep(before, (each) => namingOf(environment, each));
  if (removed > 0) log.info({ removed }, 'files that no message names were removed');
}

async function namingOf(
  { store }: SweepEnvironment,
  { id, entryId }: UnreferencedMedia,
): Promise<ReferenceState> {
  const entry = await store.byId<EntryDocument>('entries', entryId);
  if (entry?.message?.media?.id === id) return 'named';
  return entry?.mediaDue ? 'waiting' : 'unnamed';
}
