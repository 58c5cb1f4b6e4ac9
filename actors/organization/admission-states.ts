/**
 * Admission states: rate windows and answered admissions by organization, for one tenure. They
 * outlive the actor, which may be closed between any two turns.
 *
 * The state of a closed actor is evicted when its windows have ended and are written. The next call
 * reads them from the store.
 */
import { RATE_WINDOW_MS } from '../../shared/limits.ts';
import { partitionOf } from '../../shared/wire/subjects.ts';
import type { Environment } from '../environment.ts';
import { CompletionRecords } from '../runtime/completion-records.ts';
import { RateWindows } from './rate-windows.ts';

export interface AdmissionState {
  readonly windows: RateWindows;
  /** Answers of earlier admissions, for repeats. */
  readonly admissions: CompletionRecords;
}

interface OwnedAdmissionState {
  readonly epoch: number;
  readonly state: Promise<AdmissionState>;
  /** Monotonic milliseconds; null while an actor uses it. */
  releasedAt: number | null;
}

/** Longer than a window, and than any turn that outlives its actor. */
const IDLE_MS = 2 * RATE_WINDOW_MS;

export class AdmissionStates {
  readonly #environment: Environment;
  readonly #states = new Map<string, OwnedAdmissionState>();
  #evictionScheduled = false;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  acquire(orgId: string, epoch: number): Promise<AdmissionState> {
    const known = this.#states.get(orgId);
    if (known?.epoch === epoch) {
      known.releasedAt = null;
      return known.state;
    }
    const state = this.#begin(orgId, epoch);
    // A turn that outlives its tenure must not replace the state of a later one.
    if (known && known.epoch > epoch) return state;
    const owned: OwnedAdmissionState = { epoch, state, releasedAt: null };
    this.#states.set(orgId, owned);
    if (known) closeWindows(known);
    state.catch(() => {
      if (this.#states.get(orgId) === owned) this.#states.delete(orgId);
    });
    return state;
  }

  /** Number of organizations in memory. */
  get size(): number {
    return this.#states.size;
  }

  /** Called when the organization's actor is closed. */
  release(orgId: string, epoch: number): void {
    const owned = this.#states.get(orgId);
    if (owned?.epoch !== epoch) return;
    owned.releasedAt = this.#environment.clock.monotonic();
    this.#scheduleEviction();
  }

  #scheduleEviction(): void {
    if (this.#evictionScheduled) return;
    this.#evictionScheduled = true;
    this.#environment.clock.after(IDLE_MS, () => void this.#evictIdle());
  }

  async #evictIdle(): Promise<void> {
    const before = this.#environment.clock.monotonic() - IDLE_MS;
    let remaining = false;
    for (const [orgId, owned] of this.#states) {
      if (owned.releasedAt === null) continue;
      const isOld = owned.releasedAt <= before;
      const isWritten = isOld && (await owned.state.then(isClean, () => true));
      const isEvictable = isWritten && owned.releasedAt !== null && owned.releasedAt <= before;
      if (isEvictable && this.#states.get(orgId) === owned) this.#states.delete(orgId);
      else remaining = true;
    }
    this.#evictionScheduled = false;
    if (remaining) this.#scheduleEviction();
  }

  releasePartition(partition: number): void {
    for (const [orgId, owned] of this.#states) {
      if (partitionOf('organization', orgId) !== partition) continue;
      this.#states.delete(orgId);
      closeWindows(owned);
    }
  }

  async #begin(orgId: string, epoch: number): Promise<AdmissionState> {
    const windows = await RateWindows.load({ orgId, epoch }, this.#environment);
    return { windows, admissions: new CompletionRecords(this.#environment.clock) };
  }
}

function isClean({ windows }: AdmissionState): boolean {
  return !windows.dirty;
}

function closeWindows({ state }: OwnedAdmissionState): void {
  // The caller of `acquire` gets the read error.
  state.then(
    ({ windows }) => windows.close(),
    () => undefined,
  );
}
