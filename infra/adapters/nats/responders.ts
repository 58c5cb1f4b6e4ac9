/**
 * Processes that answer queries, by the subject at which each is asked. A query goes to one of them
 * by chance, so that a second one can be asked of another.
 *
 * 1. They are learnt from whatever they answer. While there are queries, all are asked once a
 *    second who they are: a process that has started gets its share.
 * 2. A process that left a query without an answer, and was not heard since it was asked, is
 *    forgotten until it is heard. One that is stopped, and not yet noticed, would else swallow a
 *    query in four.
 * 3. Where none is left, the queue group is asked.
 */

const DISCOVERED_EVERY_MS = 1_000;

export class Responders {
  readonly #random: () => number;
  /** When each was heard last, monotonic milliseconds. */
  readonly #answeredAt = new Map<string, number>();
  #discoveredAt = Number.NEGATIVE_INFINITY;

  /** @param random from 0 to below 1 */
  constructor(random: () => number) {
    this.#random = random;
  }

  /** One that the query was not sent to yet; null for the queue group. */
  choose(sentTo: ReadonlySet<string>): string | null {
    const left = [...this.#answeredAt.keys()].filter((subject) => !sentTo.has(subject));
    return left[Math.floor(this.#random() * left.length)] ?? null;
  }

  /** Whether all are asked now who they are. @param now monotonic milliseconds */
  startDiscovery(now: number): boolean {
    if (now - this.#discoveredAt < DISCOVERED_EVERY_MS) return false;
    this.#discoveredAt = now;
    return true;
  }

  /** It has answered, whatever it was asked. */
  answered(subject: string, now: number): void {
    this.#answeredAt.set(subject, now);
  }

  /** It has not answered what it was asked at `askedAt`. */
  unanswered(subject: string, askedAt: number): void {
    const answeredAt = this.#answeredAt.get(subject);
    if (answeredAt !== undefined && answeredAt < askedAt) this.gone(subject);
  }

  /** It is no longer on the bus. */
  gone(subject: string): void {
    this.#answeredAt.delete(subject);
  }
}
