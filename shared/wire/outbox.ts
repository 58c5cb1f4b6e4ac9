/**
 * Transactional outbox: part of the committed document, and published after the commit. It is
 * published at least once, under derived ids, so that a repeat has no effect (I18).
 */
import type { AddressedCommand, Command } from '../ports/bus.ts';
import type { Clock } from '../ports/clock.ts';
import type { Ids } from '../ports/ids.ts';
import type { ActorKind } from '../vocabulary.ts';

/** A domain event that is published to subscribers. */
export interface OutboxEvent {
  readonly type: 'event';
  /** Derived from the change, so that a repeated publication makes no second delivery. */
  readonly id: string;
  readonly event: string;
  /** Of the request that caused it, for the logs. */
  readonly requestId?: string;
  /** Of its commit; absent until then, and in outboxes of earlier versions (`event-order.ts`). */
  readonly number?: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** A command to another actor. */
export type OutboxCommand = AddressedCommand & {
  readonly type: 'command';
  /** The command's. */
  readonly id: string;
};

export function outboxCommand(addressed: AddressedCommand): OutboxCommand {
  return { type: 'command', id: addressed.command.id, ...addressed };
}

export type OutboxItem = OutboxEvent | OutboxCommand;

interface Changed {
  readonly kind: ActorKind;
  readonly id: string;
  readonly orgId: string;
}

/**
 * Audit entry of the change of a person or an AI assistant: it is committed with the change, and the
 * organization's owner writes it into the log. None for a command that neither has asked.
 */
export function auditItems(
  { ids, clock }: { readonly ids: Ids; readonly clock: Clock },
  { id: commandId, by }: Pick<Command, 'id' | 'by'>,
  { kind, id, orgId }: Changed,
): readonly OutboxCommand[] {
  if (!by) return [];
  const auditId = ids.derive('aud', commandId, kind, id);
  const entry = { id: auditId, at: clock.now(), by, subject: { kind, id }, details: {} };
  const command = { id: auditId, type: 'record-audit', entry } as const;
  return [outboxCommand({ to: { kind: 'organization', key: orgId }, command })];
}

/** ISO 8601 in UTC with milliseconds, as everything the API shows (C2.1). */
export function timestamp(epochMs: number): string {
  return new Date(epochMs).toISOString();
}
