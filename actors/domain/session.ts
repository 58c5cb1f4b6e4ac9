/**
 * Decisions about a member's session: how long it is good, and whose calls it admits.
 *
 * 1. A session ends `SESSION_MAX_MS` after its begin, and `SESSION_IDLE_MS` after its last use.
 * 2. It is good only while its member is active and still is the person that signed in.
 */
import { SESSION_IDLE_MS, SESSION_MAX_MS, SESSION_SEEN_EVERY_MS } from '../../shared/limits.ts';
import type { SignInWay } from '../../shared/wire/person-commands.ts';
import { isActive, type MemberEntry, type OrganizationState } from './organization.ts';

export interface SessionState {
  readonly id: string;
  readonly orgId: string;
  readonly memberId: string;
  readonly personId: string;
  readonly way: SignInWay;
  /** The peer's address at the begin. */
  readonly address: string;
  /** Epoch milliseconds, as all times here. */
  readonly createdAt: number;
  /** Last use, to `SESSION_SEEN_EVERY_MS`. */
  readonly seenAt: number;
  /** Idle or too old from then on: the store removes it. */
  readonly until: number;
}

export type NewSession = Omit<SessionState, 'createdAt' | 'seenAt' | 'until'>;

export function beginSession(session: NewSession, now: number): SessionState {
  return { ...session, createdAt: now, seenAt: now, until: untilOf(now, now) };
}

function untilOf(createdAt: number, seenAt: number): number {
  return Math.min(createdAt + SESSION_MAX_MS, seenAt + SESSION_IDLE_MS);
}

/** The member that the session acts for; null where it admits no call. */
export function memberOf(
  session: SessionState,
  { members }: Pick<OrganizationState, 'members'>,
  now: number,
): MemberEntry | null {
  if (now >= session.until) return null;
  const member = members.find(({ id }) => id === session.memberId);
  const isSame = member !== undefined && isActive(member) && member.person === session.personId;
  return isSame ? member : null;
}

/** The session after a use; the same object where that need not be written. */
export function touchSession(session: SessionState, now: number): SessionState {
  if (now - session.seenAt < SESSION_SEEN_EVERY_MS) return session;
  return { ...session, seenAt: now, until: untilOf(session.createdAt, now) };
}
