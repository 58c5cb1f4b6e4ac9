/**
 * Rate windows (I27, D34): never more calls than allowed, except those not yet recorded when
 * another process took over. Calls are recorded within a second.
 */
import type { Asked } from '../history.ts';
import type { Checker, Evidence } from './evidence.ts';

/** Shorter than a window by more than clocks are apart: calls so near to each other share one. */
const ONE_WINDOW_MS = 55_000;
/** A second, and what it takes to begin. */
const WRITTEN_WITHIN_MS = 1_050;

/** By key: the calls that were let in for sure, those of its first window. */
function letIn({ history }: Evidence): ReadonlyMap<string, readonly Asked[]> {
  const counted = history.filter(
    ({ key, outcome, status }) => key && outcome !== 'unknown' && ![401, 429].includes(status),
  );
  const keys = Map.groupBy(counted, ({ key }) => key ?? '');
  for (const [key, calls] of keys) {
    const first = Math.min(...calls.map(({ startedAt }) => startedAt));
    keys.set(
      key,
      calls.filter(({ endedAt }) => endedAt < first + ONE_WINDOW_MS),
    );
  }
  return keys;
}

export const noMoreThanAllowed: Checker = (evidence) => {
  const { perKey, takenAt, written } = evidence.windows;
  /** Per take-over: calls that ended by this time were recorded before it. */
  const writtenUpTo = takenAt.map((at) =>
    Math.max(0, ...written.filter((each) => each.at < at).map(({ begunAt }) => begunAt)),
  );
  const mayBeForgotten = ({ startedAt, endedAt }: Asked): boolean =>
    takenAt.some((at, index) => startedAt < at && endedAt > (writtenUpTo[index] ?? 0));
  return [...letIn(evidence)].flatMap(([key, calls]) => {
    const sure = calls.filter((call) => !mayBeForgotten(call)).length;
    if (sure <= perKey) return [];
    return [`${key}: ${sure} of ${calls.length} calls were let in for good, ${perKey} are allowed`];
  });
};

export const windowsAreWrittenDown: Checker = (evidence) => {
  const { takenAt, begunAt, disruptions } = evidence.windows;
  return [...letIn(evidence).values()].flatMap((calls) =>
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
};
