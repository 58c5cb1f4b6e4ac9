/**
 * The selected conversations, by id: they stay so whatever the list does meanwhile. Another filter
 * lets go of what it does not show.
 */
import { signal } from '@preact/signals';
import type { Conversation } from '../../../../../shared/api/conversation.ts';
import { phoneOf } from '../../format.ts';

export const SELECTED_MAX = 200;

/** A row of the list. */
export type Row = Pick<Conversation, 'id' | 'contact'>;

export interface Selected {
  readonly id: string;
  readonly contactId: string;
  readonly name: string;
}

export const selection = signal<ReadonlyMap<string, Selected>>(new Map());

/** The last choice asked for more than may be selected. */
export const full = signal(false);

/** Rows of the list, in its order. */
export const shown = signal<readonly Row[]>([]);

/** Of the list, as it was last applied to the selection. Another screen is no filter. */
export const appliedFilter = signal<string | null>(null);

/** The row that was selected or let go last: a range begins there. */
export const anchorId = signal('');

export function selectedOf({ id, contact }: Row): Selected {
  return { id, contactId: contact.id, name: contact.name ?? phoneOf(contact.phone) };
}

/** The rows from the last choice to this one. */
function rangeTo(row: Row): readonly Row[] {
  const from = shown.value.findIndex(({ id }) => id === anchorId.value);
  const to = shown.value.findIndex(({ id }) => id === row.id);
  return from < 0 ? [row] : shown.value.slice(Math.min(from, to), Math.max(from, to) + 1);
}

/** @param inRange every row from the last choice on */
export function select(row: Row, chosen: boolean, inRange: boolean): void {
  const next = new Map(selection.value);
  const rows = inRange ? rangeTo(row) : [row];
  for (const each of rows) {
    if (!chosen) next.delete(each.id);
    else if (next.size < SELECTED_MAX) next.set(each.id, selectedOf(each));
  }
  full.value = chosen && !rows.every(({ id }) => next.has(id));
  anchorId.value = row.id;
  selection.value = next;
}

export function letGo(isLeft: (id: string) => boolean): void {
  const rest = [...selection.value].filter(([id]) => !isLeft(id));
  if (rest.length === selection.value.size) return;
  full.value = false;
  selection.value = new Map(rest);
}

export function keep(selected: readonly Selected[]): void {
  selection.value = new Map([
    ...selection.value,
    ...selected.map((each) => [each.id, each] as const),
  ]);
}
