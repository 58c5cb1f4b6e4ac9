/** Subscriptions, streams, deliveries and inbound calls as the panel reads them. */
import type { Issue } from '../../../../shared/failures.ts';
import type { StreamRow, SubscriptionRow } from '../../../../shared/provisioning/commands.ts';
import type { DeliveryStatus } from '../../../../shared/vocabulary.ts';

export interface SubscriptionList {
  readonly data: readonly SubscriptionRow[];
  readonly streams: readonly StreamRow[];
}

/** Where deliveries go: the address of a subscription, or a stream. */
export interface Target {
  readonly id: string;
  readonly label: string;
  /** Null: a stream is read, and nothing is posted. */
  readonly url: string | null;
}

export function targetsOf({ data, streams }: SubscriptionList): readonly Target[] {
  return [
    ...data.map(({ id, url }) => ({ id, label: url, url })),
    ...streams.map(({ id, name, keyName }) => ({ id, label: `${name} · ${keyName}`, url: null })),
  ];
}

export interface Attempt {
  readonly at: string;
  readonly status: number | null;
  readonly ms: number;
  readonly error: string | null;
  readonly response?: string;
}

export interface Delivery {
  readonly id: string;
  readonly event: string;
  readonly subscriptionId: string;
  readonly status: DeliveryStatus;
  readonly attempts: readonly Attempt[];
  readonly nextAttemptAt: string | null;
  readonly createdAt: string;
}

export interface WholeDelivery extends Delivery {
  readonly body: string;
}

/** Deliveries are counted nowhere: a page says whether another follows. */
export interface DeliveryPage {
  readonly data: readonly Delivery[];
  readonly more: boolean;
}

export interface InboundCall {
  readonly requestId: string;
  readonly at: string;
  readonly status: number;
  readonly keyPrefix: string;
  /** Covered but for its last digits. */
  readonly phone: string | null;
  readonly given: readonly string[];
  readonly error: string | null;
  readonly issues: readonly Issue[];
}

export interface InboundCallList {
  readonly data: readonly InboundCall[];
  readonly since: string;
}
