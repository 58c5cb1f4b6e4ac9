/** Commands of the command line and of organizations to a subscription. */

/** By ids, or all that failed or were parked in a time range (epoch milliseconds). */
export interface RetryDeliveries {
  readonly id: string;
  readonly type: 'retry';
  /** Only where the subscription is this organization's; any unless set. */
  readonly orgId?: string;
  readonly deliveryIds?: readonly string[];
  readonly since?: number;
  readonly until?: number;
}

export interface RetriedDeliveries {
  readonly retried: number;
  /** The next `since` where time ran out, otherwise null. */
  readonly nextSince: number | null;
  /** End of the range, for the rest of it; null for ids. */
  readonly until: number | null;
}

/** Records a test event for this subscription alone, and sends it now. */
export interface TestSubscription {
  readonly id: string;
  readonly type: 'test';
}

/** The organization has changed the configuration. */
export interface ConfigureSubscription {
  readonly id: string;
  readonly type: 'configure';
}
