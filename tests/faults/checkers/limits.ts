/**
 * Rate windows by what callers are told (C8): no 60 s window of a key, nor of its organization,
 * admits more than the limit. A 429 contains the time to wait. (`windows` judges by the record.)
 * Every answer reports how many seconds its windows have left, so that calls of one window are
 * known by its end. A crash of the process that counts forgets the last second's calls at most.
 * Without the store it forgets as many as it admits until its lease ends. So does a process that
 * loses its lease on a machine at its limit.
 */
import { LEASE_MS, RATE_WINDOW_MS } from '../../../shared/limits.ts';
import { type Checker, callsOf, type Rule } from './checker.ts';
import type { Call, History } from './history.ts';

/** Written down once a second, and that takes a moment. */
const UNWRITTEN_MS = 1_500;
const SAME_MOMENT_MS = 200;

const noWindowAdmitsMore: Rule = (history) => {
  const { limits } = history;
  if (!limits) return null;
  const times = forgettingIn(history);
  const overrun = (of: string, limit: number) => (window: readonly Call[]) => {
    const forgotten = window.filter(({ endedAt }) =>
      times.some(({ from, to }) => endedAt >= from && endedAt <= to),
    ).length;
    return window.length > limit + forgotten
      ? [`${of}: ${window.length} calls in one window of ${limit}, ${forgotten} maybe forgotten`]
      : [];
  };
  const accepted = acceptedIn(history);
  const byKey = [...Map.groupBy(accepted, ({ request }) => request.key ?? '')];
  return [
    ...byKey.flatMap(([key, mine]) => windowsOf(mine, 'key').flatMap(overrun(key, limits.perKey))),
    ...windowsOf(accepted, 'org').flatMap(overrun('both keys', limits.perOrg)),
  ];
};

function acceptedIn(history: History): readonly Call[] {
  return callsOf(history, 'spend').filter(({ outcome }) => outcome === 'ok');
}

/** Windows end at least their length apart; a forgotten one begins anew within seconds. */
function windowsOf(calls: readonly Call[], policy: 'key' | 'org'): readonly Call[][] {
  const ends = calls
    .map((call) => ({ call, end: endOf(call, policy) }))
    .sort((one, other) => one.end - other.end);
  const windows: Call[][] = [];
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

function endOf({ answer, startedAt }: Call, policy: string): number {
  const [, seconds] = new RegExp(`"${policy}";r=\\d+;t=(\\d+)`).exec(answer?.rateLimit ?? '') ?? [];
  return startedAt + Number(seconds) * 1_000;
}

/** Calls answered within these times may be forgotten. */
function forgettingIn({ faults, lostLeases }: History) {
  const byFaults = faults.flatMap(({ parts, from }) => {
    const without = parts.some((part) => part.startsWith('mongo'));
    const crashed = parts.some((part) => part.startsWith('actors'));
    if (!without && !crashed) return [];
    const lasts = without ? LEASE_MS + UNWRITTEN_MS : SAME_MOMENT_MS;
    return [{ from: from - UNWRITTEN_MS, to: from + lasts }];
  });
  const byLeases = lostLeases.map((at) => {
    return { from: at - LEASE_MS - UNWRITTEN_MS, to: at + SAME_MOMENT_MS };
  });
  return [...byFaults, ...byLeases];
}

const aRefusalSaysHowLongToWait: Rule = (history) =>
  callsOf(history, 'spend').flatMap(({ outcome, status, retryAfter = null }) => {
    const waitS = Number(retryAfter);
    const isFine = status === 429 && Number.isInteger(waitS) && waitS >= 1 && waitS <= 60;
    return isFine || outcome !== 'refused'
      ? []
      : [`a refusal ${status} said Retry-After ${retryAfter}`];
  });

export const limits: Checker = {
  rules: { noWindowAdmitsMore, aRefusalSaysHowLongToWait },
  counted: (history) => {
    const calls = callsOf(history, 'spend');
    const accepted = acceptedIn(history);
    return {
      calls: calls.length,
      accepted: accepted.length,
      refused: calls.filter(({ outcome }) => outcome === 'refused').length,
      windows: windowsOf(accepted, 'org').length,
    };
  },
};
