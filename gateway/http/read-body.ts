/**
 * Body stage: collects the body of a request.
 *
 * 1. Chunks are copied at once, because the server reuses their memory.
 * 2. One body never holds more than its limit, all bodies together never more than their budget.
 *    Unauthenticated peers have a budget of their own. A webhook's body counts until it is
 *    answered.
 * 3. A body that is too large is read to its end (up to `DRAIN_FACTOR` limits) before it is
 *    refused. A peer whose connection is cut during its write never sees the answer.
 * 4. A connection whose body is late is cut.
 */
import type { Clock } from '../../shared/ports/clock.ts';

/** A whole body has this long to arrive unless its row says otherwise, milliseconds. */
const BODY_DEADLINE_MS = 30_000;
const DRAIN_FACTOR = 16;
const BUDGET_BYTES = 128 * 1024 * 1024;

export type Body =
  | { readonly kind: 'whole'; readonly bytes: Buffer }
  /** `drained`: the peer's bytes were read to the end, so the connection stays usable. */
  | { readonly kind: 'too_large'; readonly drained: boolean }
  /** All unfinished bodies together hold too much. */
  | { readonly kind: 'overload' }
  /** The peer disconnected, or was too slow: no answer can be sent. */
  | { readonly kind: 'gone' };

/** Bytes held by all unfinished bodies of this process. */
export class BodyBudget {
  held = 0;
  readonly bytes: number;

  constructor(bytes = BUDGET_BYTES) {
    this.bytes = bytes;
  }

  /** Counts bytes that are kept until `work` has ended; null when there is no room for them. */
  async withReserved<T>(bytes: number, work: () => Promise<T>): Promise<T | null> {
    if (this.held + bytes > this.bytes) return null;
    this.held += bytes;
    try {
      return await work();
    } finally {
      this.held -= bytes;
    }
  }
}

/** Separate budgets: peers without a known key must not use the room of those with one. */
export interface BodyBudgets {
  readonly callers: BodyBudget;
  /** Networks too: their signature is verified by the channel's actor. */
  readonly unauthenticated: BodyBudget;
}

export function bodyBudgets(bytesOfEach?: number): BodyBudgets {
  return { callers: new BodyBudget(bytesOfEach), unauthenticated: new BodyBudget(bytesOfEach) };
}

export class BodyReader {
  readonly #maxBytes: number;
  readonly #budget: BodyBudget;
  #chunks: Buffer[] = [];
  #held = 0;
  #received = 0;
  #outcome: Body | null = null;
  #resolve: ((body: Body) => void) | null = null;

  constructor(maxBytes: number, budget: BodyBudget) {
    this.#maxBytes = maxBytes;
    this.#budget = budget;
  }

  push(chunk: ArrayBuffer, last: boolean): void {
    if (this.#outcome) return;
    this.#received += chunk.byteLength;
    if (this.#received > this.#maxBytes) {
      this.#release();
      if (last) this.#finish({ kind: 'too_large', drained: true });
      else if (this.#received > this.#maxBytes * DRAIN_FACTOR) {
        this.#finish({ kind: 'too_large', drained: false });
      }
      return;
    }
    if (chunk.byteLength > 0) this.#append(Buffer.from(new Uint8Array(chunk)));
    if (this.#budget.held > this.#budget.bytes) this.#finish({ kind: 'overload' });
    else if (last) this.#finish({ kind: 'whole', bytes: this.#joined() });
  }

  /** The peer has gone: the body is dropped. */
  abort(): void {
    if (!this.#outcome) this.#finish({ kind: 'gone' });
  }

  /** The body at once if it is all there, else when it is; `close` cuts off a slow sender. */
  read(clock: Clock, close: () => void, withinMs = BODY_DEADLINE_MS): Body | Promise<Body> {
    if (this.#outcome) return this.#outcome;
    const cancel = clock.after(withinMs, () => {
      this.abort();
      close();
    });
    const { promise, resolve } = Promise.withResolvers<Body>();
    this.#resolve = (body) => {
      cancel();
      resolve(body);
    };
    return promise;
  }

  #append(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#held += chunk.byteLength;
    this.#budget.held += chunk.byteLength;
  }

  #joined(): Buffer {
    const [first] = this.#chunks;
    return this.#chunks.length === 1 && first ? first : Buffer.concat(this.#chunks);
  }

  #release(): void {
    this.#budget.held -= this.#held;
    this.#held = 0;
    this.#chunks = [];
  }

  #finish(outcome: Body): void {
    this.#release();
    this.#outcome = outcome;
    this.#resolve?.(outcome);
  }
}
