/**
 * Sparse history of one conversation, as a pure value. A log only grows, so a message's position
 * counted from the oldest never changes. Pages count from the newest.
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
