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

const SOON_MS = 500;
/** The store's own deadline is 5 s: a write is committed within twice that, or never. */
const LATE_MS = 10_000;
/** The late recovery has read by then what was committed. */
const DOUBT_MS = LATE_MS + 5_000;
const RETRY = { firstMs: 1_000 };
/** Partitions acquired within this time are recovered together. */
const GATHER_MS = 100;

interface HeldPartition {
  readonly partition: Partition;
  readonly epoch: number;
}

type RecoverySettings = Pick<Environment, 'clock' | 'log' | 'leaseHeld'>;

export class InDoubtRecovery {
  readonly #settings: RecoverySettings;
  readonly #holds: (held: HeldPartition) => boolean;
  /** When each recovery is due, monotonic milliseconds. */
  readonly #due = new Map<string, number>();
  #late: (() => Promise<void>)[] | null = null;

  constructor(settings: RecoverySettings, holds: (held: HeldPartition) => boolean) {
    this.#settings = settings;
    this.#holds = holds;
  }

  add(kind: Kind, held: HeldPartition, key: string): void {
    const { recover } = kind;
    if (!recover) return;
    kind.doubt?.(key, this.#settings.clock.monotonic() + DOUBT_MS);
    for (const ms of [SOON_MS, LATE_MS]) {
      const name = `${kind.kind} ${key} ${held.epoch} ${ms}`;
      const waits = this.#due.has(name);
      this.#due.set(name, this.#settings.clock.monotonic() + ms);
      if (waits) continue;
      this.#wait(name, ms, () => void this.#untilRecovered(held, () => recover(key, held.epoch)));
    }
  }

  #wait(name: string, ms: number, run: () => void): void {
    const { clock } = this.#settings;
    clock.after(ms, () => {
      const left = (this.#due.get(name) ?? 0) - clock.monotonic();
      if (left > 0) this.#wait(name, left, run);
      else this.#due.delete(name);
      run();
    });
  }

  /** Late writes of the previous owner may be committed after its successor's first recovery. */
  addPartition(kind: Kind, held: HeldPartition): void {
    const { recoverLate } = kind;
    if (!recoverLate) return;
    const late = () =>
      this.#untilRecovered(held, () => recoverLate(held.partition.number, held.epoch));
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

  async #untilRecovered(held: HeldPartition, recover: () => Promise<void>): Promise<void> {
    const { kind, number } = held.partition;
    const mayAct = () => this.#settings.leaseHeld() && this.#holds(held);
    const retry = { mayAct, wait: RETRY, failedMessage: 'in-doubt recovery failed' };
    await retryWhile(this.#settings, { ...retry, fields: { kind, number } }, recover);
  }
}
