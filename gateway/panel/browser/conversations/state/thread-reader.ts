/** Reads the history of one conversation page by page, as its rows come into view. */
import { signal } from '@preact/signals';
import type { Message } from '../../../../../shared/api/message.ts';
import { call, type Outcome, query, type Refused } from '../../base/call.ts';
import { Repeater } from '../../base/repeater.ts';
import { placeTimeOf } from '../../format.ts';
import { listen } from '../../live.ts';
import { answered } from './pending.ts';
import {
  type HistoryPage,
  hasNewOwn,
  missingPages,
  NO_PAGES,
  type Pages,
  pageAt,
  positionIn,
  withPage,
} from './thread-pages.ts';
import type { Range } from './thread-window.ts';

const LIMIT = 100;

export class ThreadReader {
  /** Null before the first page. */
  readonly pages = signal<Pages | null>(null);
  readonly refused = signal<Refused | null>(null);
  readonly #conversationId: string;
  readonly #repeater = new Repeater(() => this.#read());
  readonly #stop: () => void;
  #range: Range = { first: 0, last: -1 };
  #stale = true;

  constructor(conversationId: string) {
    this.#conversationId = conversationId;
    const interest = { kinds: ['conversation'], id: conversationId } as const;
    this.#stop = listen(interest, () => this.refresh());
    this.#repeater.request();
  }

  end(): void {
    this.#stop();
    this.#repeater.end();
  }

  /** The newest page and those in view are read again. */
  readonly refresh = (): void => {
    this.#stale = true;
    this.#repeater.request();
  };

  /** Rows that are in view; the missing ones are read. */
  show(range: Range): void {
    this.#range = range;
    const pages = this.pages.peek();
    if (pages && missingPages(pages, range, LIMIT).length > 0) this.#repeater.request();
  }

  /** Where a message is, however old; null: nowhere. Pages are in the order of times. */
  async positionOf(id: string): Promise<number | null> {
    const shown = positionIn(this.pages.peek() ?? NO_PAGES, id);
    if (shown !== null) return shown;
    const path = `/api/v1/messages/${encodeURIComponent(id)}`;
    const found = await call<{ readonly data: Message }>('GET', path);
    if (!found.ok) return null;
    const at = placeTimeOf(found.body.data);
    let [newest, oldest] = [1, Math.ceil((this.pages.peek()?.total ?? 0) / LIMIT)];
    while (newest <= oldest) {
      const page = Math.floor((newest + oldest) / 2);
      const outcome = await this.#readPage(page);
      const rows = outcome?.ok ? outcome.body.data : [];
      const [first, last] = [rows[0], rows.at(-1)];
      if (!first || !last) return null;
      if (rows.some((row) => row.id === id)) break;
      if (at > placeTimeOf(first)) oldest = page - 1;
      else if (at < placeTimeOf(last)) newest = page + 1;
      else return null;
    }
    return positionIn(this.pages.peek() ?? NO_PAGES, id);
  }

  async #read(): Promise<Refused | null> {
    if (this.#stale) {
      this.#stale = false;
      const refused = await this.#readAnew();
      if (refused) {
        this.#stale = true;
        return refused;
      }
    }
    for (const page of missingPages(this.pages.peek() ?? NO_PAGES, this.#range, LIMIT)) {
      const outcome = await this.#readPage(page);
      if (!outcome?.ok) return outcome?.refused ?? null;
    }
    return null;
  }

  /** Other pages are forgotten: they are read anew when they come into view again. */
  async #readAnew(): Promise<Refused | null> {
    let fresh = NO_PAGES;
    const read = new Set<number>();
    for (let page: number | undefined = 1; page !== undefined; ) {
      const outcome = await this.#readPage(page);
      if (!outcome?.ok) return outcome?.refused ?? null;
      fresh = withPage(fresh, outcome.body);
      read.add(page);
      page = this.#pagesInView().find((each) => !read.has(each));
    }
    this.pages.value = fresh;
    return null;
  }

  #pagesInView(): readonly number[] {
    const total = this.pages.peek()?.total ?? 0;
    const { first, last } = this.#range;
    if (last < first || total === 0) return [];
    const newest = Math.min(last, total - 1);
    return [pageAt(newest, total, LIMIT), pageAt(Math.min(first, newest), total, LIMIT)];
  }

  /** Null after the end. */
  async #readPage(page: number): Promise<Outcome<HistoryPage> | null> {
    const entries = { conversationId: this.#conversationId, includeNotes: true };
    const path = `/api/v1/messages${query({ ...entries, page, limit: LIMIT })}`;
    const outcome = await call<HistoryPage>('GET', path);
    const known = this.pages.peek();
    // Of a thread that has just been opened all may be old.
    if (known && outcome.ok && hasNewOwn(outcome.body, known)) {
      await answered(this.#conversationId);
    }
    if (this.#repeater.ended) return null;
    this.refused.value = outcome.ok ? null : outcome.refused;
    if (outcome.ok) this.pages.value = withPage(this.pages.peek() ?? NO_PAGES, outcome.body);
    return outcome;
  }
}
