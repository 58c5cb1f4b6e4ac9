/**
 * Query of the panel: the runs of a flow, newest first: those under way, then those that ended.
 *
 * 1. The running ones are found among the running conversations, as far as those are counted.
 * 2. Only an entry that ends a run has the field `ended`, and only it is in the indexes.
 */
import { failure, renderFailure } from '../../../shared/failures.ts';
import { FLOW_RUNS_COUNTED_MAX, FLOW_RUNS_SHOWN } from '../../../shared/limits.ts';
import { answerOf } from '../../../shared/wire/answer.ts';
import { timestamp } from '../../../shared/wire/outbox.ts';
import { showConversations } from '../../conversation/show.ts';
import type { ConversationState } from '../../domain/conversation/conversation.ts';
import { positionOf } from '../../domain/flow/trace.ts';
import type { EndedRun } from '../../domain/flow-run.ts';
import { present } from '../../domain/organization.ts';
import type { Environment } from '../../environment.ts';
import type { Store } from '../../model/collections.ts';
import { readOrganization } from '../../organization/read-organization.ts';
import type { Query } from '../lists/answer.ts';
import { RUNNING_PAGE, runningPage } from './flow-states.ts';

interface Listed {
  /** After the run's last entry. */
  readonly state: ConversationState;
  readonly shown: Readonly<Record<string, unknown>>;
}

export const listFlowRuns: Query<'flow-runs'> = async (environment, { orgId, flowId }) => {
  const { store } = environment;
  const organization = await readOrganization(store, orgId, ['flows']);
  const flow = present(organization?.flows ?? []).find(({ id }) => id === flowId);
  if (!flow) return renderFailure(failure('flow_not_found'));
  const [running, ended] = await Promise.all([
    runningOf(environment, orgId, flowId),
    endedOf(store, flowId),
  ]);
  const listed = [...running, ...ended];
  const states = listed.map(({ state }) => state);
  const conversations = await showConversations(environment, orgId, states);
  return answerOf({
    data: listed.map(({ state, shown }, index) => {
      const contact: unknown = Reflect.get(conversations[index] ?? {}, 'contact');
      return { conversationId: state.id, contact, ...shown };
    }),
  });
};

/** In the order of their last messages. */
async function runningOf(
  { store, readBarrier }: Environment,
  orgId: string,
  flowId: string,
): Promise<readonly Listed[]> {
  await readBarrier.pass(orgId);
  const found = new Map<string, Listed>();
  for (let skip = 0; skip < FLOW_RUNS_COUNTED_MAX; skip += RUNNING_PAGE) {
    const page = await runningPage(store, orgId, skip);
    for (const { _id, snapshot } of page) {
      const { state } = snapshot;
      if (state.run?.flowId === flowId) found.set(_id, { state, shown: shownRunning(state) });
    }
    if (page.length < RUNNING_PAGE || found.size >= FLOW_RUNS_SHOWN) break;
  }
  return [...found.values()].slice(0, FLOW_RUNS_SHOWN);
}

function shownRunning(state: ConversationState): Listed['shown'] {
  const { run } = state;
  const { step = null, dueAt = null } = run ? positionOf(state, run) : {};
  return {
    ...{ id: run?.id ?? '', state: 'running', reason: null, step, endedSeq: null, endedAt: null },
    dueAt: dueAt === null ? null : timestamp(dueAt),
    startedAt: timestamp(run?.startedAt ?? state.at),
  };
}

async function endedOf(store: Store, flowId: string): Promise<readonly Listed[]> {
  const entries = await store.find(
    'entries',
    { ended: { $exists: true }, 'ended.flowId': flowId },
    {
      sort: { 'ended.at': -1, _id: -1 },
      limit: FLOW_RUNS_SHOWN,
      project: { seq: 1, after: 1, ended: 1 },
      index: { 'ended.flowId': 1, 'ended.at': -1, _id: -1 },
    },
  );
  return entries.flatMap(({ seq, after: state, ended }) =>
    ended ? [{ state, shown: { ...shownEnded(ended, seq), step: null, dueAt: null } }] : [],
  );
}

function shownEnded({ id, stopped, reason, startedAt, at }: EndedRun, endedSeq: number) {
  return {
    ...{ id, state: stopped ? 'stopped' : 'finished', reason: reason ?? null, endedSeq },
    ...{ startedAt: timestamp(startedAt), endedAt: timestamp(at) },
  };
}

/** The last run of a conversation that has ended, as a link to its trace needs it. */
export async function lastRunOf(store: Store, conversationId: string): Promise<object | null> {
  const [entry] = await store.find(
    'entries',
    { conversationId, ended: { $exists: true } },
    {
      sort: { 'ended.at': -1 },
      limit: 1,
      project: { seq: 1, ended: 1 },
      index: { conversationId: 1, 'ended.at': -1 },
    },
  );
  if (!entry?.ended) return null;
  const { flowId, flowName } = entry.ended;
  return { flowId, flowName, ...shownEnded(entry.ended, entry.seq) };
}
