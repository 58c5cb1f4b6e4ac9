/**
 * Query of the panel: the trace of a conversation's run: the one that an entry has ended, else the
 * running one, else the last. It is read from the log itself, newest first, and ends at the entry
 * before the run.
 */
import { failure, renderFailure } from '../../../shared/failures.ts';
import { FLOW_TRACE_ENTRIES_MAX } from '../../../shared/limits.ts';
import { answerOf } from '../../../shared/wire/answer.ts';
import { timestamp } from '../../../shared/wire/outbox.ts';
import {
  positionOf,
  type RunPosition,
  type TracedEntry,
  traceOf,
  type VersionSteps,
} from '../../domain/flow/trace.ts';
import type { Run } from '../../domain/flow-run.ts';
import type { Store } from '../../model/collections.ts';
import type { EntryDocument } from '../../model/conversation.ts';
import type { Query } from '../lists/answer.ts';
import { conversationOf } from './messages.ts';

const PAGE = 200;

export const findFlowRun: Query<'flow-run'> = async ({ store }, asked) => {
  const { orgId, conversationId, endedSeq } = asked;
  const { id, conversation } = await conversationOf(store, conversationId);
  if (conversation?.orgId !== orgId) return renderFailure(failure('conversation_not_found'));
  // An ended run stays in the log of the conversation that had it, whatever that was joined to.
  const read =
    endedSeq === undefined
      ? readRun(store, id, conversation.seq)
      : readRun(store, conversationId, endedSeq);
  const { entries, run, isWhole } = await read;
  if (!run) return answerOf({ data: null });
  const versions = await stepsOf(store, entries);
  const trace = traceOf(run.id, entries, versions);
  const last = entries.at(-1);
  const isRunning = last?.after.run?.id === run.id;
  const { id: runId, flowId, flowName, startedAt, answers } = run;
  return answerOf({
    data: {
      ...{ id: runId, flowId, flowName, running: isRunning, answers },
      startedAt: timestamp(startedAt),
      endedAt: isRunning || !last ? null : timestamp(last.after.at),
      reason: (!isRunning && last?.ended?.reason) || null,
      waiting: isRunning ? shownPosition(positionOf(last.after, run)) : null,
      entries: trace.map(shownEntry),
      isWhole,
    },
  });
};

type RunEntry = Pick<
  EntryDocument,
  '_id' | 'seq' | 'message' | 'edit' | 'deletion' | 'after' | 'ended'
>;

interface ReadRun {
  /** In the log's order: the one before the run, those of the run, and the one that ends it. */
  readonly entries: readonly RunEntry[];
  /** In its last state. */
  readonly run: Run | null;
  /** False where the beginning lies beyond what is read. */
  readonly isWhole: boolean;
}

async function readRun(store: Store, conversationId: string, newest: number): Promise<ReadRun> {
  const entries: RunEntry[] = [];
  let run: Run | null = null;
  let below = newest + 1;
  for (let read = 0; read < FLOW_TRACE_ENTRIES_MAX; read += PAGE) {
    const page: readonly RunEntry[] = await store.find(
      'entries',
      { conversationId, seq: { $lt: below } },
      {
        sort: { seq: -1 },
        limit: PAGE,
        project: { seq: 1, message: 1, edit: 1, deletion: 1, after: 1, ended: 1 },
      },
    );
    for (const entry of page) {
      const own: Run | null = entry.after.run;
      // Of the entries after the run, only the one that ends it is kept.
      if (!run && !own) entries.length = 0;
      else if (run && own?.id !== run.id)
        return { entries: [entry, ...entries], run, isWhole: true };
      run ??= own;
      entries.unshift(entry);
    }
    const last = page.at(-1);
    if (!last || page.length < PAGE) return { entries, run, isWhole: true };
    below = last.seq;
  }
  return { entries, run, isWhole: false };
}

/** Of every version that the run went through. */
async function stepsOf(store: Store, entries: readonly RunEntry[]): Promise<VersionSteps> {
  const ids = new Set(entries.flatMap(({ after }) => after.run?.versionId ?? []));
  const versions = await Promise.all([...ids].map((id) => store.byId('flowVersions', id)));
  return new Map(
    versions.flatMap((version) =>
      version ? [[version._id, new Map(version.steps.map((step) => [String(step.id), step]))]] : [],
    ),
  );
}

function shownEntry({ at, next, ...entry }: TracedEntry): Record<string, unknown> {
  return { ...entry, at: timestamp(at), next: next && shownPosition(next) };
}

function shownPosition({ dueAt, ...position }: RunPosition): Record<string, unknown> {
  return { ...position, dueAt: dueAt === null ? null : timestamp(dueAt) };
}
