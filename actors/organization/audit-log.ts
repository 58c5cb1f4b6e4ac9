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
import type { AnswerOf } from '../../shared/ports/bus.ts';
import type { Document, Store } from '../../shared/ports/store.ts';
import { answerOf } from '../../shared/wire/answer.ts';
import type { AuditEntry, AuditPage, ListAudit } from '../../shared/wire/audit.ts';
import { timestamp } from '../../shared/wire/outbox.ts';
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

export async function listAudit(
  store: Store,
  orgId: string,
  { page, limit }: ListAudit,
): Promise<AnswerOf<AuditPage>> {
  const index = { orgId: 1, at: -1, _id: -1 } as const;
  const [found, total] = await Promise.all([
    store.find(
      AUDIT,
      { orgId },
      { sort: { at: -1, _id: -1 }, skip: (page - 1) * limit, limit, index },
    ),
    store.count(AUDIT, { orgId }, index),
  ]);
  const data = found.map(({ _id: id, at, by, subject, details }) => {
    const { memberId, name, role, address, operation } = by;
    return { id, at: timestamp(at), memberId, name, role, address, operation, subject, details };
  });
  return answerOf({ data, total, page, limit });
}
