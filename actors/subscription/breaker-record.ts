/**
 * The breaker of one subscription, kept in MongoDB so that the next owner goes on with it.
 *
 * 1. Written when it opens, closes or probes, and when it has been failing for a minute: a healthy
 *    subscription costs no write here. What is lost in a crash is the tally of the last minutes.
 * 2. Everything that changes is one subdocument that only rises, as a delivery's (documents).
 * 3. A *series* lasts from the first opening until everything that was parked since has been taken
 *    up again, over any number of openings: what was parked under it is found by its name. Nothing
 *    is parked before the name is on record: a crash between the two would park it for ever. It
 *    ends when nothing has been found for as long as a write that comes late may take to land.
 * 4. A desk without work is forgotten after a minute and opened again under the same epoch. So the
 *    revision is restored, with a gap for writes of the forgotten desk that are still on their way.
 * 5. The store reports a `$max` that loses as a success. A name counts as recorded only when a read
 *    finds it under this epoch. A later state of the same epoch is adopted, a later epoch ends this
 *    owner's work on the subscription.
 * 6. A subscription that was disabled and enabled again begins anew, and what was parked stays
 *    parked until it is retried by hand. One that got a new address begins anew too, and goes on
 *    with what was parked.
 */
import type { Document, Write } from '../../shared/ports.ts';
import { partitionOf } from '../../shared/wire/subjects.ts';
import {
  type Admission,
  type AttemptResult,
  type Breaker,
  type BreakerDecision,
  decideAdmission,
  newBreaker,
  recordResult,
} from '../domain/breaker.ts';
import type { SubscriptionEntry } from '../domain/organization/state.ts';
import type { Environment } from '../environment.ts';
import { commit } from './commit.ts';
import { AGAIN_MS } from './wake-timer.ts';

const FAILING_WRITTEN_AFTER_MS = 60_000;
/** Twice what a call of the store may last. */
const LATE_MS = 10_000;
/** More revisions than a forgotten desk can have on their way. */
const REVISION_GAP = 1_000;
/** Of one naming; the desk begins anew a second later. */
const RECORD_TRIES = 3;

interface BreakerState {
  readonly epoch: number;
  readonly revision: number;
  /** Something is to be done without being told: probes, or taking up what was parked. */
  readonly active: boolean;
  readonly url: string;
  readonly enabledAt: number;
  readonly series: number | null;
  readonly breaker: Breaker;
}

export interface BreakerDocument extends Document {
  readonly partition: number;
  readonly state: BreakerState;
}

type Configured = Pick<SubscriptionEntry, 'url' | 'enabledAt'>;

export class BreakerRecord {
  readonly #environment: Environment;
  readonly #subscriptionId: string;
  readonly #epoch: number;
  #loading: Promise<void> | null = null;
  #breaker: Breaker = newBreaker();
  #series: number | null = null;
  /** The series that was read back under this epoch. */
  #named: number | null = null;
  /** Monotonic milliseconds: since when nothing has been found under the series, as of when. */
  #empty: { readonly since: number; readonly at: number } | null = null;
  #revision = 0;
  #configured: Configured | null = null;
  /** Whether the written one knows that it is failing. */
  #failingWritten = false;

  constructor(
    environment: Environment,
    { subscriptionId, epoch }: { subscriptionId: string; epoch: number },
  ) {
    this.#environment = environment;
    this.#subscriptionId = subscriptionId;
    this.#epoch = epoch;
  }

  /** Once; then only looks whether the subscription is still the one that it knows. */
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

  /** Under which name deliveries are parked while it is open, and found again afterwards. */
  get series(): number | null {
    return this.#series;
  }

  /** The series under which something may be found that is to be taken up now. */
  get seriesToUnpark(): number | null {
    if (this.open) return null;
    const checkedRecently = this.#empty !== null && this.#monotonic() - this.#empty.at < AGAIN_MS;
    return checkedRecently ? null : this.#series;
  }

  /**
   * The series, on record: to be asked for before each time that something is parked under it.
   *
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
      // The subscription has begun anew meanwhile: the caller compares.
      if (this.#series === null) return series;
      series = this.#series;
    }
    throw new Error('outage series is not recorded');
  }

  /**
   * Epoch milliseconds of the next look for a probe while it is open. A probe that is due and that
   * no delivery has claimed is looked for again after its wait: nothing else may wake the desk.
   */
  nextProbeAt(now: number): number | null {
    const { open } = this.#breaker;
    if (open === null) return null;
    return open.probeAt > now ? open.probeAt : now + open.waitMs;
  }

  admission(now: number): Admission['admit'] {
    return decideAdmission(this.#breaker, now).admit;
  }

  /** To be written together with the claim of the probe's attempt. */
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

  /** Some of what was parked under the series has been found. */
  foundSome(): void {
    this.#empty = null;
  }

  /** Nothing has been found under the series: to be written when it ends with that. */
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
    if (state.epoch === this.#epoch) this.#revision = state.revision + REVISION_GAP;
    this.#configured = { url, enabledAt };
    this.#failingWritten = breaker.failingSince !== null;
  }

  /** Learns the series on record, and adopts the state of another desk of this epoch. */
  async #readBack(): Promise<void> {
    const state = await this.#read();
    if (state?.epoch !== this.#epoch) return;
    if (state.revision <= this.#revision) {
      this.#named = state.series;
      return;
    }
    // Own writes raise the revision before they are sent: this one is of a forgotten desk.
    this.#revision = state.revision + REVISION_GAP;
    this.#series = state.series ?? this.#series;
  }

  async #read(): Promise<BreakerState | null> {
    const { store } = this.#environment;
    const known = await store.byId<BreakerDocument>('breakers', this.#subscriptionId);
    if (known && known.state.epoch > this.#epoch) throw new Error('superseded by a later owner');
    return known?.state ?? null;
  }

  #write(): Write {
    this.#revision++;
    this.#failingWritten = this.#breaker.failingSince !== null;
    const state: BreakerState = {
      epoch: this.#epoch,
      revision: this.#revision,
      active: this.open || this.#series !== null,
      url: this.#configured?.url ?? '',
      enabledAt: this.#configured?.enabledAt ?? 0,
      series: this.#series,
      breaker: this.#breaker,
    };
    const partition = partitionOf('subscription', this.#subscriptionId);
    return {
      update: 'breakers',
      filter: { _id: this.#subscriptionId },
      change: { $max: { state }, $set: { partition } },
      upsert: true,
    };
  }
}
