/**
 * In-doubt recovery. A turn that failed without an answer of the store may have committed, and its
 * events, commands and snapshot are then missing. The owner recovers the actor as the next owner
 * would: soon, and once more after the last moment of a late write. Another failed turn meanwhile
 * restarts both waits.
 */
import type { Partition } from '../../shared/wire/subjects.ts';
import type { Environment } from '../environment.ts';
import type { Kind } from './kind.ts';
import { retryWhile } from './repeat.ts';

const FIRST_MS = 500;
/** The store's own deadline is 5 s: a write is committed within twice that, or never. */
const LATE_MS = 10_000;
/** The late recovery has read by then what was committed. */
const DOUBT_MS = LATE_MS + 5_000;
const RETRY = { firstMs: 1_000 };
/** Partitions acquired within this time are recovered together. */
const GATHER_MS = 100;

interface OwnedPartition {
  readonly partition: Partition;
  readonly epoch: number;
}

type RecoverySettings = Pick<Environment, 'clock' | 'log' | 'leaseHeld'>;

export class InDoubtRecovery {
  readonly #settings: RecoverySettings;
  readonly #isOwned: (owned: OwnedPartition) => boolean;
  /** When each recovery is due, monotonic milliseconds. */
  readonly #due = new Map<string, number>();
  #late: (() => Promise<void>)[] | null = null;

  constructor(settings: RecoverySettings, isOwned: (owned: OwnedPartition) => boolean) {
    this.#settings = settings;
    this.#isOwned = isOwned;
  }

  add(kind: Kind, owned: OwnedPartition, key: string): void {
    const { recover } = kind;
    if (!recover) return;
    kind.doubt?.(key, this.#settings.clock.monotonic() + DOUBT_MS);
    for (const ms of [FIRST_MS, LATE_MS]) {
      const name = `${kind.kind} ${key} ${owned.epoch} ${ms}`;
      const waits = this.#due.has(name);
      this.#due.set(name, this.#settings.clock.monotonic() + ms);
      if (waits) continue;
      this.#wait(name, ms, () => void this.#untilRecovered(owned, () => recover(key, owned.epoch)));
    }
  }

  #wait(name: string, ms: number, run: () => void): void {
    const { clock } = this.#settings;
    clock.after(ms, () => {
      const remainingMs = (this.#due.get(name) ?? 0) - clock.monotonic();
      if (remainingMs > 0) this.#wait(name, remainingMs, run);
      else this.#due.delete(name);
      run();
    });
  }

  /** Late writes of the previous owner may be committed after its successor's first recovery. */
  addPartition(kind: Kind, owned: OwnedPartition): void {
    const { recoverLate } = kind;
    if (!recoverLate) return;
    const late = () =>
      this.#untilRecovered(owned, () => recoverLate(owned.partition.number, owned.epoch));
    this.#late?.push(late);
    if (this.#late) return;
    const batch = [late];
    this.#late = batch;
    const { clock } = this.#settings;
    clock.after(GATHER_MS, () => {
      this.#late = null;
      clock.after(LATE_MS, () => {
        for (const recover of batch) void recover();
      });
    });
  }

  async #untilRecovered(owned: OwnedPartition, recover: () => Promise<void>): Promise<void> {
    const { kind, number } = owned.partition;
    const mayAct = () => this.#settings.leaseHeld() && this.#isOwned(owned);
    const retry = { mayAct, wait: RETRY, failedMessage: 'in-doubt recovery failed' };
    await retryWhile(this.#settings, { ...retry, fields: { kind, number } }, recover);
  }
}
