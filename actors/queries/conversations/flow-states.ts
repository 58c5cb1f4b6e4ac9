/**
 * Query of the panel: flows as they are stored, and how many conversations wait at each step.
 *
 * 1. The running conversations are read by the index of the lists, newest first, and counted here.
 *    An index of steps would cost every message a write, and a page asks seldom.
 * 2. Beyond `FLOW_RUNS_COUNTED_MAX` the older ones are left out, and the answer says so.
 */
import { failure, renderFailure } from '../../../shared/failures.ts';
import { FLOW_RUNS_COUNTED_MAX } from '../../../shared/limits.ts';
import { compareNames } from '../../../shared/text/name-order.ts';
import { answerOf } from '../../../shared/wire/answer.ts';
import { timestamp } from '../../../shared/wire/outbox.ts';
import { countRuns, type WaitingRuns } from '../../domain/flow/waiting-runs.ts';
import { exportedFlow } from '../../domain/organization/written.ts';
import {
  type ChannelEntry,
  type FlowEntry,
  type OrganizationState,
  present,
} from '../../domain/organization.ts';
import type { Environment } from '../../environment.ts';
import type { Store } from '../../model/collections.ts';
import { readOrganization } from '../../organization/read-organization.ts';
import type { Query } from '../lists/answer.ts';
import { EVERY_CONVERSATION } from './indexes.ts';

export const RUNNING_PAGE = 1_000;

type Configured = Pick<OrganizationState, 'ref' | 'flows' | 'channels'>;

/** Alphabetical by name. */
export const listFlowStates: Query<'flow-states'> = async (environment, { orgId }) => {
  const found = await Promise.all([configured(environment, orgId), runsOf(environment, orgId)]);
  const [{ flows, channels }, { runs, isWhole }] = found;
  const shown = present(flows).toSorted((a, b) => compareNames(a.name, b.name));
  const data = shown.map((flow) => renderFlow(flow, { channels, runs }));
  return answerOf({ data, countedWhole: isWhole });
};

/** One flow, and its entry of a provisioning file as the export has it. */
export const findFlowState: Query<'flow-state'> = async (environment, { orgId, flowId }) => {
  const { ref, flows, channels } = await configured(environment, orgId);
  const flow = present(flows).find(({ id }) => id === flowId);
  if (!flow) return renderFailure(failure('flow_not_found'));
  const { runs, isWhole } = await runsOf(environment, orgId);
  const refs = new Map(present(channels).map((channel) => [channel.id, channel.ref]));
  return answerOf({
    data: renderFlow(flow, { channels, runs }),
    countedWhole: isWhole,
    organizationRef: ref,
    written: exportedFlow(flow, refs),
  });
};

async function configured({ store }: Environment, orgId: string): Promise<Configured> {
  const found = await readOrganization(store, orgId, ['ref', 'flows', 'channels']);
  return found ?? { ref: '', flows: [], channels: [] };
}

interface RunsRead {
  readonly runs: WaitingRuns;
  readonly isWhole: boolean;
}

async function runsOf({ store, readBarrier }: Environment, orgId: string): Promise<RunsRead> {
  await readBarrier.pass(orgId);
  const known = new Map<string, { readonly flowId: string; readonly stepId: string }>();
  for (let skip = 0; skip < FLOW_RUNS_COUNTED_MAX; skip += RUNNING_PAGE) {
    const page = await runningPage(store, orgId, skip);
    for (const { _id, snapshot } of page) {
      const { run } = snapshot.state;
      if (run) known.set(_id, run);
    }
    if (page.length < RUNNING_PAGE) return { runs: countRuns(known.values()), isWhole: true };
  }
  return { runs: countRuns(known.values()), isWhole: false };
}

export function runningPage(store: Store, orgId: string, skip: number) {
  return store.find(
    'conversations',
    { 'snapshot.orgId': orgId, 'snapshot.status': 'in_flow' },
    {
      sort: { 'snapshot.lastMessageAt': -1, _id: -1 },
      skip,
      limit: RUNNING_PAGE,
      project: { snapshot: 1 },
      index: EVERY_CONVERSATION,
    },
  );
}

interface Shown {
  readonly channels: readonly ChannelEntry[];
  readonly runs: WaitingRuns;
}

/** Headers of an HTTP call may hold secrets: only the text of those who may change it has them. */
function withoutHeaders(step: FlowEntry['steps'][number]): object {
  if (!('headers' in step)) return step;
  const { headers, ...rest } = step;
  return { ...rest, headers: Object.keys(headers ?? {}) };
}

function renderFlow(flow: FlowEntry, { channels, runs }: Shown): Record<string, unknown> {
  const { id, ref, name, enabled, channelId, isMain, triggers, steps } = flow;
  const channel = channels.find((each) => each.id === channelId);
  const { running = 0, waiting = {} } = runs.get(id) ?? {};
  return {
    ...{ id, ref, name, enabled, isMain, triggers, running, waiting },
    steps: steps.map(withoutHeaders),
    channel: channel ? { id: channel.id, ref: channel.ref, label: channel.label } : null,
    updatedAt: timestamp(flow.updatedAt),
  };
}
