/**
 * Rate windows and last uses of an organization's keys. They are in memory (`call-windows.ts`), and
 * written once a second and before each release. A crash re-admits at most one second's calls (I27).
 */
import type { AdmissionSlice } from '../../shared/wire/caller.ts';
import type { RateLimitDecision } from '../domain/rate-limits.ts';
import type { Environment } from '../environment.ts';
import type { Write } from '../model/collections.ts';
import type { WindowsDocument } from '../model/organization.ts';
import { describe } from '../runtime/describe-fault.ts';
import { type CallLimits, CallWindows, type WantedSlice } from './call-windows.ts';

const WRITE_EVERY_MS = 1_000;
/** Exceeds the number of writes under one epoch. */
const WRITES_MAX = 2 ** 32;

interface Owned {
  readonly orgId: string;
  readonly epoch: number;
}

export class RateWindows {
  readonly #orgId: string;
  readonly #environment: Environment;
  readonly #windows: CallWindows;
  #cancelWrite: (() => void) | null = null;
  #stamp: number;
  #stamped: boolean;
  #closed = false;
  readonly #writes = new Set<Promise<boolean>>();

  constructor({ orgId, epoch }: Owned, environment: Environment, known: WindowsDocument | null) {
    this.#orgId = orgId;
    this.#stamp = firstStamp(epoch, known?.stamp);
    this.#stamped = known === null || known.stamp !== undefined;
    this.#environment = environment;
    this.#windows = new CallWindows(known);
  }

  static async load(owned: Owned, environment: Environment): Promise<RateWindows> {
    const filter = { _id: owned.orgId };
    const known = await environment.store.findOne('windows', filter);
    return new RateWindows(owned, environment, known);
  }

  admit(keyId: string, limits: CallLimits): RateLimitDecision {
    this.#writeSoon();
    return this.#windows.admit(keyId, limits, this.#environment.clock.now());
  }

  /** Counted at once. Null where too little is left. */
  slice(keyId: string, wanted: WantedSlice): AdmissionSlice | null {
    const slice = this.#windows.slice(keyId, wanted, this.#environment.clock.now());
    if (slice) this.#writeSoon();
    return slice;
  }

  /** The slice was not given away after all. */
  takeBack(slice: AdmissionSlice): void {
    this.#windows.takeBack(slice);
    this.#writeSoon();
  }

  lastUsedAt(keyId: string): number | null {
    return this.#windows.lastUsedAt(keyId);
  }

  /** Whether a change is not journaled yet. */
  get dirty(): boolean {
    return this.#cancelWrite !== null || this.#writes.size > 0;
  }

  /** Whether every change before the call is journaled, and no later owner has written. */
  async flush(): Promise<boolean> {
    if (this.#cancelWrite) {
      this.#cancelWrite();
      this.#cancelWrite = null;
      const writing = this.#commit().finally(() => this.#writes.delete(writing));
      this.#writes.add(writing);
    }
    const written = await Promise.all(this.#writes);
    return !this.#closed && written.every(Boolean);
  }

  async #commit(): Promise<boolean> {
    try {
      const [outcome] = await this.#environment.store.commit([this.#write()]);
      if (outcome?.ok) this.#stamped = true;
      else if (outcome && 'error' in outcome) throw outcome.error;
      return outcome?.ok === true;
    } catch (cause) {
      this.#environment.log.warn({ error: describe(cause) }, 'write of the rate windows failed');
      this.#writeSoon();
      return false;
    }
  }

  close(): void {
    this.#closed = true;
    this.#cancelWrite?.();
    this.#cancelWrite = null;
  }

  #writeSoon(): void {
    if (this.#closed) return;
    this.#cancelWrite ??= this.#environment.clock.after(WRITE_EVERY_MS, () => void this.flush());
  }

  #write(): Write {
    const stamp = ++this.#stamp;
    return {
      update: 'windows',
      filter: { _id: this.#orgId, ...(this.#stamped ? { stamp: { $lt: stamp } } : {}) },
      change: { $set: { stamp, ...this.#windows.counted() } },
      upsert: true,
    };
  }
}

/** Above every write of the same epoch, and below every write of a later one. */
function firstStamp(epoch: number, known = 0): number {
  const [first, end] = [epoch * WRITES_MAX, (epoch + 1) * WRITES_MAX];
  return known > first && known < end ? known : first;
}
