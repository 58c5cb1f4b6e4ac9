/** Everything outside the actors, as ports; `main.ts` wires the real parts into it. */

import type { Media } from '../shared/media.ts';
import type { Mailer } from '../shared/ports/mailer.ts';
import type { Networks } from '../shared/ports/network.ts';
import type { Clock, Ids, Log, Outbound, OwnerBus, Random, Store, Vault } from '../shared/ports.ts';

export interface Settings {
  /** `{base_url}`: what the service prints and serves. */
  readonly publicUrl: string;
  readonly callsPerKey: number;
  readonly callsPerOrganization: number;
  /** The waits before the 6 retries, milliseconds. */
  readonly retrySchedule: readonly number[];
  /** `{prefix}-Event`, `-Delivery`, `-Signature`. */
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
  /** Passed by whoever reads snapshots of conversations. */
  readonly readBarrier: { pass(): Promise<void> };
  /** Whether this process may act now: its lease stands. Checked once more before each send. */
  readonly leaseHeld: () => boolean;
}
