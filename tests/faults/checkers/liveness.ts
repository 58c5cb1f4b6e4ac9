/**
 * Liveness (I11): soon after the last fault every worker is answered, its last calls have answers,
 * and at the end no work is due. The run records how soon that must be: 15 s where it has a machine
 * of its own. The run also records when it saw all workers answered, and stops. A call that was
 * under way then may end unknown, three of a worker in a row may not. A worker that has done its
 * work calls no more, and is judged by its last answer. Every channel is probed again and again: a
 * number that is not never becomes ready again.
 */
import { type Checker, grouped, type Rule } from './checker.ts';
import type { Call, History } from './history.ts';

const LAST_ANSWERS = 3;
/** The longest time between two probes of a channel's network (actors/channel), and their slack. */
const PROBED_WITHIN_MS = 75_000;

export interface Recovery {
  readonly process: string;
  /** From the heal to its first answer; infinite where none came. */
  readonly ms: number;
}

/** Of every worker that called after the heal, or whose call was under way then. */
export function answersAfter({ calls }: History, healedAt: number): Recovery[] {
  const calling = calls.filter(({ returnedAt }) => returnedAt >= healedAt);
  return [...grouped(calling, ({ process }) => process).groups].map(([process, mine]) => {
    return { process, ms: Math.min(...mine.map(({ endedAt }) => endedAt)) - healedAt };
  });
}

const allAreAnsweredSoon: Rule = (history) => {
  const { at, answeredWithinMs } = history.healed ?? {};
  if (at === undefined || answeredWithinMs === undefined) return null;
  return answersAfter(history, at)
    .filter(({ ms }) => !(ms <= answeredWithinMs))
    .map(({ process, ms }) => `${process} was answered ${Math.round(ms)} ms after the heal`);
};

/** Calls that were made after the heal, by worker. */
function workersOf({ calls, healed }: History): (readonly [string, readonly Call[]])[] {
  const later = calls.filter(({ startedAt }) => startedAt >= (healed?.at ?? 0));
  return [...grouped(later, ({ process }) => process).groups];
}

const allAreAnsweredAtLast: Rule = (history) => {
  const { healed, answeredAt = Number.POSITIVE_INFINITY, done } = history;
  if (healed?.answeredWithinMs === undefined) return null;
  // A call that was under way at the heal says as much of those after it.
  const ended = history.calls.filter(
    ({ returnedAt }) => returnedAt >= healed.at && Number.isFinite(returnedAt),
  );
  const ends = grouped(ended, ({ process }) => process);
  return workersOf(history).flatMap(([process]) => {
    const mine = ends.of(process).slice(done.has(process) ? -1 : 0);
    return isMute(mine, answeredAt) ? [`${process} was not answered at last`] : [];
  });
};

/** One unknown of the last answers until the run saw all answered; each of the last ones since. */
function isMute(ends: readonly Call[], answeredAt: number): boolean {
  const before = ends.filter(({ returnedAt }) => returnedAt <= answeredAt).slice(-LAST_ANSWERS);
  const last = ends.slice(-LAST_ANSWERS);
  return before.some(isUnknown) || (last.length === LAST_ANSWERS && last.every(isUnknown));
}

function isUnknown({ outcome }: Call): boolean {
  return outcome === 'unknown';
}

const nothingIsDue: Rule = ({ due }) =>
  Object.entries(due)
    .filter(([, count]) => count > 0)
    .map(([what, count]) => `${count} ${what} were still due at the end`);

const everyChannelIsProbed: Rule = ({ probes, healed, endedAt }) => {
  if (!probes || !healed) return null;
  const from = endedAt - PROBED_WITHIN_MS;
  if (from < healed.at) return [];
  return probes.channels.flatMap((id) =>
    probes.seen.some(({ channelId, at }) => channelId === id && at >= from)
      ? []
      : [`nobody has looked at channel ${id} for ${PROBED_WITHIN_MS} ms`],
  );
};

export const liveness: Checker = {
  rules: { allAreAnsweredSoon, allAreAnsweredAtLast, nothingIsDue, everyChannelIsProbed },
  counted: (history) => ({ workers: history.healed ? workersOf(history).length : 0 }),
};
