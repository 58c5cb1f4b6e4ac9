/** Observer of rate windows: which process took the counting over, its recorded calls, and when. */
import type { Write } from '../../../support/plain-store.ts';
import type { WindowsRecord } from '../../checkers/history.ts';

const COLLECTION = 'windows';

export class RateWindowObserver implements WindowsRecord {
  readonly #now: () => number;
  readonly #begun = new WeakMap<Write, number>();
  readonly takenAt: number[] = [];
  readonly begunAt: number[] = [];
  readonly written: { readonly begunAt: number; readonly at: number }[] = [];
  readonly disruptions: { readonly from: number; readonly to: number }[] = [];
  perKey = Number.POSITIVE_INFINITY;

  constructor(now: () => number) {
    this.#now = now;
  }

  disrupt(lastingMs = 0): void {
    this.disruptions.push({ from: this.#now(), to: this.#now() + lastingMs });
  }

  begin(writes: readonly Write[]): void {
    for (const write of writes) {
      if (!('update' in write) || write.update !== COLLECTION) continue;
      this.begunAt.push(this.#now());
      this.#begun.set(write, this.#now());
    }
  }

  tookEffect(write: Write): void {
    const begunAt = this.#begun.get(write);
    if (begunAt !== undefined) this.written.push({ begunAt, at: this.#now() });
  }
}
