/** Team and pipelines of an organization, for other actors. */

import { ASK_DEADLINE_MS } from '../../shared/limits.ts';
import type { Bus } from '../../shared/ports/bus.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { Ids } from '../../shared/ports/ids.ts';
import { bodyOfSuccess } from '../../shared/wire/answer.ts';
import {
  type MemberEntry,
  newDefaultPipeline,
  type OrganizationState,
  type PipelineEntry,
} from '../domain/organization.ts';
import type { Store } from '../model/collections.ts';
import type { EnsurePipelines } from '../model/organization.ts';
import { readOrganization } from './read-organization.ts';

const OF_TEAM = [
  ...['name', 'timeZone', 'members', 'pipelines'],
  ...['leftStages', 'formerStageNames'],
] as const;

/** The team; `member` and `isMember` exclude removed members. */
export interface Team extends Pick<OrganizationState, (typeof OF_TEAM)[number]> {
  readonly isMember: (id: string) => boolean;
  readonly member: (id: string) => MemberEntry | null;
}

/** @throws {Error} where there is no such organization */
export async function readTeam({ store }: { readonly store: Store }, orgId: string): Promise<Team> {
  const known = await readOrganization(store, orgId, OF_TEAM);
  if (!known) throw new Error(`there is no organization ${orgId}`);
  const member = (id: string): MemberEntry | null =>
    known.members.find((each) => each.id === id && each.removed !== true) ?? null;
  return { ...known, member, isMember: (id) => member(id) !== null };
}

/** The organization's pipelines; creates the default one if there are none. */
export async function pipelinesOf(
  { bus, clock, ids }: { readonly bus: Pick<Bus, 'ask'>; readonly clock: Clock; readonly ids: Ids },
  orgId: string,
  known: readonly PipelineEntry[] = [],
): Promise<readonly PipelineEntry[]> {
  if (known.length > 0) return known;
  const first = newDefaultPipeline(ids, orgId);
  const command: EnsurePipelines = { id: ids.fresh('cmd'), type: 'ensure-pipelines', first };
  const answer = await bus.ask({ kind: 'organization', key: orgId }, command, {
    deadline: clock.now() + ASK_DEADLINE_MS,
  });
  return bodyOfSuccess(answer, 'the pipeline was not made');
}
