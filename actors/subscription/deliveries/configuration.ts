/**
 * Cached configuration of one subscription, at most a second old.
 *
 * One read serves all subscriptions of an organization. A hundred workers that each read the
 * hundred entries every second would cost a tenth of all delivery work. Subscriptions that are
 * first needed at one moment share one query. Otherwise an organization's first event waits 80 to
 * 120 ms for a hundred reads of the same document.
 */
import { signingSecret } from '../../../shared/entity-ids.ts';
import { GenerationalCache } from '../../../shared/generational-cache.ts';
import type { SubscriptionEntry } from '../../domain/organization.ts';
import type { Environment } from '../../environment.ts';
import type { OrganizationDocument } from '../../model/organization.ts';
import { Batcher } from '../../runtime/concurrency.ts';

const FRESH_MS = 1_000;

export interface SubscriptionConfiguration {
  readonly orgId: string;
  readonly entry: SubscriptionEntry;
  /** Opened, newest first, without expired ones. */
  readonly secrets: readonly string[];
}

export class ConfigurationSource {
  readonly #environment: Pick<Environment, 'clock' | 'vault'>;
  readonly #cache: SubscriptionCache;
  readonly #subscriptionId: string;
  #cached: { readAt: number; configuration: Promise<SubscriptionConfiguration | null> } | null =
    null;
  #invalidatedAt = Number.NEGATIVE_INFINITY;
  /** Opening a secret costs more than a lookup. At most two: during a rotation both are valid. */
  #openedSecrets: ReadonlyMap<string, string> = new Map();

  constructor(
    environment: Pick<Environment, 'clock' | 'vault'>,
    cache: SubscriptionCache,
    subscriptionId: string,
  ) {
    this.#environment = environment;
    this.#cache = cache;
    this.#subscriptionId = subscriptionId;
  }

  /** Null when the subscription was removed. */
  read(): Promise<SubscriptionConfiguration | null> {
    const now = this.#environment.clock.monotonic();
    if (!this.#cached || now - this.#cached.readAt > FRESH_MS) {
      const since = Math.max(now - FRESH_MS, this.#invalidatedAt);
      const { readAt, organization } = this.#cache.read(this.#subscriptionId, since);
      const cached = { readAt, configuration: this.#configure(organization) };
      cached.configuration.catch(() => {
        if (this.#cached === cached) this.#cached = null;
      });
      this.#cached = cached;
    }
    return this.#cached.configuration;
  }

  /** Reads again if it seems disabled: deliveries of one enabled since must not be parked. */
  async readConfirmed(): Promise<SubscriptionConfiguration | null> {
    const cached = await this.read();
    if (cached?.entry.enabled !== false) return cached;
    this.invalidate();
    return this.read();
  }

  /** The next `read` reads the store again. */
  invalidate(): void {
    this.#cached = null;
    this.#invalidatedAt = this.#environment.clock.monotonic();
  }

  async #configure(reading: Reading['organization']): Promise<SubscriptionConfiguration | null> {
    const organization = await reading;
    const entry = organization?.subscriptions.find((each) => each.id === this.#subscriptionId);
    if (!organization || !entry || entry.removed === true) return null;
    const { clock, vault } = this.#environment;
    const now = clock.now();
    const valid = entry.secrets.filter(({ until }) => until === null || until > now);
    const location = signingSecret(organization._id, entry.id);
    const opened = (sealed: string): string =>
      this.#openedSecrets.get(sealed) ?? vault.open(sealed, location);
    this.#openedSecrets = new Map(valid.map(({ sealed }) => [sealed, opened(sealed)]));
    return { orgId: organization._id, entry, secrets: [...this.#openedSecrets.values()] };
  }
}

/** Organizations in the cache at most. */
const CACHED_MAX = 1_000;
/** Subscriptions with a known organization at most; any other needs a query. */
const SUBSCRIPTIONS_MAX = 100_000;
/** Subscriptions of one query. */
const LOOKUP_BATCH_MAX = 200;
const PROJECT = { subscriptions: 1, removed: 1 } as const;

type Configured = Pick<OrganizationDocument, '_id' | keyof typeof PROJECT>;

export interface Reading {
  /** Monotonic milliseconds, before the read began. */
  readonly readAt: number;
  readonly organization: Promise<Configured | null>;
}

export class SubscriptionCache {
  readonly #environment: Pick<Environment, 'store' | 'clock'>;
  /** Organizations of known subscriptions: a subscription never moves. */
  readonly #orgIds: GenerationalCache<string, string>;
  readonly #cachedMax: number;
  readonly #readings = new Map<string, Reading>();
  readonly #lookups = new Batcher((ids: readonly string[]) => this.#findAll(ids));

  constructor(
    environment: Pick<Environment, 'store' | 'clock'>,
    { cachedMax = CACHED_MAX, subscriptionsMax = SUBSCRIPTIONS_MAX } = {},
  ) {
    this.#environment = environment;
    this.#cachedMax = cachedMax;
    this.#orgIds = new GenerationalCache(subscriptionsMax);
  }

  /** The organization of the subscription, from a read that began after `since`. */
  read(subscriptionId: string, since: number): Reading {
    const orgId = this.#orgIds.get(subscriptionId);
    const known = orgId === undefined ? undefined : this.#readings.get(orgId);
    if (known && known.readAt > since) return known;
    const reading: Reading = {
      readAt: this.#environment.clock.monotonic(),
      organization: orgId === undefined ? this.#find(subscriptionId) : this.#read(orgId),
    };
    if (orgId !== undefined) this.#keep(orgId, reading);
    reading.organization.then(
      (organization) => organization && this.#keepIfNewer(organization._id, reading),
      () => {
        if (orgId === undefined || this.#readings.get(orgId) !== reading) return;
        this.#readings.delete(orgId);
      },
    );
    return reading;
  }

  async #read(orgId: string): Promise<Configured | null> {
    const { store } = this.#environment;
    const organization = await store.findOne('organizations', { _id: orgId }, { project: PROJECT });
    if (organization) this.#indexSubscriptions(organization);
    return organization;
  }

  async #find(subscriptionId: string): Promise<Configured | null> {
    return (await this.#lookups.add(subscriptionId)).get(subscriptionId) ?? null;
  }

  /** Organizations by subscription. */
  async #findAll(subscriptionIds: readonly string[]) {
    const found = new Map<string, Configured>();
    for (let from = 0; from < subscriptionIds.length; from += LOOKUP_BATCH_MAX) {
      const some = subscriptionIds.slice(from, from + LOOKUP_BATCH_MAX);
      const filter = { 'subscriptions.id': { $in: some } };
      const { store } = this.#environment;
      const organizations = await store.find('organizations', filter, { project: PROJECT });
      for (const organization of organizations) {
        this.#indexSubscriptions(organization);
        for (const { id } of organization.subscriptions) found.set(id, organization);
      }
    }
    return found;
  }

  #indexSubscriptions({ _id, subscriptions }: Configured): void {
    for (const { id } of subscriptions) this.#orgIds.set(id, _id);
  }

  #keepIfNewer(orgId: string, reading: Reading): void {
    const known = this.#readings.get(orgId);
    if (!known || known.readAt < reading.readAt) this.#keep(orgId, reading);
  }

  #keep(orgId: string, reading: Reading): void {
    this.#readings.delete(orgId);
    this.#readings.set(orgId, reading);
    if (this.#readings.size <= this.#cachedMax) return;
    const [oldest] = this.#readings.keys();
    if (oldest !== undefined) this.#readings.delete(oldest);
  }
}
