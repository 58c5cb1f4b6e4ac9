/** Dependencies of the actors, as ports; `main.ts` connects their implementations. */

import type { Media } from '../shared/media.ts';
import type { Mailer } from '../shared/ports/mailer.ts';
import type { Networks } from '../shared/ports/network.ts';
import type { Clock, Ids, Log, Outbound, OwnerBus, Random, Store, Vault } from '../shared/ports.ts';

export interface Settings {
  /** `{base_url}` of the public API. */
  readonly publicUrl: string;
  readonly callsPerKey: number;
  readonly callsPerOrganization: number;
  /** Waits before the 6 retries, milliseconds. */
  readonly retrySchedule: readonly number[];
  /** Prefix of the headers `{prefix}-Event`, `-Delivery`, `-Signature`. */
  readonly eventHeaderPrefix: string;
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
  readonly settings: Settings;
  /** Every read of conversation snapshots passes it first. */
  readonly readBarrier: { pass(): Promise<void> };
  /** Whether this process holds its lease and may act; checked again before each send. */
  readonly leaseHeld: () => boolean;
}
