/**
 * Cache of the subscriptions of organizations, read once for all of one organization. A hundred
 * workers that each read the hundred entries every second would cost a tenth of all delivery work.
 * Subscriptions that are first needed at one moment share one query. Otherwise an organization's
 * first event waits 80 to 120 ms for a hundred reads of the same document.
 */
import { GenerationalCache } from '../../shared/generational-cache.ts';
import type { Environment } from '../environment.ts';
import type { OrganizationDocument } from '../organization/documents.ts';
import { Batcher } from '../runtime/batcher.ts';

/** Organizations in the cache at most. */
const KEPT_MAX = 1_000;
/** Subscriptions with a known organization at most; any other needs a query. */
const SUBSCRIPTIONS_MAX = 100_000;
/** Subscriptions of one query. */
const LOOKUP_BATCH_MAX = 200;
const PROJECT = { subscriptions: 1, removed: 1 } as const;

/** Organizations by subscription. */
type Found = ReadonlyMap<string, OrganizationDocument>;

export interface Reading {
  /** Monotonic milliseconds, before the read began. */
  readonly readAt: number;
  readonly organization: Promise<OrganizationDocument | null>;
}

export class SubscriptionCache {
  readonly #environment: Pick<Environment, 'store' | 'clock'>;
  /** Organizations of known subscriptions: a subscription never moves. */
  readonly #orgIds: GenerationalCache<string, string>;
  readonly #keptMax: number;
  readonly #readings = new Map<string, Reading>();
  readonly #lookups = new Batcher((ids: readonly string[]) => this.#findAll(ids));

  constructor(
    environment: Pick<Environment, 'store' | 'clock'>,
    { keptMax = KEPT_MAX, subscriptionsMax = SUBSCRIPTIONS_MAX } = {},
  ) {
    this.#environment = environment;
    this.#keptMax = keptMax;
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
        if (orgId !== undefined && this.#readings.get(orgId) === reading) {
          this.#readings.delete(orgId);
        }
      },
    );
    return reading;
  }

  async #read(orgId: string): Promise<OrganizationDocument | null> {
    const { store } = this.#environment;
    const organization = await store.findOne<OrganizationDocument>(
      'organizations',
      { _id: orgId },
      { project: PROJECT },
    );
    if (organization) this.#indexSubscriptions(organization);
    return organization;
  }

  async #find(subscriptionId: string): Promise<OrganizationDocument | null> {
    return (await this.#lookups.add(subscriptionId)).get(subscriptionId) ?? null;
  }

  async #findAll(subscriptionIds: readonly string[]): Promise<Found> {
    const found = new Map<string, OrganizationDocument>();
    for (let from = 0; from < subscriptionIds.length; from += LOOKUP_BATCH_MAX) {
      const some = subscriptionIds.slice(from, from + LOOKUP_BATCH_MAX);
      const filter = { 'subscriptions.id': { $in: some } };
      const organizations = await this.#environment.store.find<OrganizationDocument>(
        'organizations',
        filter,
        { project: PROJECT },
      );
      for (const organization of organizations) {
        this.#indexSubscriptions(organization);
        for (const { id } of organization.subscriptions) found.set(id, organization);
      }
    }
    return found;
  }

  #indexSubscriptions({ _id, subscriptions }: OrganizationDocument): void {
    for (const { id } of subscriptions) this.#orgIds.set(id, _id);
  }

  #keepIfNewer(orgId: string, reading: Reading): void {
    const known = this.#readings.get(orgId);
    if (!known || known.readAt < reading.readAt) this.#keep(orgId, reading);
  }

  #keep(orgId: string, reading: Reading): void {
    this.#readings.delete(orgId);
    this.#readings.set(orgId, reading);
    if (this.#readings.size <= this.#keptMax) return;
    const [oldest] = this.#readings.keys();
    if (oldest !== undefined) this.#readings.delete(oldest);
  }
}
