/**
 * Sparse history of one conversation, as a pure value. Pages count from the newest, and positions
 * here from the oldest: they stay while messages come, but for late ones and those that had a time.
 * Each of these changes the conversation, which is then read anew.
 */
import type { Message } from '../../../../../shared/api/message.ts';

export interface Pages {
  readonly total: number;
  readonly messages: ReadonlyMap<number, Message>;
}

export interface HistoryPage {
  readonly page: number;
  readonly limit: number;
  readonly total: number;
  readonly data: readonly Message[];
}

export const NO_PAGES: Pages = { total: 0, messages: new Map() };

/** The history with one more page; a shorter one than before was another conversation's. */
export function withPage(pages: Pages, { page, limit, total, data }: HistoryPage): Pages {
  const messages = new Map(total < pages.total ? [] : pages.messages);
  const newest = total - 1 - (page - 1) * limit;
  for (const [index, message] of data.entries()) messages.set(newest - index, message);
  return { total, messages };
}

/** True of a page with a message or note of ours that is in none of the known pages. */
export function hasNewOwn({ data }: HistoryPage, { messages }: Pages): boolean {
  const known = new Set([...messages.values()].map(({ id }) => id));
  return data.some(({ id, direction }) => direction !== 'in' && !known.has(id));
}

/** Where a message is; null: in no page that has been read. */
export function positionIn({ messages }: Pages, id: string): number | null {
  for (const [at, message] of messages) if (message.id === id) return at;
  return null;
}

/** Where a message is that was at this row; a late one above it has moved it. */
export function rowOf(
  pages: Pages,
  { row, id }: { readonly row: number; readonly id?: string },
): number {
  if (id === undefined || pages.messages.get(row)?.id === id) return row;
  return positionIn(pages, id) ?? row;
}

/** The page that has the message at a position. */
export function pageAt(position: number, total: number, limit: number): number {
  return Math.floor((total - 1 - position) / limit) + 1;
}

/** Pages of the positions from `first` to `last`; those that are known are left out. */
export function missingPages(
  pages: Pages,
  { first, last }: { readonly first: number; readonly last: number },
  limit: number,
): readonly number[] {
  const missing = new Set<number>();
  for (let position = Math.max(0, first); position <= last && position < pages.total; position++) {
    if (!pages.messages.has(position)) missing.add(pageAt(position, pages.total, limit));
  }
  return [...missing];
}
