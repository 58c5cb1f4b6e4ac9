/** LRU cache of contact indexes, for organizations that search. Its memory is bounded. */
import type { Environment } from '../environment.ts';
import { describe } from '../runtime/describe-fault.ts';
import { ContactIndex, TooLarge } from './contact-index.ts';
import { NotCounted } from './contact-reads.ts';
import { HitListCache } from './hit-list-cache.ts';
import type { FoundPage, PageRange } from './substring-index.ts';
import { startTimeSlice } from './time-slice.ts';

/** For all organizations; the one that searches stays in any case, within its own bound. */
const INDEXES_MAX_BYTES = 768 * 1024 * 1024;
const IDLE_MAX_MS = 60 * 60_000;
/** A first search waits for a read that should end within this time. Else the store searches. */
const READING_WAIT_MS = 6_000;
const CHECK_MS = 1_000;

export class IndexCache {
  readonly #environment: Pick<Environment, 'store' | 'clock' | 'log'>;
  /** The least recently used first. */
  readonly #indexes = new Map<string, { readonly index: ContactIndex; readonly usedAt: number }>();
  readonly #options = { hitLists: new HitListCache(), maxBytes: INDEXES_MAX_BYTES };

  constructor(environment: Pick<Environment, 'store' | 'clock' | 'log'>) {
    this.#environment = environment;
  }

  /** The page as of now; null while the contacts are not in memory. */
  async search(orgId: string, text: string, range: PageRange): Promise<FoundPage | null> {
    const index = await this.#current(orgId);
    const { clock } = this.#environment;
    return index?.substringIndex.search(text, range, startTimeSlice(clock)) ?? null;
  }

  /** The refreshed index; null when the refresh fails or lasts too long. */
  async #current(orgId: string): Promise<ContactIndex | null> {
    const { log } = this.#environment;
    const index = this.#of(orgId);
    const wasRead = index.isRead;
    const refreshing = index.refresh();
    try {
      if (wasRead) await refreshing;
      else if (!(await this.#inTime(index, refreshing))) return null;
      return index.isRead ? index : null;
    } catch (cause) {
      if (!(cause instanceof NotCounted || cause instanceof TooLarge)) {
        log.warn({ orgId, error: describe(cause) }, 'contact index refresh failed');
      }
      return null;
    }
  }

  async #inTime(index: ContactIndex, refreshing: Promise<void>): Promise<boolean> {
    const { clock, log } = this.#environment;
    const done = refreshing.then(() => true);
    done.catch((fault: unknown) => {
      log.debug({ error: describe(fault) }, 'contact index read failed');
    });
    for (let waitedMs = CHECK_MS; waitedMs <= READING_WAIT_MS; waitedMs += CHECK_MS) {
      const { promise: later, resolve } = Promise.withResolvers<boolean>();
      const cancel = clock.after(CHECK_MS, () => resolve(false));
      if (await Promise.race([done, later]).finally(cancel)) return true;
      if (waitedMs + index.readingLeftMs > READING_WAIT_MS) return false;
    }
    return false;
  }

  #of(orgId: string): ContactIndex {
    const now = this.#environment.clock.now();
    const index =
      this.#indexes.get(orgId)?.index ?? new ContactIndex(this.#environment, orgId, this.#options);
    this.#indexes.delete(orgId);
    this.#indexes.set(orgId, { index, usedAt: now });
    let retainedBytes = 0;
    for (const [each, { index: other, usedAt }] of [...this.#indexes].reverse()) {
      retainedBytes += other.bytes;
      const tooMany = retainedBytes > INDEXES_MAX_BYTES || now - usedAt > IDLE_MAX_MS;
      if (each !== orgId && tooMany) this.#indexes.delete(each);
    }
    return index;
  }
}
