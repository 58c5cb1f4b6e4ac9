/**
 * Trace of one run, read from the conversation's log: what each entry did to the run.
 *
 * 1. An entry is about the step at which the run stood before it; the first one only begins the
 *    run. The step ends where the entry leaves it for another visit, or ends the run.
 * 2. The chosen branches are those of the step that lead where the run went. The log has no more:
 *    two cases that lead to the same step are both named.
 */
import type { StoredMessage } from '../../../shared/message.ts';
import type { ConversationState } from '../conversation/conversation.ts';
import { type Changes, shownMessage } from '../conversation/message-change.ts';
import { type Run, timerOf } from '../flow-run.ts';

type Written = Readonly<Record<string, unknown>>;

/** An entry of the log, as far as the trace reads it. */
export interface LoggedEntry extends Changes {
  readonly _id: string;
  readonly seq: number;
  readonly after: Pick<ConversationState, 'at' | 'run' | 'automationPausedUntil'>;
  readonly message?: Pick<StoredMessage, 'text' | 'media' | 'direction' | 'kind' | 'author'>;
}

/** The steps of a version, by the version's id and the step's. */
export type VersionSteps = ReadonlyMap<string, ReadonlyMap<string, Written>>;

/** Times are epoch milliseconds. */
export interface TracedEntry {
  readonly entryId: string;
  readonly seq: number;
  readonly at: number;
  /** The step at which the run stood; null where the entry begins the run. */
  readonly step: string | null;
  readonly do: string | null;
  readonly visit: number;
  /** The message of the entry, as it is shown now. */
  readonly said: {
    readonly direction: string;
    readonly kind: string;
    readonly text: string | null;
    readonly author: string;
  } | null;
  /** Branches of the step that lead to `next`; empty within a step, and for a step without any. */
  readonly chosen: readonly string[];
  /** Where the run stands after the entry; null where it has ended. */
  readonly next: RunPosition | null;
}

export interface RunPosition {
  readonly step: string;
  readonly visit: number;
  readonly phase: Run['phase']['kind'];
  /** The next timer; null where only the contact's message advances the run. */
  readonly dueAt: number | null;
}

/**
 * @param entries of the log in its order, the last one before the run included where there is one
 */
export function traceOf(
  runId: string,
  entries: readonly LoggedEntry[],
  versions: VersionSteps,
): readonly TracedEntry[] {
  return entries.flatMap((entry, index) => {
    const before = ownRun(entries[index - 1]?.after.run, runId);
    const after = ownRun(entry.after.run, runId);
    return before || after ? [traced(entry, { before, after, versions })] : [];
  });
}

function ownRun(run: Run | null | undefined, runId: string): Run | null {
  return run?.id === runId ? run : null;
}

interface Transition {
  readonly before: Run | null;
  readonly after: Run | null;
  readonly versions: VersionSteps;
}

function traced(entry: LoggedEntry, { before, after, versions }: Transition): TracedEntry {
  const step = before && versions.get(before.versionId)?.get(before.stepId);
  const hasLeft = before !== null && after?.visit !== before.visit;
  return {
    entryId: entry._id,
    seq: entry.seq,
    at: entry.after.at,
    step: before?.stepId ?? null,
    do: typeof step?.do === 'string' ? step.do : null,
    visit: before?.visit ?? 0,
    said: saidIn(entry),
    chosen: step && hasLeft ? branchesTo(step, after?.stepId ?? null) : [],
    next: after && positionOf(entry.after, after),
  };
}

/** Where a run stands, in the state of an entry. */
export function positionOf(state: LoggedEntry['after'], run: Run): RunPosition {
  const { stepId: step, visit, phase } = run;
  return { step, visit, phase: phase.kind, dueAt: timerOf(state) };
}

function saidIn(entry: LoggedEntry): TracedEntry['said'] {
  const { message } = entry;
  if (!message) return null;
  const { direction, kind, author } = message;
  return { direction, kind, text: shownMessage(message, entry).text, author: author.label };
}

/** `next`, `onTimeout`, `onError`, `else`, `cases.0`: the pointers of the step that lead there. */
export function branchesTo(step: Written, target: string | null): readonly string[] {
  const own = ['next', 'onTimeout', 'onError', 'else'].flatMap((name) =>
    name in step && step[name] === target ? [name] : [],
  );
  const cases: readonly unknown[] = Array.isArray(step.cases) ? step.cases : [];
  const chosen = cases.flatMap((each, index) =>
    Reflect.get(Object(each), 'next') === target ? [`cases.${index}`] : [],
  );
  return [...chosen, ...own];
}
