/** A subscription as its organization configured it; at most a second old. */

import { signingSecret } from '../../shared/secret-places.ts';
import type { SubscriptionEntry } from '../domain/organization-state.ts';
import type { World } from '../world.ts';
import type { Reading, SubscriptionShelf } from './shelf.ts';

const FRESH_MS = 1_000;

export interface SubscriptionConfiguration {
  readonly orgId: string;
  readonly entry: SubscriptionEntry;
  /** Opened, newest first; those whose time has run out are left out. */
  readonly secrets: readonly string[];
}

interface Known {
  readonly readAt: number;
  readonly configuration: Promise<SubscriptionConfiguration | null>;
}

export class SubscriptionSource {
  readonly #world: Pick<World, 'clock' | 'vault'>;
  readonly #shelf: SubscriptionShelf;
  readonly #subscriptionId: string;
  #known: Known | null = null;
  #forgottenAt = Number.NEGATIVE_INFINITY;
  /** Opening a secret costs more than a look at it. */
  #opened: ReadonlyMap<string, string> = new Map();

  constructor(
    world: Pick<World, 'clock' | 'vault'>,
    shelf: SubscriptionShelf,
    subscriptionId: string,
  ) {
    this.#world = world;
    this.#shelf = shelf;
    this.#subscriptionId = subscriptionId;
  }

  /** Null when the subscription has been taken away. */
  current(): Promise<SubscriptionConfiguration | null> {
    const now = this.#world.clock.monotonic();
    if (!this.#known || now - this.#known.readAt > FRESH_MS) {
      const since = Math.max(now - FRESH_MS, this.#forgottenAt);
      const { readAt, organization } = this.#shelf.read(this.#subscriptionId, since);
      const known = { readAt, configuration: this.#configure(organization) };
      known.configuration.catch(() => {
        if (this.#known === known) this.#known = null;
      });
      this.#known = known;
    }
    return this.#known.configuration;
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
    this.#forgottenAt = this.#world.clock.monotonic();
  }

  async #configure(reading: Reading['organization']): Promise<SubscriptionConfiguration | null> {
    const organization = await reading;
    const entry = organization?.subscriptions.find((each) => each.id === this.#subscriptionId);
    if (!organization || !entry || entry.removed === true) return null;
    const { clock, vault } = this.#world;
    const now = clock.now();
    const valid = entry.secrets.filter(({ until }) => until === null || until > now);
    const place = signingSecret(organization._id, entry.id);
    this.#opened = new Map(
      valid.map(({ sealed }) => [sealed, this.#opened.get(sealed) ?? vault.open(sealed, place)]),
    );
    return { orgId: organization._id, entry, secrets: [...this.#opened.values()] };
  }
}
