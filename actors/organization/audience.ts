/**
 * Whether anybody hears an event that few want: its commit has none otherwise, and costs as before.
 *
 * 1. It is asked before the commit. A change that begins after a subscription was answered is told
 *    to it (`views.ts`, rule 2); one that is under way meanwhile may not be.
 * 2. Open pages of the panel show events as they happen: they hear all.
 */
import { subscribes } from '../domain/delivery.ts';
import { CLOCK_SKEW_MS, liveStreams } from '../domain/organization/streams.ts';
import type { Environment } from '../environment.ts';
import type { OrganizationViews } from './views.ts';

export class Audience {
  readonly #environment: Pick<Environment, 'clock' | 'live'>;
  readonly #views: Pick<OrganizationViews, 'read'>;

  constructor(
    environment: Pick<Environment, 'clock' | 'live'>,
    views: Pick<OrganizationViews, 'read'>,
  ) {
    this.#environment = environment;
    this.#views = views;
  }

  async isHearing(orgId: string, event: string): Promise<boolean> {
    const { clock, live } = this.#environment;
    if (live.hasListeners(orgId)) return true;
    const state = await this.#views.read(orgId);
    if (!state) return false;
    const webhooks = state.subscriptions.filter(({ removed }) => removed !== true);
    const hearing = [...webhooks, ...liveStreams(state, clock.now() - CLOCK_SKEW_MS)];
    return hearing.some(({ events }) => subscribes(events, event));
  }
}
