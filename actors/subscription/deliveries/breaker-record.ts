/**
 * Persistent circuit breaker of one subscription: the next owner continues with it.
 *
 * 1. It is written when it opens, closes or probes, and when a failure has lasted a minute or
 *    ended. A healthy subscription costs no write here. A crash loses the counts of the last
 *    minutes.
 * 2. All changing fields are one subdocument that only rises, as in a delivery (`documents.ts`).
 * 3. A *series* names an outage. It lasts from the first opening until all deliveries parked since
 *    are unparked, over any number of openings. Parked deliveries are found by this name. None is
 *    parked before the name is on record: a crash between the two would park it for ever. The
 *    series ends when reads have found nothing for `LATE_MS`, the time of a late write.
 * 4. A worker without work is closed after a minute, and may be opened again under the same epoch.
 *    The restored revision leaves a gap for writes of the closed worker that are still under way.
 * 5. The store reports a `$max` that loses as a success. A name counts as recorded only when a read
 *    finds it under this epoch. A later state of the same epoch is adopted. A later epoch ends this
 *    owner's work on the subscription.
 * 6. A subscription that was disabled and enabled again gets a new breaker. Its parked deliveries
 *    stay parked until a manual retry. A new address also gets a new breaker, but parked deliveries
 *    are unparked.
 */
import { shelfFor } from '../../../shared/wire/subjects.ts';
import {
  type Admission,
  type AttemptResult,
  type Breaker,
  type BreakerDecision,
  decideAdmission,
  newBreaker,
  recordResult,
} from '../../domain/breaker.ts';
import type { SubscriptionEntry } from '../../domain/organization.ts';
import type { Environment } from '../../environment.ts';
import type { Write } from '../../model/collections.ts';
import type { BreakerState } from '../../model/subscription.ts';
import { commit } from './documents.ts';

/** Between two tries of a worker's triage, or of a look for parked deliveries. */
export const AGAIN_MS = 1_000;
const FAILING_WRITTEN_AFTER_MS = 60_000;
/** Twice the longest call of the store. */
const LATE_MS = 10_000;
/** More revisions than a closed worker can have under way. */
const REVISION_GAP = 1_000;
/** Tries to record one series; the worker tries again a second later. */
const RECORD_TRIES = 3;

type Configured = Pick<SubscriptionEntry, 'url' | 'enabledAt'>;

interface Owner {
  readonly subscriptionId: string;
  readonly epoch: number;
}

export class BreakerRecord {
  readonly #environment: Pick<Environment, 'clock' | 'store'>;
  readonly #owner: Owner;
  #loading: Promise<void> | null = null;
  #breaker: Breaker = newBreaker();
  #series: number | null = null;
  /** The series that a read found on record under this epoch. */
  #named: number | null = null;
  /** Monotonic milliseconds of the reads that find nothing under the series: first and last. */
  #empty: { readonly since: number; readonly at: number } | null = null;
  #revision = 0;
  #configured: Configured | null = null;
  /** Whether the document records that the subscription is failing. */
  #failingWritten = false;

  constructor(environment: Pick<Environment, 'clock' | 'store'>, owner: Owner) {
    this.#environment = environment;
    this.#owner = owner;
  }

  /** Loads once. Later calls reset the breaker when the address changed or it was enabled again. */
  async loadFor({ url, enabledAt }: Configured): Promise<void> {
    this.#loading ??= this.#load().catch((cause: unknown) => {
      this.#loading = null;
      throw cause;
    });
    await this.#loading;
    const known = this.#configured;
    this.#configured = { url, ...(enabledAt === undefined ? {} : { enabledAt }) };
    if (!known) return;
    const enabledAnew = (known.enabledAt ?? 0) !== (enabledAt ?? 0);
    if (enabledAnew) this.#series = null;
    if (enabledAnew || known.url !== url) this.#breaker = newBreaker();
  }

  get open(): boolean {
    return this.#breaker.open !== null;
  }

  /** The name under which deliveries are parked and found again; null without an outage. */
  get series(): number | null {
    return this.#series;
  }

  /** The series to unpark now; null while the breaker is open or a read has just found nothing. */
  get seriesToUnpark(): number | null {
    if (this.open) return null;
    const checkedRecently = this.#empty !== null && this.#monotonic() - this.#empty.at < AGAIN_MS;
    return checkedRecently ? null : this.#series;
  }

  /**
   * The series, once it is on record: every parking awaits it first.
   * @throws {Error} when it is not on record after some tries, or a later owner has written
   */
  async recordSeries(): Promise<number> {
    let series = this.#series ?? this.#environment.clock.now();
    this.#series = series;
    for (let tries = 0; tries < RECORD_TRIES; tries++) {
      this.#empty = null;
      if (this.#named === series) return series;
      await commit(this.#environment, [this.#write()]);
      await this.#readBack();
      // The subscription was enabled again meanwhile: the caller compares.
      if (this.#series === null) return series;
      series = this.#series;
    }
    throw new Error('outage series is not recorded');
  }

  /**
   * Epoch milliseconds of the next check for a probe; null while closed. A due probe that no
   * delivery has claimed is checked again after its wait: nothing else may wake the worker.
   */
  nextProbeAt(now: number): number | null {
    const { open } = this.#breaker;
    if (open === null) return null;
    return open.probeAt > now ? open.probeAt : now + open.waitMs;
  }

  admission(now: number): Admission['admit'] {
    return decideAdmission(this.#breaker, now).admit;
  }

  /** The write belongs to the commit that claims the probe's attempt; null: no probe is due. */
  claimProbe(now: number): Write | null {
    const admission = decideAdmission(this.#breaker, now);
    if (admission.admit !== 'probe') return null;
    this.#breaker = admission.breaker;
    return this.#write();
  }

  /** `write` belongs to the commit of the attempt's outcome. */
  record(result: AttemptResult): Omit<BreakerDecision, 'breaker'> & { write: Write | null } {
    const { breaker, change, disable } = recordResult(this.#breaker, result);
    this.#breaker = breaker;
    if (change === 'opened') this.#series ??= result.now;
    const { failingSince } = breaker;
    const failing = failingSince !== null && result.now - failingSince >= FAILING_WRITTEN_AFTER_MS;
    const recovered = failingSince === null && this.#failingWritten;
    const needsWrite =
      change !== null || result.probe || recovered || (failing && !this.#failingWritten);
    return { change, disable, write: needsWrite ? this.#write() : null };
  }

  foundSome(): void {
    this.#empty = null;
  }

  /** A read found no parked deliveries of the series. Not null: the write that ends the series. */
  foundNone(): Write | null {
    const at = this.#monotonic();
    const since = this.#empty?.since ?? at;
    this.#empty = { since, at };
    if (at - since < LATE_MS) return null;
    this.#series = null;
    this.#empty = null;
    return this.#write();
  }

  #monotonic(): number {
    return this.#environment.clock.monotonic();
  }

  async #load(): Promise<void> {
    const state = await this.#read();
    if (!state) return;
    const { breaker, series, url, enabledAt } = state;
    this.#breaker = breaker;
    this.#series = series;
    if (state.epoch === this.#owner.epoch) this.#revision = state.revision + REVISION_GAP;
    this.#configured = { url, enabledAt };
    this.#failingWritten = breaker.failingSince !== null;
  }

  /** Reads the series on record, and adopts the state of another worker of this epoch. */
  async #readBack(): Promise<void> {
    const state = await this.#read();
    if (state?.epoch !== this.#owner.epoch) return;
    if (state.revision <= this.#revision) {
      this.#named = state.series;
      return;
    }
    // Own writes raise the revision before they are sent: this one is a closed worker's.
    this.#revision = state.revision + REVISION_GAP;
    this.#series = state.series ?? this.#series;
  }

  async #read(): Promise<BreakerState | null> {
    const { store } = this.#environment;
    const known = await store.byId('breakers', this.#owner.subscriptionId);
    const state = known?.state ?? null;
    if (state && state.epoch > this.#owner.epoch) throw new Error('superseded by a later owner');
    return state;
  }

  #write(): Write {
    this.#revision++;
    this.#failingWritten = this.#breaker.failingSince !== null;
    const { subscriptionId, epoch } = this.#owner;
    const state: BreakerState = {
      epoch,
      revision: this.#revision,
      active: this.open || this.#series !== null,
      url: this.#configured?.url ?? '',
      enabledAt: this.#configured?.enabledAt ?? 0,
      series: this.#series,
      breaker: this.#breaker,
    };
    const change = {
      $max: { state },
      $set: { partition: shelfFor('subscription', subscriptionId) },
    };
    return { update: 'breakers', filter: { _id: subscriptionId }, change, upsert: true };
  }
}
