/** An entity in one document, with its outbox and its completed commands. */
import type { Answer } from '../../shared/ports/bus.ts';
import type { Document } from '../../shared/ports/store.ts';
import type { OutboxItem } from '../../shared/wire/outbox.ts';
import type { CompletedCommand, CompletedCommands } from '../domain/completed-commands.ts';
import type { CounterFields } from './counter.ts';

export interface StoredAnswer {
  readonly id: string;
  readonly at: number;
  readonly answer: Answer;
}

/** Stored beside an entity's state, in its document. */
export interface CommandFields {
  readonly answers: readonly StoredAnswer[];
  readonly completed: CompletedCommands;
}

/** `_id` consists of the entity's id and the command's. */
export interface CompletedDocument extends Document, Omit<CompletedCommand, 'id'> {}

export interface EntityState {
  readonly id: string;
  readonly orgId: string;
  /** 1 after the first commit; each further commit adds 1. */
  readonly version: number;
}

export interface EntityDocument<State extends EntityState>
  extends Document,
    CommandFields,
    CounterFields {
  readonly version: number;
  readonly state: State;
  readonly outbox?: readonly OutboxItem[];
  /** The shelf, while the outbox is not empty. */
  readonly pending?: number;
}
