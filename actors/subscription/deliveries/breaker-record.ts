/**
 * Persistent circuit breaker of one subscription: the next owner continues with it.
 *
 * 1. It is written when it opens, closes or probes, and when a failure has lasted a minute or
 *    ended. A healthy subscription costs no write here. A crash loses the counts of the last
 *    minutes.
 * 2. All changing fields are one subdocument that only rises, as in a delivery (`documents.ts`).
 * 3. A *series* names an outage, and is on record before a delivery is parked under it
 *    (`outage-series.ts`).
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
import { OutageSeries } from './outage-series.ts';

const FAILING_WRITTEN_AFTER_MS = 60_000;
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
  readonly outage = new OutageSeries();
  readonly #environment: Pick<Environment, 'clock' | 'store'>;
  readonly #owner: Owner;
  #loading: Promise<void> | null = null;
  #breaker: Breaker = newBreaker();
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
    if (enabledAnew) this.outage.end();
    if (enabledAnew || known.url !== url) this.#breaker = newBreaker();
  }

  get open(): boolean {
    return this.#breaker.open !== null;
  }

  /**
   * The series, once it is on record: every parking awaits it first.
   * @throws {Error} when it is not on record after some tries, or a later owner has written
   */
  async recordSeries(): Promise<number> {
    let series = this.outage.begin(this.#environment.clock.now());
    for (let tries = 0; tries < RECORD_TRIES; tries++) {
      this.outage.foundSome();
      if (this.outage.isRecorded) return series;
      await commit(this.#environment, [this.#write()]);
      await this.#readBack();
      // The subscription was enabled again meanwhile: the caller compares.
      if (this.outage.name === null) return series;
      series = this.outage.name;
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
    if (change === 'opened') this.outage.begin(result.now);
    const { failingSince } = breaker;
    const failing = failingSince !== null && result.now - failingSince >= FAILING_WRITTEN_AFTER_MS;
    const recovered = failingSince === null && this.#failingWritten;
    const needsWrite =
      change !== null || result.probe || recovered || (failing && !this.#failingWritten);
    return { change, disable, write: needsWrite ? this.#write() : null };
  }

  /** A read found no parked deliveries of the series. Not null: the write that ends the series. */
  foundNone(): Write | null {
    return this.outage.foundNone(this.#environment.clock.monotonic()) ? this.#write() : null;
  }

  async #load(): Promise<void> {
    const state = await readState(this.#environment, this.#owner);
    if (!state) return;
    const { breaker, series, url, enabledAt } = state;
    this.#breaker = breaker;
    this.outage.adopt(series);
    if (state.epoch === this.#owner.epoch) this.#revision = state.revision + REVISION_GAP;
    this.#configured = { url, enabledAt };
    this.#failingWritten = breaker.failingSince !== null;
  }

  /** Reads the series on record, and adopts the state of another worker of this epoch. */
  async #readBack(): Promise<void> {
    const state = await readState(this.#environment, this.#owner);
    if (state?.epoch !== this.#owner.epoch) return;
    if (state.revision <= this.#revision) {
      this.outage.confirm(state.series);
      return;
    }
    // Own writes raise the revision before they are sent: this one is a closed worker's.
    this.#revision = state.revision + REVISION_GAP;
    this.outage.adopt(state.series);
  }

  #write(): Write {
    this.#revision++;
    this.#failingWritten = this.#breaker.failingSince !== null;
    const { subscriptionId, epoch } = this.#owner;
    const state: BreakerState = {
      epoch,
      revision: this.#revision,
      active: this.open || this.outage.name !== null,
      url: this.#configured?.url ?? '',
      enabledAt: this.#configured?.enabledAt ?? 0,
      series: this.outage.name,
      breaker: this.#breaker,
    };
    const change = {
      $max: { state },
      $set: { partition: shelfFor('subscription', subscriptionId) },
    };
    return { update: 'breakers', filter: { _id: subscriptionId }, change, upsert: true };
  }
}

/** @throws {Error} when a later owner has written */
async function readState(
  { store }: Pick<Environment, 'store'>,
  { subscriptionId, epoch }: Owner,
): Promise<BreakerState | null> {
  const known = await store.byId('breakers', subscriptionId);
  const state = known?.state ?? null;
  if (state && state.epoch > epoch) throw new Error('superseded by a later owner');
  return state;
}
