/** Decisions about the operator's sessions, which its own person keeps by their digests. */
import { OPERATOR_SESSION_MS } from '../../shared/limits.ts';
import type { OpenOperatorSession } from '../../shared/wire/person-commands.ts';
import { byDigest, current, findTicket, type OperatorSession, type PersonState } from './person.ts';

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
  const used = findTicket(state, ticket, now);
  if (!used) return null;
  const session = { id, digest, until: now + OPERATOR_SESSION_MS };
  const sessions = [...current(state.sessions, now), session];
  const tickets = state.tickets.filter((each) => each !== used);
  return { next: { ...state, sessions, tickets }, session };
}

export function findOperatorSession(
  { sessions }: PersonState,
  digest: string,
  now: number,
): OperatorSession | undefined {
  return byDigest(current(sessions, now), digest);
}

/** The same state where there is no session of that digest. */
export function endOperatorSession(state: PersonState, digest: string): PersonState {
  const ended = byDigest(state.sessions, digest);
  if (!ended) return state;
  return { ...state, sessions: state.sessions.filter((each) => each !== ended) };
}
