/**
 * Rhythm of the synchronisation of templates: an account is listed through any of its channels
 * (D285).
 *
 * 1. A process reads an account's document when a listing may be due, not at each probe: the time
 *    before which none is stays in memory.
 * 2. The network's word that templates have changed is a counted request before its webhook is
 *    answered. Another owner serves it if this process dies.
 * 3. Words that come together lead to one listing: it begins a moment after the first.
 */
import { CLAIM_MS, type ListingCause } from '../../domain/template/account.ts';
import { describe } from '../../runtime/describe-fault.ts';
import type { TemplateEnvironment } from '../../template/claim.ts';
import { accountOf, requestListing, synchronise } from '../../template/synchronise.ts';
import type { ChannelConfiguration } from './configuration.ts';

const TOGETHER_MS = 300;
/** After a fault of the store. */
const RETRY_MS = 30_000;

export interface SyncedChannel {
  /** The configuration as it was read last. */
  readonly configured: () => ChannelConfiguration | null;
  readonly configuration: () => Promise<ChannelConfiguration | null>;
  readonly isClosed: () => boolean;
}

/** The synchronisation as one channel calls it. */
export interface ChannelTemplates {
  /** A listing may be due. */
  readonly onDue: (cause: ListingCause) => void;
  /** The templates have changed. Resolves when the request to list them is kept. */
  readonly onChanged: () => Promise<void>;
}

export class TemplateSync {
  readonly #environment: TemplateEnvironment;
  /** By account: epoch milliseconds before which no listing is due. */
  readonly #nextAt = new Map<string, number>();
  readonly #running = new Map<string, Promise<void>>();
  /** Accounts whose listing begins in a moment. */
  readonly #beginning = new Set<string>();

  constructor(environment: TemplateEnvironment) {
    this.#environment = environment;
  }

  /** Synchronises the account of a channel. */
  of(channel: SyncedChannel): ChannelTemplates {
    let knownRevision: number | null = null;
    const onDue = (cause: ListingCause): void => {
      const configured = channel.configured();
      if (configured === null) return;
      const revision = configured.entry.networkRevision;
      const isChanged = knownRevision !== null && knownRevision !== revision;
      // A former owner may have left a request unserved.
      this.#due(channel, isChanged ? 'fresh' : cause, knownRevision === null);
      knownRevision = revision;
    };
    return { onDue, onChanged: () => this.#changed(channel) };
  }

  #due(channel: SyncedChannel, cause: ListingCause, isFirst: boolean): void {
    const configured = channel.configured();
    const account = configured && accountOf(this.#environment, configured);
    if (account === null) return;
    // A listing under way may use earlier settings than those that were applied.
    if (this.#running.has(account.id) && cause !== 'fresh') return;
    const nextAt = this.#nextAt.get(account.id) ?? 0;
    const isDue = nextAt <= this.#environment.clock.now();
    if (isDue || isFirst || cause === 'fresh') this.#run(account.id, channel, cause);
  }

  async #changed(channel: SyncedChannel): Promise<void> {
    const configuration = await channel.configuration();
    const account = configuration && accountOf(this.#environment, configuration);
    if (account === null) return;
    await requestListing(this.#environment, account);
    this.#scheduleRun(account.id, channel, TOGETHER_MS);
  }

  /** One run for all that asks for it meanwhile. */
  #scheduleRun(accountId: string, channel: SyncedChannel, ms: number): void {
    if (this.#beginning.has(accountId)) return;
    this.#beginning.add(accountId);
    this.#environment.clock.after(ms, () => {
      this.#beginning.delete(accountId);
      this.#run(accountId, channel, 'due');
    });
  }

  /** Runs after what runs for the account: a request may have been counted too late for that. */
  #run(accountId: string, channel: SyncedChannel, cause: ListingCause): void {
    const before = this.#running.get(accountId) ?? Promise.resolve();
    const run = before.then(() => this.#synchronise(accountId, channel, cause));
    this.#running.set(accountId, run);
    void run.finally(() => {
      if (this.#running.get(accountId) === run) this.#running.delete(accountId);
    });
  }

  /** Never rejects. */
  async #synchronise(
    accountId: string,
    channel: SyncedChannel,
    cause: ListingCause,
  ): Promise<void> {
    const { clock, log } = this.#environment;
    const configured = channel.configured();
    if (configured === null || channel.isClosed()) return;
    try {
      const nextAt = await synchronise(this.#environment, configured, cause);
      this.#nextAt.set(accountId, nextAt);
      // Another process lists, and may die: no probe comes as early.
      const waitMs = nextAt - clock.now();
      if (waitMs > 0 && waitMs <= CLAIM_MS) this.#scheduleRun(accountId, channel, waitMs);
    } catch (fault) {
      this.#nextAt.set(accountId, clock.now() + RETRY_MS);
      log.warn({ account: accountId, error: describe(fault) }, 'templates not synchronised');
    }
  }
}
