/**
 * Rate windows and last uses of an organization's keys. They are in memory, and written once a
 * second and before each release. A crash re-admits at most one second's calls (I27).
 */
import type { Document, Write } from '../../shared/ports/store.ts';
import { decideRateLimit, type RateLimitDecision, type RateWindow } from '../domain/admission.ts';
import type { Environment } from '../environment.ts';
import { describe } from '../runtime/describe-fault.ts';

const WRITE_EVERY_MS = 1_000;

/** Exceeds the number of writes under one epoch. */
const WRITES_MAX = 2 ** 32;

interface Owned {
  readonly orgId: string;
  readonly epoch: number;
}

interface WindowsDocument extends Document {
  /** Rises with each write and each owner: a late write reverts nothing. */
  readonly stamp?: number;
  readonly org?: RateWindow;
  readonly keys: Readonly<Record<string, RateWindow>>;
  readonly lastUsedAt: Readonly<Record<string, number>>;
}

export class RateWindows {
  readonly #orgId: string;
  readonly #environment: Environment;
  readonly #keys: Map<string, RateWindow>;
  readonly #lastUsedAt: Map<string, number>;
  #org: RateWindow | undefined;
  #cancelWrite: (() => void) | null = null;
  #stamp: number;
  #stamped: boolean;
  #closed = false;
  #writing = false;

  constructor({ orgId, epoch }: Owned, environment: Environment, known: WindowsDocument | null) {
    this.#orgId = orgId;
    this.#stamp = firstStamp(epoch, known?.stamp);
    this.#stamped = known === null || known.stamp !== undefined;
    this.#environment = environment;
    this.#org = known?.org;
    this.#keys = new Map(Object.entries(known?.keys ?? {}));
    this.#lastUsedAt = new Map(Object.entries(known?.lastUsedAt ?? {}));
  }

  static async load(owned: Owned, environment: Environment): Promise<RateWindows> {
    const filter = { _id: owned.orgId };
    const known = await environment.store.findOne<WindowsDocument>('windows', filter);
    return new RateWindows(owned, environment, known);
  }

  admit(keyId: string, limits: { keyLimit: number; orgLimit: number }): RateLimitDecision {
    const now = this.#environment.clock.now();
    const input = { key: this.#keys.get(keyId), org: this.#org, ...limits };
    const decision = decideRateLimit(input, now);
    this.#keys.set(keyId, decision.key);
    this.#org = decision.org;
    this.#lastUsedAt.set(keyId, now);
    this.#writeSoon();
    return decision;
  }

  lastUsedAt(keyId: string): number | null {
    return this.#lastUsedAt.get(keyId) ?? null;
  }

  /** Whether a change is not journaled yet. */
  get dirty(): boolean {
    return this.#cancelWrite !== null || this.#writing;
  }

  async flush(): Promise<void> {
    if (!this.#cancelWrite) return;
    this.#cancelWrite();
    this.#cancelWrite = null;
    this.#writing = true;
    try {
      const [outcome] = await this.#environment.store.commit([this.#write()]);
      if (outcome?.ok) this.#stamped = true;
      else if (outcome && 'error' in outcome) throw outcome.error;
    } catch (cause) {
      this.#environment.log.warn({ error: describe(cause) }, 'write of the rate windows failed');
      this.#writeSoon();
    } finally {
      this.#writing = false;
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
      change: {
        $set: {
          stamp,
          org: this.#org,
          keys: Object.fromEntries(this.#keys),
          lastUsedAt: Object.fromEntries(this.#lastUsedAt),
        },
      },
      upsert: true,
    };
  }
}

/** Above every write of the same epoch, and below every write of a later one. */
function firstStamp(epoch: number, known = 0): number {
  const [first, end] = [epoch * WRITES_MAX, (epoch + 1) * WRITES_MAX];
  return known > first && known < end ? known : first;
}
