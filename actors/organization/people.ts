/** The panel's commands to an organization: it admits calls of people, and keeps their sessions. */
import { personId } from '../../shared/entity-ids.ts';
import { failure, renderFailure } from '../../shared/failures.ts';
import type { Answer, AnswerOf, Command } from '../../shared/ports/bus.ts';
import { answerOf, DONE } from '../../shared/wire/answer.ts';
import type { ActingPerson, AuditEntry, AuditSubject } from '../../shared/wire/audit.ts';
import type { Admission, AdmitCommand, Caller, CallerMember } from '../../shared/wire/caller.ts';
import { timestamp } from '../../shared/wire/outbox.ts';
import { OPERATOR } from '../../shared/wire/person-commands.ts';
import type {
  DescribeSession,
  EndPersonSessions,
  EndSession,
  ListSessions,
  OpenSession,
  SessionRow,
  ShownSession,
} from '../../shared/wire/session-commands.ts';
import {
  isActive,
  type MemberEntry,
  type OrganizationState,
  roleOf,
} from '../domain/organization.ts';
import { memberOf, type SessionState } from '../domain/session.ts';
import type { Environment } from '../environment.ts';
import { callerOf } from './caller.ts';
import { writeAudit } from './documents.ts';
import type { OrganizationSessions, SessionWindows } from './sessions.ts';

export type SessionCommand =
  | EndPersonSessions
  | OpenSession
  | DescribeSession
  | EndSession
  | ListSessions;

const TYPES: ReadonlySet<string> = new Set<SessionCommand['type']>([
  'open-session',
  'describe-session',
  'end-session',
  'list-sessions',
  'end-person-sessions',
]);

export function isSessionCommand(command: { readonly type: string }): command is SessionCommand {
  return TYPES.has(command.type);
}

/** An organization that is there, and its sessions. */
export interface People {
  readonly environment: Environment;
  readonly state: OrganizationState;
  readonly sessions: OrganizationSessions;
}

interface Admitting {
  readonly state: OrganizationState;
  readonly windows: SessionWindows;
  readonly now: number;
}

/** Admits a call of a session; null: there is none. */
export function admitSession(
  { state, windows, now }: Admitting,
  session: SessionState | null,
  command: AdmitCommand,
): Admission {
  const member = session && state.removed !== true ? memberOf(session, state, now) : null;
  if (!session || !member) return { outcome: 'unauthorized' };
  const acting: CallerMember = {
    ...{ id: member.id, name: member.name, role: roleOf(member) },
    ...{ sessionId: session.id, personId: session.personId },
  };
  return decided(state, { command, acting, windows });
}

/** The person actor of the operator has admitted the call: the digest is its session's id. */
export function admitOperator({ state, windows }: Admitting, command: AdmitCommand): Admission {
  if (state.removed === true) return { outcome: 'unauthorized' };
  const acting: CallerMember = {
    ...{ id: null, name: 'Operador', role: OPERATOR },
    ...{ sessionId: command.digest, personId: OPERATOR },
  };
  return decided(state, { command, acting, windows });
}

interface Deciding {
  readonly command: AdmitCommand;
  readonly acting: CallerMember;
  readonly windows: SessionWindows;
}

function decided(state: OrganizationState, { command, acting, windows }: Deciding): Admission {
  const { admitted, rates, retryAfterSeconds } = windows.admit(acting.sessionId);
  const caller = command.knownVersion === state.version ? null : callerAs(state, acting);
  if (admitted && caller) return { outcome: 'admitted-with-caller', rates, caller };
  if (admitted) return { outcome: 'admitted', rates };
  const known = caller ? { caller } : {};
  return { outcome: 'rate-limited', rates, ...known, retryAfterSeconds: retryAfterSeconds ?? 1 };
}

/** A person reaches every channel; the session stands where a call with a key has its key. */
function callerAs(state: OrganizationState, member: CallerMember): Caller {
  const { sessionId: id, name } = member;
  const key = { id, name, prefix: id, scope: 'account', channelId: null } as const;
  return { ...callerOf(state, key), member };
}

/** @param repeat the command may have been executed before */
export function answerSessionCommand(
  people: People,
  command: SessionCommand & Pick<Command, 'by'>,
  repeat: boolean,
): Promise<Answer> {
  switch (command.type) {
    case 'open-session':
      return openSession(people, command);
    case 'describe-session':
      return describeSession(people, command);
    case 'end-session':
      return endSession(people, command, repeat);
    case 'list-sessions':
      return listSessions(people);
    case 'end-person-sessions':
      return endPersonSessions(people, command);
    default:
      return command satisfies never;
  }
}

async function openSession(
  { environment, state, sessions }: People,
  { id, digest, memberId, personId: person, way, address }: OpenSession,
): Promise<AnswerOf<{ data: ShownSession }>> {
  const member = state.members.find((each) => each.id === memberId);
  const isPerson = member && personId(environment.ids, { ...member, orgId: state.id }) === person;
  if (state.removed === true || !member || !isActive(member) || !isPerson) {
    return renderFailure(failure('bad_link'));
  }
  const by = actingAs(member, { sessionId: id, address });
  await audit({ environment, state }, { id, by }, { kind: 'session', id });
  const begun = { id, orgId: state.id, memberId, personId: person, way, address };
  const session = await sessions.open(digest, begun);
  if (!session) return renderFailure(failure('bad_link'));
  return answerOf({ data: shown(state, session) }, 201);
}

/** Before the change: an entry of a repeated command is met. */
function audit(
  { environment, state }: Pick<People, 'environment' | 'state'>,
  {
    id: commandId,
    by,
    details = {},
  }: { readonly id: string; readonly by: ActingPerson; readonly details?: AuditEntry['details'] },
  subject: AuditSubject,
): Promise<void> {
  const { ids, clock, store } = environment;
  // One command may end the sessions of a person in several organizations.
  const id = ids.derive('aud', commandId, state.id, subject.kind, subject.id);
  return writeAudit(store, state.id, [{ id, at: clock.now(), by, subject, details }]);
}

function actingAs(
  member: MemberEntry,
  at: Pick<ActingPerson, 'sessionId' | 'address'>,
): ActingPerson {
  const { id: memberId, name } = member;
  return { memberId, name, role: roleOf(member), operation: 'signIn', ...at };
}

async function describeSession(
  people: People,
  { sessionId }: DescribeSession,
): Promise<AnswerOf<{ data: ShownSession }>> {
  return describedSession(people, await people.sessions.find(sessionId));
}

export function describedSession(
  { environment, state }: Pick<People, 'environment' | 'state'>,
  session: SessionState | null,
): AnswerOf<{ data: ShownSession }> {
  const isGood = session !== null && state.removed !== true;
  return isGood && memberOf(session, state, environment.clock.now())
    ? answerOf({ data: shown(state, session) })
    : renderFailure(failure('session_not_found'));
}

async function endSession(
  { environment, state, sessions }: People,
  { id, sessionId, by }: EndSession & Pick<Command, 'by'>,
  repeat: boolean,
): Promise<AnswerOf<{ data: Readonly<Record<string, never>> }>> {
  if (by) await audit({ environment, state }, { id, by }, { kind: 'session', id: sessionId });
  const ended = await sessions.end({ id: sessionId });
  // A crash may have come between the removal and the streams.
  if (repeat) await environment.live.endStreams(state.id, [sessionId]);
  return ended > 0 || repeat ? answerOf({ data: {} }) : renderFailure(failure('session_not_found'));
}

async function endPersonSessions(
  { environment, state, sessions }: People,
  { id, personId: person, except, provenBy, by }: EndPersonSessions & Pick<Command, 'by'>,
): Promise<Answer> {
  const own = by && authorIn(state, person, by);
  const subject = { kind: 'person', id: person };
  if (own) await audit({ environment, state }, { id, by: own, details: { provenBy } }, subject);
  await sessions.end({ personId: person }, except);
  return DONE;
}

/** The person as this organization's own member; undefined where it is none. */
function authorIn(
  { members }: OrganizationState,
  person: string,
  by: ActingPerson,
): ActingPerson | undefined {
  const member = members.find((each) => each.person === person);
  if (!member) return undefined;
  const { id: memberId, name } = member;
  const sessionId = memberId === by.memberId ? by.sessionId : null;
  return { ...by, memberId, name, role: roleOf(member), sessionId };
}

async function listSessions({
  environment,
  state,
  sessions,
}: People): Promise<AnswerOf<{ data: readonly SessionRow[] }>> {
  const now = environment.clock.now();
  const names = new Map(state.members.map(({ id, name }) => [id, name]));
  const live = (await sessions.list()).filter((each) => memberOf(each, state, now) !== null);
  const rows = live.map(({ id, memberId, way, address, ...at }) => ({
    ...{ id, memberId, memberName: names.get(memberId) ?? '', way, address },
    ...{ createdAt: timestamp(at.createdAt), seenAt: timestamp(at.seenAt) },
    expiresAt: timestamp(at.until),
  }));
  return answerOf({ data: rows });
}

function shown(state: OrganizationState, session: SessionState): ShownSession {
  const { id, memberId, way, createdAt, until } = session;
  const member = state.members.find((each) => each.id === memberId);
  const { id: orgId, name, timeZone } = state;
  return {
    id,
    role: member ? roleOf(member) : 'viewer',
    member: member ? { id: member.id, name: member.name, email: member.email } : null,
    organization: { id: orgId, name, timeZone },
    ...{ way, createdAt: timestamp(createdAt) },
    expiresAt: timestamp(until),
  };
}
