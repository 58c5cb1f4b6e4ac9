/**
 * Which deliveries have left the desk a moment ago, so that an older picture of one is not taken
 * for news: a page of the agenda that was read before the outcome was written, or a nudge that
 * waited for the NATS server to come back.
 *
 * 1. A state is remembered until every read that began before it has ended, and for 10 s at least.
 * 2. Beyond `MEMORIES_MAX` the oldest tenth is forgotten: a picture older than that may then be
 *    posted once more, under the same event id.
 * 3. Nobody may trust a document that has been on its way for longer than `TRUSTED_MS` without a
 *    read that is announced here.
 */
import type { Clock } from '../../shared/ports.ts';
import { type DeliveryDocument, type DeliveryRecord, isLater } from './documents.ts';

export const TRUSTED_MS = 5_000;
const REMEMBERED_MS = 2 * TRUSTED_MS;
const FORGOTTEN_EVERY_MS = 100;
const MEMORIES_MAX = 200_000;
const FORGOTTEN_SHARE = 0.1;

interface Memory {
  readonly at: number;
  readonly state: Pick<DeliveryRecord, 'epoch' | 'revision'>;
}

export class Settled {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #memoriesMax: number;
  readonly #memories = new Map<string, Memory>();
  #forgotAt = Number.NEGATIVE_INFINITY;
  readonly #reads = new Set<{ readonly from: number }>();

  constructor(clock: Pick<Clock, 'monotonic'>, memoriesMax = MEMORIES_MAX) {
    this.#clock = clock;
    this.#memoriesMax = memoriesMax;
  }

  get size(): number {
    return this.#memories.size;
  }

  note({ _id, state: { epoch, revision } }: DeliveryDocument): void {
    this.#forgetOld();
    // Taken out first: the map stays in order of time.
    this.#memories.delete(_id);
    this.#memories.set(_id, { at: this.#clock.monotonic(), state: { epoch, revision } });
    if (this.#memories.size > this.#memoriesMax) this.#forgetSome();
  }

  /** False for a picture of an earlier state. */
  isNews({ _id, state }: DeliveryDocument): boolean {
    this.#forgetOld();
    const memory = this.#memories.get(_id);
    return !memory || !isLater(memory.state, state);
  }

  /** Looks at what `read` finds before anything that was settled since it began is forgotten. */
  async during<T>(read: () => Promise<T>, look: (found: T) => void): Promise<void> {
    const reading = { from: this.#clock.monotonic() };
    this.#reads.add(reading);
    try {
      look(await read());
    } finally {
      this.#reads.delete(reading);
    }
  }

  /** Many at once, for the same reason as below. */
  #forgetSome(): void {
    let left = Math.ceil(this.#memoriesMax * FORGOTTEN_SHARE);
    for (const id of this.#memories.keys()) {
      if (left-- <= 0) return;
      this.#memories.delete(id);
    }
  }

  /** Now and then: a map that is emptied from its front is slow to say what its front is. */
  #forgetOld(): void {
    const now = this.#clock.monotonic();
    if (now - this.#forgotAt < FORGOTTEN_EVERY_MS) return;
    this.#forgotAt = now;
    let before = now - REMEMBERED_MS;
    for (const { from } of this.#reads) before = Math.min(before, from);
    for (const [id, { at }] of this.#memories) {
      if (at >= before) return;
      this.#memories.delete(id);
    }
  }
}
