/**
 * What organizations say of their subscriptions, read once for all of one organization: a hundred
 * desks that each read the hundred entries every second were a tenth of what deliveries cost.
 */
import type { OrganizationDocument } from '../organization/documents.ts';
import type { World } from '../world.ts';

/** Organizations that are kept in mind. */
const KEPT_MAX = 1_000;

export interface Reading {
  /** Monotonic milliseconds, before it was asked for. */
  readonly readAt: number;
  readonly organization: Promise<OrganizationDocument | null>;
}

export class SubscriptionShelf {
  readonly #world: Pick<World, 'store' | 'clock'>;
  /** Of subscriptions that have been read: a subscription never moves. */
  readonly #orgIds = new Map<string, string>();
  readonly #readings = new Map<string, Reading>();

  constructor(world: Pick<World, 'store' | 'clock'>) {
    this.#world = world;
  }

  /** The organization of the subscription, read at `since` or later. */
  read(subscriptionId: string, since: number): Reading {
    const orgId = this.#orgIds.get(subscriptionId);
    const known = orgId === undefined ? undefined : this.#readings.get(orgId);
    if (known && known.readAt > since) return known;
    const filter = orgId === undefined ? { 'subscriptions.id': subscriptionId } : { _id: orgId };
    const reading = this.#start(filter);
    if (orgId !== undefined) this.#keep(orgId, reading);
    reading.organization.then(
      (organization) => organization && this.#learn(organization, reading),
      () => {
        if (orgId !== undefined && this.#readings.get(orgId) === reading) {
          this.#readings.delete(orgId);
        }
      },
    );
    return reading;
  }

  #start(filter: Readonly<Record<string, unknown>>): Reading {
    const { store, clock } = this.#world;
    const project = { subscriptions: 1, removed: 1 } as const;
    return {
      readAt: clock.monotonic(),
      organization: store.findOne<OrganizationDocument>('organizations', filter, { project }),
    };
  }

  #learn({ _id, subscriptions }: OrganizationDocument, reading: Reading): void {
    for (const { id } of subscriptions) this.#orgIds.set(id, _id);
    const known = this.#readings.get(_id);
    if (!known || known.readAt < reading.readAt) this.#keep(_id, reading);
  }

  #keep(orgId: string, reading: Reading): void {
    this.#readings.delete(orgId);
    this.#readings.set(orgId, reading);
    if (this.#readings.size <= KEPT_MAX) return;
    const [oldest] = this.#readings.keys();
    if (oldest !== undefined) this.#readings.delete(oldest);
  }
}
