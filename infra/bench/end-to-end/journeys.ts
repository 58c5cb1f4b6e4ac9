/** Messages from the call's due time to the subscriber's first byte, and the remaining backlog. */
import type { Call } from '../open-loop.ts';
import { quantile } from '../rounds.ts';
import type { Arrival } from '../subscribers.ts';

export interface Journeys {
  readonly perSecond: number;
  readonly messages: number;
  /** Accepted, and not reported to the subscriber. */
  readonly missing: number;
  /** From when the call was due to its 201. */
  readonly accept: Spread;
  /** From the 201 to the subscriber's first byte. */
  readonly fromAccepted: Spread;
  /** From when the call was due to the subscriber's first byte. */
  readonly whole: Spread;
  /** Messages in progress, on average: over the second quarter, and over the last one. */
  readonly backlogBefore: number;
  readonly backlogAfter: number;
}

export interface Spread {
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export function journeysOf(
  perSecond: number,
  calls: readonly Call[],
  arrivals: readonly Arrival[],
): Journeys {
  const refused = calls.filter(({ status }) => status !== 201);
  if (refused.length > 0) throw new Error(`${refused.length} calls were not answered 201`);
  const arrivedAt = new Map(arrivals.map(({ id, at }) => [id, at]));
  const reported = calls.flatMap((call) => {
    const at = arrivedAt.get(call.id ?? '');
    return at === undefined ? [] : [{ ...call, at }];
  });
  const [before, after] = backlogs(reported);
  return {
    perSecond,
    messages: calls.length,
    missing: calls.length - reported.length,
    accept: spread(calls.map(({ dueAt, answeredAt }) => answeredAt - dueAt)),
    // The network may be quicker than the driver is in reading its 201.
    fromAccepted: spread(reported.map(({ at, answeredAt }) => Math.max(0, at - answeredAt))),
    whole: spread(reported.map(({ at, dueAt }) => at - dueAt)),
    backlogBefore: before,
    backlogAfter: after,
  };
}

/** Whether the backlog stays constant, within the arrivals of 100 ms. */
export function isSustained(journeys: Journeys): boolean {
  const { backlogBefore, backlogAfter, perSecond, missing } = journeys;
  return missing === 0 && backlogAfter <= 1.25 * backlogBefore + perSecond / 10;
}

function spread(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  return { p50Ms: quantile(sorted, 0.5), p99Ms: quantile(sorted, 0.99) };
}

interface ReportedCall extends Call {
  readonly at: number;
}

/** By Little's law: the time that messages spent in progress in a window, over the window. */
function backlogs(reported: readonly ReportedCall[]): readonly [number, number] {
  const from = reported[0]?.dueAt ?? 0;
  const until = reported.at(-1)?.dueAt ?? 0;
  const quarter = (until - from) / 4;
  return [
    underWay(reported, from + quarter, from + 2 * quarter),
    underWay(reported, from + 3 * quarter, until),
  ];
}

function underWay(reported: readonly ReportedCall[], from: number, until: number): number {
  let spent = 0;
  for (const { dueAt, at } of reported) {
    spent += Math.max(0, Math.min(at, until) - Math.max(dueAt, from));
  }
  return spent / (until - from);
}
