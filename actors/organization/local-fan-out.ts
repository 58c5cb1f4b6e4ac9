/**
 * Fan-out of events in the process that has committed them, by its view of the organization.
 * Streams need one order of all events of an organization: there its owner does it. Pages that are
 * open are told by the owner too, which keeps the last events.
 */

import type { Command } from '../../shared/ports/bus.ts';
import { liveStreams } from '../domain/organization/streams.ts';
import type { PublishedEvent } from '../domain/published-event.ts';
import type { Environment } from '../environment.ts';
import type { LocalFanOut } from '../outbox/relay.ts';
import type { EventFanOut } from './fan-out.ts';
import type { OrganizationViews } from './views.ts';

declare module '../../shared/wire/command-map.ts' {
  interface OrganizationCommands {
    readonly 'show-events': Exchange<ShowEvents, Acknowledged>;
  }
}

/** Events whose deliveries are recorded, for the pages that are open; may be lost (D241). */
export interface ShowEvents extends Command {
  readonly type: 'show-events';
  readonly events: readonly PublishedEvent[];
}

/** The owner's clock may be far behind: for it a stream that has ended here may be live. */
const CLOCKS_APART_MS = 7 * 24 * 60 * 60 * 1000;
const SHOWN_WITHIN_MS = 2_000;

type FanOutEnvironment = Pick<Environment, 'bus' | 'clock' | 'ids' | 'live'>;

export class FanOutByCommitter implements LocalFanOut {
  readonly #environment: FanOutEnvironment;
  readonly #views: Pick<OrganizationViews, 'read'>;
  readonly #fanOut: EventFanOut;

  constructor(
    environment: FanOutEnvironment,
    views: Pick<OrganizationViews, 'read'>,
    fanOut: EventFanOut,
  ) {
    this.#environment = environment;
    this.#views = views;
    this.#fanOut = fanOut;
  }

  async record(orgId: string, events: readonly PublishedEvent[]): Promise<boolean> {
    const { clock, live } = this.#environment;
    const state = await this.#views.read(orgId);
    if (!state || liveStreams(state, clock.now() - CLOCKS_APART_MS).length > 0) return false;
    await this.#fanOut.withoutStreams(state, events);
    if (live.hasListeners(orgId)) this.#show(orgId, events);
    return true;
  }

  #show(orgId: string, events: readonly PublishedEvent[]): void {
    const { bus, clock, ids } = this.#environment;
    const command: ShowEvents = { id: ids.fresh('shw'), type: 'show-events', events };
    const deadline = clock.now() + SHOWN_WITHIN_MS;
    bus.ask({ kind: 'organization', key: orgId }, command, { deadline }).catch(() => undefined);
  }
}
