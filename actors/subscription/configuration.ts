/** Cached configuration of one subscription, at most a second old. */

import { signingSecret } from '../../shared/secret-locations.ts';
import type { SubscriptionEntry } from '../domain/organization/state.ts';
import type { Environment } from '../environment.ts';
import type { Reading, SubscriptionCache } from './subscription-cache.ts';

const FRESH_MS = 1_000;

export interface SubscriptionConfiguration {
  readonly orgId: string;
  readonly entry: SubscriptionEntry;
  /** Opened, newest first, without expired ones. */
  readonly secrets: readonly string[];
}

interface CachedConfiguration {
  readonly readAt: number;
  readonly configuration: Promise<SubscriptionConfiguration | null>;
}

export class ConfigurationSource {
  readonly #environment: Pick<Environment, 'clock' | 'vault'>;
  readonly #cache: SubscriptionCache;
  readonly #subscriptionId: string;
  #cached: CachedConfiguration | null = null;
  #invalidatedAt = Number.NEGATIVE_INFINITY;
  /** Opening a secret costs more than a lookup. */
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

  /**
   * Reads again if it seems disabled: deliveries of a subscription enabled since must not be
   * parked.
   */
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
    const place = signingSecret(organization._id, entry.id);
    this.#openedSecrets = new Map(
      valid.map(({ sealed }) => [
        sealed,
        this.#openedSecrets.get(sealed) ?? vault.open(sealed, place),
      ]),
    );
    return { orgId: organization._id, entry, secrets: [...this.#openedSecrets.values()] };
  }
}
