/** Reads of the organization for deals and tasks: its team and its pipelines. */
import { ASK_DEADLINE_MS } from '../../shared/limits.ts';
import type { Document } from '../../shared/ports/store.ts';
import type {
  MemberEntry,
  OrganizationState,
  PipelineEntry,
} from '../domain/organization/state.ts';
import { newDefaultPipeline } from '../domain/pipeline.ts';
import type { Environment } from '../environment.ts';
import type { EnsurePipelines } from '../organization/commands.ts';

type Known = Pick<OrganizationState, 'name' | 'timeZone' | 'members' | 'pipelines'>;
interface KnownDocument extends Document, Known {}

/** The team; `member` and `isMember` exclude removed members. */
export interface Team extends Known {
  readonly isMember: (id: string) => boolean;
  readonly member: (id: string) => MemberEntry | null;
}

/** @throws {Error} where there is no such organization */
export async function readTeam(
  { store }: Pick<Environment, 'store'>,
  orgId: string,
): Promise<Team> {
  const known = await store.findOne<KnownDocument>(
    'organizations',
    { _id: orgId },
    { project: { name: 1, timeZone: 1, members: 1, pipelines: 1 } },
  );
  if (!known) throw new Error(`there is no organization ${orgId}`);
  const member = (id: string): MemberEntry | null =>
    known.members.find((each) => each.id === id && each.removed !== true) ?? null;
  return { ...known, member, isMember: (id) => member(id) !== null };
}

/** The organization's pipelines; creates the default one if there are none. */
export async function pipelinesOf(
  { bus, clock, ids }: Pick<Environment, 'bus' | 'clock' | 'ids'>,
  orgId: string,
  known: readonly PipelineEntry[] = [],
): Promise<readonly PipelineEntry[]> {
  if (known.length > 0) return known;
  const first = newDefaultPipeline(ids, orgId);
  const command: EnsurePipelines = { id: ids.fresh('cmd'), type: 'ensure-pipelines', first };
  const answer = await bus.ask({ kind: 'organization', key: orgId }, command, {
    deadline: clock.now() + ASK_DEADLINE_MS,
  });
  if (answer.status !== 200) throw new Error(`the pipeline was not made: ${answer.status}`);
  const pipelines: readonly PipelineEntry[] = JSON.parse(answer.body);
  return pipelines;
}
