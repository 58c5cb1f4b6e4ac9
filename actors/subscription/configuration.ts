/** A subscription as its organization configured it; read again at most once a second. */
import type { SubscriptionEntry } from '../domain/organization-state.ts';
import { signingSecret } from '../domain/secret-places.ts';
import type { OrganizationDocument } from '../organization/documents.ts';
import type { World } from '../world.ts';

const FRESH_MS = 1_000;

export interface SubscriptionConfiguration {
  readonly orgId: string;
  readonly entry: SubscriptionEntry;
  /** Opened, newest first; those whose time has run out are left out. */
  readonly secrets: readonly string[];
}

export class SubscriptionSource {
  readonly #world: World;
  readonly #subscriptionId: string;
  #known: Promise<SubscriptionConfiguration | null> | null = null;
  #readAt = 0;

  constructor(world: World, subscriptionId: string) {
    this.#world = world;
    this.#subscriptionId = subscriptionId;
  }

  /** Null when the subscription has been taken away. */
  current(): Promise<SubscriptionConfiguration | null> {
    const now = this.#world.clock.monotonic();
    if (!this.#known || now - this.#readAt > FRESH_MS) {
      this.#readAt = now;
      this.#known = this.#read().catch((cause: unknown) => {
        this.#known = null;
        throw cause;
      });
    }
    return this.#known;
  }

  /** As it is now, if it was disabled a moment ago: what was enabled since must not be parked. */
  async settled(): Promise<SubscriptionConfiguration | null> {
    const known = await this.current();
    if (known?.entry.enabled !== false) return known;
    this.forget();
    return this.current();
  }

  /** The next look reads it again. */
  forget(): void {
    this.#known = null;
  }

  async #read(): Promise<SubscriptionConfiguration | null> {
    const { store, vault, clock } = this.#world;
    const organization = await store.findOne<OrganizationDocument>(
      'organizations',
      { 'subscriptions.id': this.#subscriptionId },
      { project: { subscriptions: 1, removed: 1 } },
    );
    const entry = organization?.subscriptions.find((each) => each.id === this.#subscriptionId);
    if (!organization || !entry || entry.removed === true) return null;
    const now = clock.now();
    const place = signingSecret(organization._id, entry.id);
    const secrets = entry.secrets
      .filter((secret) => secret.until === null || secret.until > now)
      .map((secret) => vault.open(secret.sealed, place));
    return { orgId: organization._id, entry, secrets };
  }
}
