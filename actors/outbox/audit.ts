/**
 * Audit entry of a person's change: part of the outbox of the changed entity, so that it is
 * committed with the change. The organization's owner writes it into the log.
 */
import type { Command } from '../../shared/ports/bus.ts';
import type { ActorKind } from '../../shared/vocabulary.ts';
import { type OutboxCommand, outboxCommand } from '../../shared/wire/outbox.ts';
import type { Environment } from '../environment.ts';

export interface Changed {
  readonly kind: ActorKind;
  readonly id: string;
  readonly orgId: string;
}

/** None for a command that no person has asked. */
export function auditItems(
  { ids, clock }: Pick<Environment, 'ids' | 'clock'>,
  { id: commandId, by }: Pick<Command, 'id' | 'by'>,
  { kind, id, orgId }: Changed,
): readonly OutboxCommand[] {
  if (!by) return [];
  const auditId = ids.derive('aud', commandId, kind, id);
  const entry = { id: auditId, at: clock.now(), by, subject: { kind, id }, details: {} };
  const command = { id: auditId, type: 'record-audit', entry } as const;
  return [outboxCommand({ to: { kind: 'organization', key: orgId }, command })];
}
