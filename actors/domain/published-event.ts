/** An event as it is published: with what its entity's earlier commits may still have to tell. */
import type { OutboxEvent } from '../../shared/wire/outbox.ts';

/** Where an entity keeps its outbox: in the document of its id, or in entries of a conversation. */
export interface OutboxLocation {
  readonly collection: 'contacts' | 'deals' | 'entries' | 'tasks';
  readonly id: string;
}

/** Earlier events of the entity that may not be recorded yet, in their order. */
export interface Predecessors extends OutboxLocation {
  readonly events: readonly string[];
}

export interface PublishedEvent extends OutboxEvent {
  readonly after?: Predecessors;
}

const MAJOR_DIGITS = 10;
const MINOR_DIGITS = 14;

/** Two whole numbers as text that sorts. */
export function sortKey(major: number, minor: number): string {
  const [first, second] = [String(major), String(minor)];
  return `${first.padStart(MAJOR_DIGITS, '0')}.${second.padStart(MINOR_DIGITS, '0')}`;
}
