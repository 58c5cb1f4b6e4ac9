/** Retention of what the panel keeps: sessions that have ended by themselves, and audit entries. */
import { AUDIT_RETENTION_MS } from '../../shared/limits.ts';
import type { Environment } from '../environment.ts';
import { purge } from '../runtime/purge.ts';

export async function purgePeople({
  store,
  clock,
}: Pick<Environment, 'store' | 'clock'>): Promise<void> {
  const now = clock.now();
  await purge(store, { collection: 'sessions', filter: { until: { $lte: now } } });
  await purge(store, { collection: 'audit', filter: { at: { $lte: now - AUDIT_RETENTION_MS } } });
}
