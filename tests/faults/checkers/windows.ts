/**
 * Rate windows by what is written down (I27, D34): never more calls than allowed, except those not
 * yet recorded when another process took over. Calls are recorded within a second. (`limits` judges
 * by what callers are told.)
 */
import { type Checker, fromStore } from './checker.ts';
import type { Call, History } from './history.ts';

/** Shorter than a window by more than clocks are apart: calls so near to each other share one. */
const ONE_WINDOW_MS = 55_000;
/** A second, and what it takes to begin. */
const WRITTEN_WITHIN_MS = 1_050;

/** By key: the calls that were let in for sure, those of its first window. */
function letIn({ calls }: History): ReadonlyMap<string, readonly Call[]> {
  const counted = calls.filter(
    ({ request, outcome, status }) =>
      request.key && outcome !== 'unknown' && status !== 401 && status !== 429,
  );
  const keys = Map.groupBy(counted, ({ request }) => request.key ?? '');
  for (const [key, mine] of keys) {
    const first = Math.min(...mine.map(({ startedAt }) => startedAt));
    keys.set(
      key,
      mine.filter(({ endedAt }) => endedAt < first + ONE_WINDOW_MS),
    );
  }
  return keys;
}

const noMoreThanAllowed = fromStore((store, history) => {
  const { perKey, takenAt, written } = store.windows;
  /** By another clock the window may have ended. */
  const { clocksJumpedAt = Number.POSITIVE_INFINITY } = store;
  /** Per take-over: calls that ended by this time were recorded before it. */
  const writtenUpTo = takenAt.map((at) =>
    Math.max(0, ...written.filter((each) => each.at < at).map(({ begunAt }) => begunAt)),
  );
  const mayBeForgotten = ({ startedAt, endedAt }: Call): boolean =>
    takenAt.some((at, index) => startedAt < at && endedAt > (writtenUpTo[index] ?? 0));
  return [...letIn(history)].flatMap(([key, calls]) => {
    const sure = calls.filter(
      (call) => !mayBeForgotten(call) && call.endedAt < clocksJumpedAt,
    ).length;
    if (sure <= perKey) return [];
    return [`${key}: ${sure} of ${calls.length} calls were let in for good, ${perKey} are allowed`];
  });
});

/** Of keys with a higher limit slices are written down, before the first call of each. */
const SLICED_FROM = 4_096;

const windowsAreWrittenDown = fromStore((store, history) => {
  const { takenAt, begunAt, disruptions, perKey } = store.windows;
  if (perKey > SLICED_FROM) return [];
  return [...letIn(history).values()].flatMap((calls) =>
    calls.flatMap(({ startedAt, endedAt, operation }) => {
      const until = endedAt + WRITTEN_WITHIN_MS;
      const disturbed =
        takenAt.some((at) => at >= startedAt && at <= until) ||
        disruptions.some(({ from, to }) => from <= until && to >= startedAt);
      const begun = begunAt.some((at) => at >= startedAt && at <= until);
      if (disturbed || begun) return [];
      return [`${operation} of ${startedAt.toFixed()} was let in and nobody wrote it down`];
    }),
  );
});

export const windows: Checker = { rules: { noMoreThanAllowed, windowsAreWrittenDown } };
