/** Reads the history of one conversation page by page, as its rows come into view. */
import { signal } from '@preact/signals';
import { call, query, type Refused } from '../base/call.ts';
import { Repeater } from '../base/use-read.ts';
import { listen } from '../live.ts';
import {
  type HistoryPage,
  missingPages,
  NO_PAGES,
  type Pages,
  pageAt,
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

  async #read(): Promise<void> {
    if (this.#stale) {
      this.#stale = false;
      if (!(await this.#readPage(1))) return;
      for (const page of this.#pagesInView()) if (page > 1) await this.#readPage(page);
    }
    const pages = this.pages.peek();
    if (!pages) return;
    for (const page of missingPages(pages, this.#range, LIMIT)) {
      if (!(await this.#readPage(page))) return;
    }
  }

  #pagesInView(): ReadonlySet<number> {
    const total = this.pages.peek()?.total ?? 0;
    const { first, last } = this.#range;
    if (last < first || total === 0) return new Set();
    const newest = Math.min(last, total - 1);
    return new Set([pageAt(newest, total, LIMIT), pageAt(first, total, LIMIT)]);
  }

  async #readPage(page: number): Promise<boolean> {
    const entries = { conversationId: this.#conversationId, includeNotes: true };
    const path = `/api/v1/messages${query({ ...entries, page, limit: LIMIT })}`;
    const outcome = await call<HistoryPage>('GET', path);
    if (this.#repeater.ended) return false;
    this.refused.value = outcome.ok ? null : outcome.refused;
    if (!outcome.ok) return false;
    this.pages.value = withPage(this.pages.peek() ?? NO_PAGES, outcome.body);
    return true;
  }
}
