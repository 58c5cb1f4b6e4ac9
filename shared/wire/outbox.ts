/**
 * The outbox of a commit is part of the committed document, and is published after it:
 * at least once, under derived ids, so that doing it again does nothing (I18).
 */
import type { Address, Command } from '../ports.ts';

/** A domain fact on its way to subscribers. */
export interface OutboxEvent {
  readonly type: 'event';
  /** Derived from what happened, so that a repeated hand-over makes no second delivery. */
  readonly id: string;
  readonly event: string;
  /** Of the request that set it off, for the logs. */
  readonly requestId?: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** A command to another actor. */
export interface OutboxCommand {
  readonly type: 'command';
  /** The command's. */
  readonly id: string;
  readonly to: Address;
  readonly command: Command;
}

export type OutboxItem = OutboxEvent | OutboxCommand;

/** ISO 8601 in UTC with milliseconds, as everything the API shows (C2.1). */
export function timestamp(epochMs: number): string {
  return new Date(epochMs).toISOString();
}
