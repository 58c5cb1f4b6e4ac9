/**
 * Decisions about members: invitation, role, and access.
 *
 * 1. The last active admin of an organization is neither demoted nor disabled nor removed. One
 *    without any admin stays as it is.
 * 2. An e-mail is that of one active member of an organization.
 * 3. An organization has `MEMBERS_MAX_PER_ORGANIZATION` members; one that has more already does not
 *    grow. It invites `INVITATIONS_PER_DAY` times within any day, repeated invitations among them.
 * 4. A change by a person has its audit entry in the state that is committed with it.
 */
import { entryId, personId } from '../../../shared/entity-ids.ts';
import { FAILURES, type Failure, failure, renderFailure } from '../../../shared/failures.ts';
import { INVITATIONS_PER_DAY, MEMBERS_MAX_PER_ORGANIZATION } from '../../../shared/limits.ts';
import type { Ids } from '../../../shared/ports/ids.ts';
import type { MemberCommand, MemberRow } from '../../../shared/provisioning/commands.ts';
import { readEntry } from '../../../shared/provisioning/entry.ts';
import { ENTRY_PREFIXES } from '../../../shared/provisioning/names.ts';
import { memberSchema } from '../../../shared/provisioning/schema.ts';
import {
  isActive,
  type MemberEntry,
  type OrganizationState,
  present,
  roleOf,
  withRole,
} from '../organization.ts';
import { audited } from './audited.ts';
import type { OrganizationContext } from './context.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

export interface MemberDecision {
  readonly status: number;
  readonly body: unknown;
  readonly next: OrganizationState | null;
}

export function memberRow(member: MemberEntry): MemberRow {
  const { id, ref, name, email } = member;
  return { id, ref, name, email, role: roleOf(member), disabled: !isActive(member) };
}

function isAdmin(member: MemberEntry): boolean {
  return isActive(member) && roleOf(member) === 'admin';
}

/** The admins that there were, where none is left; else none. */
export function lastAdmins(
  before: readonly MemberEntry[],
  after: readonly MemberEntry[],
): readonly MemberEntry[] {
  return after.some(isAdmin) ? [] : before.filter(isAdmin);
}

/** The state with the persons of members that an earlier version has stored without. */
export function withPersons(state: OrganizationState, ids: Ids): OrganizationState {
  if (state.members.every(({ person }) => person !== undefined)) return state;
  const members = state.members.map((member) => ({
    ...member,
    person: member.person ?? personId(ids, { ...member, orgId: state.id }),
  }));
  return { ...state, members, version: state.version + 1 };
}

/** Ids of members whose access has begun or ended, or that are another person now. */
export function accessChanges(
  before: readonly MemberEntry[],
  after: readonly MemberEntry[],
): readonly string[] {
  const known = new Map(before.map((member) => [member.id, member]));
  return after.flatMap((member) => {
    const earlier = known.get(member.id);
    if (!earlier || earlier === member) return [];
    const isSame = isActive(earlier) === isActive(member) && earlier.person === member.person;
    return isSame ? [] : [member.id];
  });
}

function refused(refusal: Failure): MemberDecision {
  const { status, body } = renderFailure(refusal);
  return { status, body: JSON.parse(body), next: null };
}

/** A repeat, and a change to what is so already, changes nothing. */
export function decideMember(
  state: OrganizationState,
  command: MemberCommand,
  context: OrganizationContext,
): MemberDecision {
  if (command.type === 'members.invite') return invite(state, command, context);
  const known = present(state.members);
  const name = command.member;
  const member = known.find(({ ref }) => ref === name) ?? known.find(({ id }) => id === name);
  if (!member) return refused(failure('member_not_found'));
  const after =
    command.type === 'members.role'
      ? withRole(member, command.role)
      : withAccess(member, command.disabled, context.now);
  const body = { data: memberRow(after) };
  const isSame = roleOf(after) === roleOf(member) && isActive(after) === isActive(member);
  if (isSame) return { status: 200, body, next: null };
  const members = state.members.map((each) => (each === member ? after : each));
  if (lastAdmins(state.members, members).length > 0) return refused(failure('last_admin'));
  if (isActive(after) && isEmailTaken(state, after)) return refused(failure('member_exists'));
  return { status: 200, body, next: changed(state, { members, after }, { command, context }) };
}

function withAccess(member: MemberEntry, disabled: boolean, now: number): MemberEntry {
  const { disabledAt: _, ...active } = member;
  return disabled ? { ...active, disabledAt: member.disabledAt ?? now } : active;
}

type InviteCommand = Extract<MemberCommand, { type: 'members.invite' }>;

const INVITED_ENOUGH = `São no máximo ${INVITATIONS_PER_DAY} convites por dia. Convide de novo amanhã.`;

function invite(
  state: OrganizationState,
  command: InviteCommand,
  context: OrganizationContext,
): MemberDecision {
  const { name, email, role, ref = command.id } = command;
  const { issues } = readEntry(memberSchema, { ref, name, email, role }, '');
  if (issues.length > 0) {
    const body = { error: FAILURES.invalid.sentence, problems: issues };
    return { status: 422, body, next: null };
  }
  const { ids } = context;
  const id = entryId(ids, ENTRY_PREFIXES.members, { orgId: state.id, ref });
  const before = state.members.find((each) => each.ref === ref);
  const person = personId(ids, { id, orgId: state.id, email });
  const isRepeat = state.invitations?.some((each) => each.id === command.id) === true;
  const invitations = withInvitation(state, command, context);
  // Another invitation of a member: it is mailed again.
  if (before && isActive(before)) {
    const body = { data: memberRow(before) };
    if (before.person !== person) return refused(failure('member_exists'));
    if (isRepeat) return { status: 200, body, next: null };
    if (!invitations) return refused(failure('rate_limited', INVITED_ENOUGH));
    const { members } = state;
    const next = changed(state, { members, after: before, invitations }, { command, context });
    return { status: 200, body, next };
  }
  const member = withRole({ id, ref, name, email, person }, role);
  if (isEmailTaken(state, member)) return refused(failure('member_exists'));
  const others = state.members.filter((each) => each !== before);
  const members = [...others, member];
  if (outgrown(state.members, members)) return refused(failure('too_many_members'));
  if (!invitations) return refused(failure('rate_limited', INVITED_ENOUGH));
  const next = changed(state, { members, after: member, invitations }, { command, context });
  return { status: 201, body: { data: memberRow(member) }, next };
}

/** Null where the last day has so many already. */
function withInvitation(
  { invitations = [] }: OrganizationState,
  { id }: InviteCommand,
  { now: at }: OrganizationContext,
): OrganizationState['invitations'] | null {
  const lately = invitations.filter((each) => each.at > at - DAY_MS && each.at <= at);
  return lately.length >= INVITATIONS_PER_DAY ? null : [...lately, { id, at }];
}

/** Whether there are too many members now, and more than before. */
export function outgrown(before: readonly MemberEntry[], after: readonly MemberEntry[]): boolean {
  const count = present(after).length;
  return count > MEMBERS_MAX_PER_ORGANIZATION && count > present(before).length;
}

function isEmailTaken({ members }: OrganizationState, member: MemberEntry): boolean {
  return members.some(
    (each) => each.id !== member.id && isActive(each) && each.person === member.person,
  );
}

interface Made {
  readonly command: MemberCommand;
  readonly context: OrganizationContext;
}

function changed(
  state: OrganizationState,
  { after, ...lists }: Pick<OrganizationState, 'members' | 'invitations'> & { after: MemberEntry },
  { command, context }: Made,
): OrganizationState {
  const next = { ...state, ...lists, version: state.version + 1 };
  const subject = { kind: 'member', id: after.id };
  const details = { role: roleOf(after), disabled: String(!isActive(after)) };
  return audited(next, command, { context, subject, details });
}
