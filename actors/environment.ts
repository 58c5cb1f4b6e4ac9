/** Dependencies of the actors, as ports; `main.ts` connects their implementations. */
import type { OwnerBus } from '../shared/ports/bus.ts';
import type { Clock } from '../shared/ports/clock.ts';
import type { Ids } from '../shared/ports/ids.ts';
import type { LiveHints } from '../shared/ports/live.ts';
import type { Log } from '../shared/ports/log.ts';
import type { Mailer } from '../shared/ports/mailer.ts';
import type { Media } from '../shared/ports/media.ts';
import type { Networks } from '../shared/ports/network.ts';
import type { Outbound } from '../shared/ports/outbound.ts';
import type { Random } from '../shared/ports/random.ts';
import type { StreamPublisher } from '../shared/ports/streams.ts';
import type { Vault } from '../shared/ports/vault.ts';
import type { Store } from './model/collections.ts';
// Completes the maps by which the bus is typed.
import type {} from './model/maps.ts';

export interface Settings {
  /** `{base_url}` of the public API. */
  readonly publicUrl: string;
  /** Of the panel, for links in mails. */
  readonly panelUrl: string;
  readonly callsPerKey: number;
  readonly callsPerOrganization: number;
  /** Waits before the 6 retries, milliseconds. */
  readonly retrySchedule: readonly number[];
  /** Prefix of the headers `{prefix}-Event`, `-Delivery`, `-Signature`. */
  readonly eventHeaderPrefix: string;
  /** Events that may wait for one stream. */
  readonly streamWaitingMax: number;
}

/** The processes with actors. */
export interface KnownMembers {
  /** This process, under its present lease. */
  own(): string;
  /** All whose leases may hold, as the store tells. */
  live(): Promise<readonly string[]>;
}

export interface Environment {
  readonly bus: OwnerBus;
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly ids: Ids;
  readonly log: Log;
  readonly networks: Networks;
  readonly outbound: Outbound;
  readonly media: Media;
  readonly vault: Vault;
  readonly mailer: Mailer;
  readonly live: LiveHints;
  readonly streams: StreamPublisher;
  readonly settings: Settings;
  /** Every read of conversation snapshots passes it first. */
  readonly readBarrier: { pass(orgId: string): Promise<void> };
  readonly members: KnownMembers;
  /** Whether this process holds its lease and may act; checked again before each send. */
  readonly leaseHeld: () => boolean;
}
