/**
 * Audit log of an organization: one document an entry, only ever appended; the process purges
 * entries after `AUDIT_KEPT_MS`.
 *
 * 1. The id derives from the command: a repeated entry is met, not written twice.
 * 2. An entry of another entity's change comes from that entity's outbox, after its commit.
 * 3. An entry of the organization's own change is committed in its document (`audit`). The owner
 *    then writes it into the log; the next owner does so when it loads the document.
 * 4. Entries of sessions and passphrases are written before the change. None is missing, and one
 *    may tell of an attempt that a crash has cut off.
 */
import type { Document, Store } from '../../shared/ports/store.ts';
import type { AuditEntry } from '../../shared/wire/audit.ts';
import { assertCommitted } from '../runtime/turn.ts';

declare module '../../shared/ports/store.ts' {
  interface Collections {
    readonly audit: AuditDocument;
  }
}

interface AuditDocument extends Document, Omit<AuditEntry, 'id'> {
  readonly orgId: string;
}

const AUDIT = 'audit';

/** Resolves when the entries are journaled. */
export async function writeAudit(
  store: Store,
  orgId: string,
  entries: readonly AuditEntry[],
): Promise<void> {
  if (entries.length === 0) return;
  const outcomes = await store.commit(
    entries.map(({ id: _id, ...entry }) => ({
      insert: AUDIT,
      document: { _id, orgId, ...entry },
    })),
  );
  for (const outcome of outcomes) {
    if (!('duplicate' in outcome)) assertCommitted(outcome, 'an audit entry');
  }
}
