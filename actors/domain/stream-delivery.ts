/** Decisions about one delivery of an event stream. Pure, as those of other deliveries. */
import type { StreamResult } from '../../shared/wire/stream-commands.ts';
import {
  type Attempt,
  type DeliveryState,
  ended,
  isSuccessStatus,
  withAttempt,
} from './delivery.ts';

/** The client has seen the event, or has gone on behind it. */
export function acknowledge(delivery: DeliveryState): DeliveryState {
  return ended(delivery, 'succeeded');
}

/** The client has forwarded the event: its outcome is an attempt's. `now` is epoch milliseconds. */
export function recordResult(
  delivery: DeliveryState,
  { status, ms }: Pick<StreamResult, 'status' | 'ms'>,
  now: number,
): DeliveryState {
  const isGood = status !== null && isSuccessStatus(status);
  const error = isGood ? null : status === null ? 'no answer' : `status ${status}`;
  const attempted = withCounted(delivery, { at: now - ms, status, ms, error });
  return ended(attempted, isGood ? 'succeeded' : 'failed');
}

/** Too many deliveries wait: the oldest are given up. */
export function overflow(delivery: DeliveryState, now: number): DeliveryState {
  const attempt = { at: now, status: null, ms: 0, error: 'overflow: too many events waited' };
  return ended(withCounted(delivery, attempt), 'failed');
}

/** The key may not read the event any more. */
export function outOfScope(delivery: DeliveryState, now: number): DeliveryState {
  const attempt = { at: now, status: null, ms: 0, error: 'scope: the key does not reach it' };
  return ended(withCounted(delivery, attempt), 'failed');
}

/** Written once more, by hand; its place in the stream is a new one. */
export function sendAgain(delivery: DeliveryState): DeliveryState | null {
  if (delivery.status !== 'failed') return null;
  return { ...delivery, status: 'pending', nextAttemptAt: null };
}

function withCounted(delivery: DeliveryState, attempt: Attempt): DeliveryState {
  return { ...withAttempt(delivery, attempt), counted: delivery.counted + 1 };
}
