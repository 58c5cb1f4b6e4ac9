/**
 * Commands to a subscription, all of them the operator's. Beside `retry` there are two without
 * fields: `test` records a test event for this subscription alone, sends it now and answers
 * `{deliveryId}`; `configure` says that the organization has configured it anew.
 */
import type { Command } from '../../shared/ports.ts';

/** By ids, or all that failed or were parked in a range of time (epoch milliseconds). Answers
 * `{retried, nextSince}`: not null when there was no time for all, and where to go on. */
export interface RetryCommand extends Command {
  readonly type: 'retry';
  readonly deliveryIds?: readonly string[];
  readonly since?: number;
  readonly until?: number;
}
