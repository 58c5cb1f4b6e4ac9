/**
 * Pace of a page's reads (D240). A read begins at once after a quiet time. The pause behind it
 * grows with the page's reads, since a session's calls are limited. It grows with the hints too:
 * in a busy hour reads would cost the service more than its messages.
 */

const LEAST_MS = 100;
const MOST_MS = 1_000;
const MS_FOR_READS_PER_SECOND = 20;
const MS_FOR_HINTS_PER_SECOND = 4;
const WINDOW_MS = 2_000;
const FIRST_RETRY_MS = 3_000;
const LAST_RETRY_MS = 30_000;

/** Events a second, of about the last two seconds: older ones fade. */
class Rate {
  #events = 0;
  #at = 0;

  add(count: number, at: number): void {
    this.#events = this.#fadedBy(at) + count;
    this.#at = at;
  }

  perSecond(at: number): number {
    return (this.#fadedBy(at) * 1000) / WINDOW_MS;
  }

  #fadedBy(at: number): number {
    return this.#events * Math.exp((this.#at - at) / WINDOW_MS);
  }
}

/** All times are milliseconds of one clock. */
export class ReadPace {
  readonly #reads = new Rate();
  readonly #hints = new Rate();

  hinted(count: number, at: number): void {
    this.#hints.add(count, at);
  }

  /** Counts a read that ended, and answers the pause behind it. */
  read(at: number): number {
    this.#reads.add(1, at);
    const forReads = this.#reads.perSecond(at) * MS_FOR_READS_PER_SECOND;
    const forHints = this.#hints.perSecond(at) * MS_FOR_HINTS_PER_SECOND;
    return Math.min(MOST_MS, Math.max(LEAST_MS, forReads, forHints));
  }
}

/**
 * Pause before the repeat of a refused read. It doubles, but never undercuts what the server asks.
 * @param refusals of this read, one after another
 */
export function retryMs(refusals: number, askedMs: number, chance: number): number {
  const pauseMs = Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** (refusals - 1));
  return Math.max(pauseMs * (1 - chance / 4), askedMs);
}

/** Of this page. */
export const readPace = new ReadPace();
