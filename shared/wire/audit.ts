/**
 * Audit log of an organization: which person, or AI assistant, changed what, when, and from which
 * address.
 */
import type { Origin, Role } from '../vocabulary.ts';
import type { Page } from './queries.ts';

/** The person, or the AI assistant, on whose behalf a command is asked. */
export interface ActingPerson {
  /** Null for the operator, and for an assistant. */
  readonly memberId: string | null;
  /** An assistant has the name of its key. */
  readonly name: string;
  /** Null for an assistant. */
  readonly role: Role | null;
  /** Null for the command line, and for a session of another organization. */
  readonly sessionId: string | null;
  readonly address: string;
  /** The operation of the table of roles; an assistant's, of the table of routes. */
  readonly operation: string;
  /** Set for an assistant. */
  readonly origin?: AssistantOrigin;
}

type AssistantOrigin = Extract<Origin, 'assistant'>;

/** Names of what an entry tells besides its operation: the panel has a word for each. */
export const AUDIT_DETAILS = [
  ...['name', 'title', 'ref', 'changed', 'removed', 'enabled', 'disabled', 'steps', 'events'],
  ...['role', 'scope', 'access', 'expiresAt', 'assistant', 'provenBy', 'mimeType', 'sizeBytes'],
] as const;
export type AuditDetails = { readonly [Name in (typeof AUDIT_DETAILS)[number]]?: string };

/** The changed entity. */
export interface AuditSubject {
  readonly kind: string;
  readonly id: string;
}

export interface AuditEntry {
  /** Derives from the command: a repeat makes no second entry. */
  readonly id: string;
  /** Epoch milliseconds of the decision. */
  readonly at: number;
  readonly by: ActingPerson;
  readonly subject: AuditSubject;
  /** Values that the change set; never texts of messages, or secrets. */
  readonly details: AuditDetails;
}

/** To `organization`, by an outbox: writes the entry of a committed change. */
export interface RecordAudit {
  readonly id: string;
  readonly type: 'record-audit';
  readonly entry: AuditEntry;
}

/** A page of an organization's log, newest first. */
export interface PageAudit extends Page {
  readonly orgId: string;
}

/** Timestamps are ISO 8601 in UTC. */
export interface AuditRow {
  readonly id: string;
  readonly at: string;
  readonly memberId: string | null;
  readonly name: string;
  /** Null for an assistant. */
  readonly role: Role | null;
  readonly address: string;
  readonly operation: string;
  /** Absent for a person. */
  readonly origin?: AssistantOrigin;
  readonly subject: AuditSubject;
  readonly details: AuditDetails;
}

export interface AuditPage {
  readonly data: readonly AuditRow[];
  readonly page: number;
  readonly limit: number;
  /** A page follows. */
  readonly more: boolean;
}
