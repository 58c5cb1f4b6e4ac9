/**
 * Rate windows (C8): no 60 s window of a key, nor of its organization, admits more than the limit.
 * A 429 contains the time to wait.
 * Every answer reports how many seconds its windows have left, so that calls of one window are
 * known by its end. A crash of the process that counts forgets the last second's calls at most.
 * Without the store it forgets as many as it admits until its lease ends. So does a process that
 * loses its lease on a machine at its limit.
 */
import * as v from 'valibot';
import { LEASE_MS, RATE_WINDOW_MS } from '../../../../shared/limits.ts';
import { type Call, callsOf, type History, seenOf } from '../history.ts';
import { grouped, type Verdict } from './checker.ts';
import { faultsOf } from './facts.ts';

const SHAPE = {
  request: v.object({ key: v.string() }),
  /** The `RateLimit` header. */
  answer: v.object({ rateLimit: v.string() }),
};
const Limits = v.object({ perKey: v.number(), perOrg: v.number() });
const LeaseLost = v.object({ at: v.number() });
const Refusal = v.object({ status: v.number(), retryAfter: v.nullable(v.string()) });
/** Written down once a second, and that takes a moment. */
const UNWRITTEN_MS = 1_500;
const SAME_MOMENT_MS = 200;

type Spent = Call<v.InferOutput<typeof SHAPE.request>, v.InferOutput<typeof SHAPE.answer>>;

export function checkLimits(history: History): Verdict {
  const calls = callsOf(history, 'spend', SHAPE);
  const accepted = calls.filter(({ outcome }) => outcome === 'ok');
  const [limits] = seenOf(history, 'limits', Limits);
  const refused = calls.filter(({ outcome }) => outcome === 'refused').length;
  const counted = { calls: calls.length, accepted: accepted.length, refused };
  const violations = refusalFaults(history);
  if (limits === undefined) return { violations, counted };
  const forgetting = forgettingIn(history);
  for (const [key, mine] of grouped(accepted, ({ request }) => request.key).groups) {
    const windows = windowsOf(mine, 'key');
    violations.push(...windows.flatMap(overrun({ limit: limits.perKey, forgetting, of: key })));
  }
  const shared = windowsOf(accepted, 'org');
  violations.push(
    ...shared.flatMap(overrun({ limit: limits.perOrg, forgetting, of: 'both keys' })),
  );
  return { violations, counted: { ...counted, windows: shared.length } };
}

interface Bound {
  readonly limit: number;
  readonly forgetting: readonly Forgetting[];
  readonly of: string;
}

function overrun({ limit, forgetting, of }: Bound): (window: readonly Spent[]) => string[] {
  return (window) => {
    const forgotten = window.filter((call) => maybeForgotten(call, forgetting)).length;
    return window.length > limit + forgotten
      ? [`${of}: ${window.length} calls in one window of ${limit}, ${forgotten} maybe forgotten`]
      : [];
  };
}

/** Windows end at least their length apart; a forgotten one begins anew within seconds. */
function windowsOf(calls: readonly Spent[], policy: 'key' | 'org'): readonly Spent[][] {
  const ends = calls
    .map((call) => ({ call, end: endOf(call, policy) }))
    .sort((one, other) => one.end - other.end);
  const windows: Spent[][] = [];
  let firstEnd = Number.NEGATIVE_INFINITY;
  for (const { call, end } of ends) {
    if (end > firstEnd + RATE_WINDOW_MS / 2) {
      windows.push([]);
      firstEnd = end;
    }
    windows.at(-1)?.push(call);
  }
  return windows;
}

function endOf({ answer, startedAt }: Spent, policy: string): number {
  const [, seconds] = new RegExp(`"${policy}";r=\\d+;t=(\\d+)`).exec(answer?.rateLimit ?? '') ?? [];
  return startedAt + Number(seconds) * 1_000;
}

/** Calls answered within this time may be forgotten. Epoch milliseconds. */
interface Forgetting {
  readonly from: number;
  readonly to: number;
}

function forgettingIn(history: History): readonly Forgetting[] {
  const byFaults = faultsOf(history).flatMap(({ parts, from }) => {
    const without = parts.some((part) => part.startsWith('mongo'));
    const crashed = parts.some((part) => part.startsWith('actors'));
    if (!without && !crashed) return [];
    const lasts = without ? LEASE_MS + UNWRITTEN_MS : SAME_MOMENT_MS;
    return [{ from: from - UNWRITTEN_MS, to: from + lasts }];
  });
  const byLeases = seenOf(history, 'lease-lost', LeaseLost).map(({ at }) => {
    return { from: at - LEASE_MS - UNWRITTEN_MS, to: at + SAME_MOMENT_MS };
  });
  return [...byFaults, ...byLeases];
}

function maybeForgotten({ endedAt }: Spent, times: readonly Forgetting[]): boolean {
  return times.some(({ from, to }) => endedAt >= from && endedAt <= to);
}

function refusalFaults(history: History): string[] {
  const refusals = history.filter(({ op, type }) => op === 'spend' && type === 'refused');
  return refusals.flatMap(({ body }) => {
    const { status, retryAfter } = v.parse(Refusal, body);
    const waitS = Number(retryAfter);
    const fine = status === 429 && Number.isInteger(waitS) && waitS >= 1 && waitS <= 60;
    return fine ? [] : [`a refusal ${status} said Retry-After ${retryAfter}`];
  });
}
