/**
 * Rate windows (C8): no 60 s window of a key, nor of its organization, admits more than the limit.
 * A 429 contains the time to wait.
 * Every answer reports how many seconds its windows have left, so that calls of one window are
 * known by its end. A crash of the process that counts forgets the last second's calls at most.
 * Without the store it forgets as many as it admits until its lease ends.
 */
import * as v from 'valibot';
import { LEASE_MS, RATE_WINDOW_MS } from '../../../shared/limits.ts';
import { type Call, callsOf, type History, seenOf } from '../history.ts';
import { grouped, type Verdict } from './checker.ts';
import { type Fault, faultsOf } from './facts.ts';

const SHAPE = {
  request: v.object({ key: v.string() }),
  /** The `RateLimit` header. */
  answer: v.object({ rateLimit: v.string() }),
};
const Limits = v.object({ perKey: v.number(), perOrg: v.number() });
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
  const faults = faultsOf(history);
  for (const [key, mine] of grouped(accepted, ({ request }) => request.key).groups) {
    const windows = windowsOf(mine, 'key');
    violations.push(...windows.flatMap(overrun({ limit: limits.perKey, faults, of: key })));
  }
  const shared = windowsOf(accepted, 'org');
  violations.push(...shared.flatMap(overrun({ limit: limits.perOrg, faults, of: 'both keys' })));
  return { violations, counted: { ...counted, windows: shared.length } };
}

interface Bound {
  readonly limit: number;
  readonly faults: readonly Fault[];
  readonly of: string;
}

function overrun({ limit, faults, of }: Bound): (window: readonly Spent[]) => string[] {
  return (window) => {
    const forgotten = window.filter((call) => maybeForgotten(call, faults)).length;
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

function maybeForgotten({ endedAt }: Spent, faults: readonly Fault[]): boolean {
  return faults.some(({ parts, from }) => {
    const without = parts.some((part) => part.startsWith('mongo'));
    const crashed = parts.some((part) => part.startsWith('actors'));
    if (!without && !crashed) return false;
    const until = without ? LEASE_MS + UNWRITTEN_MS : SAME_MOMENT_MS;
    return endedAt >= from - UNWRITTEN_MS && endedAt <= from + until;
  });
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
