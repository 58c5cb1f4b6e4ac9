/** Door of organizations: commands from other actors, and reads of their documents. */

import { ASK_DEADLINE_MS } from '../../shared/limits.ts';
import type { Bus } from '../../shared/ports/bus.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { Ids } from '../../shared/ports/ids.ts';
import type { Document, FindOptions, Store } from '../../shared/ports/store.ts';
import { bodyOfSuccess } from '../../shared/wire/answer.ts';
import type { Membership } from '../../shared/wire/person-commands.ts';
import {
  isActive,
  type MemberEntry,
  newDefaultPipeline,
  type OrganizationState,
  type PipelineEntry,
  roleOf,
} from '../domain/organization/state.ts';
import type { EnsurePipelines, OrganizationDocument } from '../model/organization.ts';

const OF_TEAM = ['name', 'timeZone', 'members', 'pipelines'] as const;

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

/** A membership, with the member's name and address. */
export interface FoundMembership extends Membership {
  readonly memberName: string;
  readonly memberEmail: string | null;
}

const OF_MEMBERSHIP = { name: 1, members: 1, removed: 1 } as const;
const MEMBERSHIPS_MAX = 200;

function membershipsOf(
  { _id: orgId, name: orgName, members, removed }: OrganizationDocument,
  isWanted: (member: MemberEntry) => boolean,
): readonly FoundMembership[] {
  if (removed === true) return [];
  return members
    .filter((member) => isActive(member) && isWanted(member))
    .map((member) => ({
      ...{ orgId, orgName, memberId: member.id },
      ...{ memberName: member.name, memberEmail: member.email },
      role: roleOf(member),
    }));
}

/** The active members that a person is, in all organizations. */
export async function findMemberships(
  store: Store,
  personId: string,
): Promise<readonly FoundMembership[]> {
  const found = await store.find(
    'organizations',
    { 'members.person': personId },
    { project: OF_MEMBERSHIP, limit: MEMBERSHIPS_MAX },
  );
  return found.flatMap((each) => membershipsOf(each, ({ person }) => person === personId));
}

/** One membership; null where the member is not active. */
export async function findMembership(
  store: Store,
  { orgId, memberId }: { readonly orgId: string; readonly memberId: string },
): Promise<FoundMembership | null> {
  const found = await store.findOne('organizations', { _id: orgId }, { project: OF_MEMBERSHIP });
  const [membership] = found ? membershipsOf(found, ({ id }) => id === memberId) : [];
  return membership ?? null;
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

const PAGE = 200;

/** Pages in the order of ids; each is read after the caller has processed the one before. */
export async function* organizationPages(
  store: Pick<Store, 'find'>,
  project: NonNullable<FindOptions['project']>,
  size = PAGE,
): AsyncGenerator<readonly OrganizationDocument[], undefined> {
  for (let last = ''; ; ) {
    const page = await store.find(
      'organizations',
      { _id: { $gt: last } },
      { sort: { _id: 1 }, limit: size, project },
    );
    yield page;
    const end = page.at(-1);
    if (!end || page.length < size) return;
    last = end._id;
  }
}

/** Some properties of the organization; null where there is none. */
export async function readOrganization<Name extends keyof OrganizationState>(
  store: Store,
  orgId: string,
  names: readonly Name[],
): Promise<Pick<OrganizationState, Name> | null> {
  const project = Object.fromEntries(names.map((name) => [name, 1 as const]));
  return store.findOne<Document & Pick<OrganizationState, Name>>(
    'organizations',
    { _id: orgId },
    { project },
  );
}
