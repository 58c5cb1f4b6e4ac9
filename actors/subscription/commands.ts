/**
 * Commands to a subscription. Besides `retry` there are two without fields.
 *
 * 1. `test` records a test event for this subscription alone, sends it now and answers
 *    `{deliveryId}`.
 * 2. `configure` reports that the organization has changed the configuration.
 */
import type { Command } from '../../shared/ports/bus.ts';

/**
 * By ids, or all that failed or were parked in a time range (epoch milliseconds). Answers
 * `{retried, nextSince}`. When time ran out, `nextSince` is the next `since`; otherwise it is null.
 */
export interface RetryCommand extends Command {
  readonly type: 'retry';
  readonly deliveryIds?: readonly string[];
  readonly since?: number;
  readonly until?: number;
}
