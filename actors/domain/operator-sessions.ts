/** Decisions about the operator's sessions, which its own person keeps by their digests. */
import { OPERATOR_SESSION_MS } from '../../shared/limits.ts';
import type { OpenOperatorSession } from '../../shared/wire/person-commands.ts';
import { findTicket, type OperatorSession, type PersonState } from './person.ts';

type Opening = Pick<OpenOperatorSession, 'id' | 'digest' | 'ticket'>;

export interface OpenedSession {
  readonly next: PersonState;
  readonly session: OperatorSession;
}

/** Null without a good ticket. A session of that digest again is the same session. */
export function openOperatorSession(
  state: PersonState,
  { id, digest, ticket }: Opening,
  now: number,
): OpenedSession | null {
  const known = findOperatorSession(state, digest, now);
  if (known) return { next: state, session: known };
  if (!findTicket(state, ticket, now)) return null;
  const session = { id, digest, until: now + OPERATOR_SESSION_MS };
  const sessions = [...state.sessions.filter(({ until }) => until > now), session];
  const tickets = state.tickets.filter((each) => each.digest !== ticket);
  return { next: { ...state, sessions, tickets }, session };
}

export function findOperatorSession(
  { sessions }: PersonState,
  digest: string,
  now: number,
): OperatorSession | undefined {
  return sessions.find((each) => each.digest === digest && each.until > now);
}

/** The same state where there is no session of that digest. */
export function endOperatorSession(state: PersonState, digest: string): PersonState {
  const sessions = state.sessions.filter((each) => each.digest !== digest);
  return sessions.length === state.sessions.length ? state : { ...state, sessions };
}
