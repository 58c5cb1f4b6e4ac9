/**
 * Decisions about members: invitation, role, and access.
 *
 * 1. The last active admin of an organization is neither demoted nor disabled nor removed. One
 *    without any admin stays as it is.
 * 2. An e-mail is that of one active member of an organization.
 * 3. A change by a person has its audit entry in the state that is committed with it.
 */
import { entryId, personId } from '../../../shared/entity-ids.ts';
import { failure, renderFailure } from '../../../shared/failures.ts';
import type { Ids } from '../../../shared/ports/ids.ts';
import type { MemberCommand, MemberRow } from '../../../shared/provisioning/commands.ts';
import { ENTRY_PREFIXES } from '../../../shared/provisioning/names.ts';
import { audited } from './audited.ts';
import type { OrganizationContext } from './context.ts';
import {
  isActive,
  type MemberEntry,
  type OrganizationState,
  present,
  roleOf,
  withRole,
} from './state.ts';

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

function refused(kind: Parameters<typeof failure>[0]): MemberDecision {
  const { status, body } = renderFailure(failure(kind));
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
  if (!member) return refused('member_not_found');
  const after =
    command.type === 'members.role'
      ? withRole(member, command.role)
      : withAccess(member, command.disabled, context.now);
  const body = { data: memberRow(after) };
  const isSame = roleOf(after) === roleOf(member) && isActive(after) === isActive(member);
  if (isSame) return { status: 200, body, next: null };
  const members = state.members.map((each) => (each === member ? after : each));
  if (lastAdmins(state.members, members).length > 0) return refused('last_admin');
  if (isActive(after) && isEmailTaken(state, after)) return refused('member_exists');
  return { status: 200, body, next: changed(state, { members, after }, { command, context }) };
}

function withAccess(member: MemberEntry, disabled: boolean, now: number): MemberEntry {
  const { disabledAt: _, ...active } = member;
  return disabled ? { ...active, disabledAt: member.disabledAt ?? now } : active;
}

function invite(
  state: OrganizationState,
  command: Extract<MemberCommand, { type: 'members.invite' }>,
  context: OrganizationContext,
): MemberDecision {
  const { name, email, role, ref = command.id } = command;
  const { ids } = context;
  const id = entryId(ids, ENTRY_PREFIXES.members, { orgId: state.id, ref });
  const before = state.members.find((each) => each.ref === ref);
  const person = personId(ids, { id, orgId: state.id, email });
  const member = withRole({ id, ref, name, email, person }, role);
  // A repeated command, or another invitation of a member: it is mailed again.
  if (before && isActive(before)) {
    const isSame = before.person === person;
    return isSame
      ? { status: 200, body: { data: memberRow(before) }, next: null }
      : refused('member_exists');
  }
  if (isEmailTaken(state, member)) return refused('member_exists');
  const others = state.members.filter((each) => each !== before);
  const members = [...others, member];
  const next = changed(state, { members, after: member }, { command, context });
  return { status: 201, body: { data: memberRow(member) }, next };
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
  { members, after }: { readonly members: readonly MemberEntry[]; readonly after: MemberEntry },
  { command, context }: Made,
): OrganizationState {
  const next = { ...state, members, version: state.version + 1 };
  const subject = { kind: 'member', id: after.id };
  const details = { role: roleOf(after), disabled: String(!isActive(after)) };
  return audited(next, command, { context, subject, details });
}
