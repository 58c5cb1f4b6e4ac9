/**
 * Sessions of an organization's members: one document each, by the digest of its secret.
 *
 * 1. The organization's owner is their only writer. A session that it has ended admits no call of
 *    any gateway from then on.
 * 2. A session is read from the store once, and then kept in memory with its last use, which is
 *    written at most every `SESSION_SEEN_EVERY_MS`.
 * 3. An end is answered when no process streams for the session any more (D236).
 * 4. Rate windows of sessions are their own, in memory: people never spend the calls of keys.
 * 5. An ended session keeps its digest, in no organization, for as long as the command that opened
 *    it may arrive late: it does not open it again (D493).
 */

import { GenerationalCache } from '../../shared/generational-cache.ts';
import {
  CALLS_PER_SESSION,
  PLAIN_COMMAND_RETENTION_MS,
  SESSIONS_PER_MEMBER,
} from '../../shared/limits.ts';
import type { OrganizationState } from '../domain/organization.ts';
import { decideRateLimit, type RateLimitDecision, type RateWindow } from '../domain/rate-limits.ts';
import {
  beginSession,
  memberOf,
  type NewSession,
  type SessionState,
  touchSession,
} from '../domain/session.ts';
import type { Environment } from '../environment.ts';
import type { SessionDocument } from '../model/organization.ts';
import { describe } from '../runtime/describe-fault.ts';
import { assertCommitted } from '../runtime/turn.ts';

type Ended =
  | { readonly id: string }
  | { readonly memberId: string }
  | { readonly personId: string };

const COLLECTION = 'sessions';
/** Of an ended one. */
const NO_ORGANIZATION = '';
const CACHED_MAX = 2_000;
/** The newest; older ones end by themselves. */
const LISTED_MAX = 500;

export class OrganizationSessions {
  readonly #environment: Environment;
  readonly #orgId: string;
  /** Null: there is no such session. */
  readonly #sessions = new GenerationalCache<string, SessionState | null>(CACHED_MAX);

  /** Of sessions that are in memory, by their ids: open streams ask about them again and again. */
  readonly #digests = new GenerationalCache<string, string>(CACHED_MAX);

  constructor(environment: Environment, orgId: string) {
    this.#environment = environment;
    this.#orgId = orgId;
  }

  /** Undefined while the session is not in memory. */
  cached(digest: string): SessionState | null | undefined {
    return this.#sessions.get(digest);
  }

  /** The same for the id of a session. */
  cachedById(id: string): SessionState | null | undefined {
    const digest = this.#digests.get(id);
    return digest === undefined ? undefined : this.cached(digest);
  }

  async load(digest: string): Promise<SessionState | null> {
    const known = this.#sessions.get(digest);
    if (known !== undefined) return known;
    const found = await this.#environment.store.findOne(COLLECTION, { _id: digest });
    const session = found?.orgId === this.#orgId ? stateOf(found) : null;
    this.#keep(digest, session);
    return session;
  }

  #keep(digest: string, session: SessionState | null): void {
    this.#sessions.set(digest, session);
    if (session) this.#digests.set(session.id, digest);
  }

  /** A session of that digest again is the same session; null where it has ended. */
  async open(digest: string, session: NewSession): Promise<SessionState | null> {
    const known = await this.load(digest);
    if (known) return known;
    const { store, clock } = this.#environment;
    if (await store.byId(COLLECTION, digest)) return null;
    await this.#endOldest(session.memberId);
    const begun = beginSession(session, clock.now());
    const [written] = await store.commit([
      { insert: COLLECTION, document: { _id: digest, ...begun } },
    ]);
    assertCommitted(written, 'a session');
    this.#keep(digest, begun);
    return begun;
  }

  /** Writes the session's use, when that is due; nothing waits for it. */
  touch(digest: string, session: SessionState): void {
    const { store, clock, log } = this.#environment;
    const touched = touchSession(session, clock.now());
    if (touched === session) return;
    this.#sessions.set(digest, touched);
    const { seenAt, until } = touched;
    const filter = { _id: digest, orgId: this.#orgId };
    const change = { $set: { seenAt, until } };
    store
      .commit([{ update: COLLECTION, filter, change }], { deferrable: true })
      .catch((cause: unknown) =>
        log.warn({ error: describe(cause) }, 'the use of a session was not written'),
      );
  }

  /** The session of that id; null where there is none. */
  async find(sessionId: string): Promise<SessionState | null> {
    const filter = { orgId: this.#orgId, id: sessionId };
    const found = await this.#environment.store.findOne(COLLECTION, filter);
    return found ? this.load(found._id) : null;
  }

  /** Newest first. */
  async list(): Promise<readonly SessionState[]> {
    return (await this.#read({})).map(stateOf);
  }

  /**
   * Ends one session, or all of a member or a person but for one: durably, in memory, and the
   * streams of every process.
   */
  async end(which: Ended, except?: string): Promise<number> {
    const found = (await this.#read(which)).filter(({ id }) => id !== except);
    await this.#remove(found);
    return found.length;
  }

  /** Ends those that admit no call any more. */
  async endRefused(state: OrganizationState): Promise<void> {
    const now = this.#environment.clock.now();
    const found = await this.#read({});
    await this.#remove(found.filter((session) => memberOf(session, state, now) === null));
  }

  async #endOldest(memberId: string): Promise<void> {
    const found = await this.#read({ memberId });
    await this.#remove(found.slice(SESSIONS_PER_MEMBER - 1));
  }

  #read(filter: Readonly<Record<string, string>>): Promise<SessionDocument[]> {
    const { store } = this.#environment;
    const options = { sort: { createdAt: -1 }, limit: LISTED_MAX } as const;
    return store.find(COLLECTION, { orgId: this.#orgId, ...filter }, options);
  }

  async #remove(sessions: readonly SessionDocument[]): Promise<void> {
    const { store, live, clock } = this.#environment;
    // Before the write: a call is refused even if the answer of the store is lost.
    for (const { _id } of sessions) this.#sessions.set(_id, null);
    const until = clock.now() + PLAIN_COMMAND_RETENTION_MS;
    const change = { $set: { orgId: NO_ORGANIZATION, until } };
    const outcomes = await store.commit(
      sessions.map(({ _id }) => ({ update: COLLECTION, filter: { _id }, change })),
    );
    for (const outcome of outcomes) assertCommitted(outcome, 'the end of a session');
    const ids = sessions.map(({ id }) => id);
    await live.endStreams(this.#orgId, ids);
  }
}

function stateOf({ _id, ...state }: SessionDocument): SessionState {
  return state;
}

/** Rate windows of sessions, for one tenure of the organization. */
export class SessionWindows {
  readonly #windows = new GenerationalCache<string, RateWindow>(CACHED_MAX);
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  admit(sessionId: string): RateLimitDecision {
    const key = this.#windows.get(sessionId);
    const limits = { keyLimit: CALLS_PER_SESSION, orgLimit: CALLS_PER_SESSION };
    const decision = decideRateLimit({ key, org: key, ...limits }, this.#now());
    this.#windows.set(sessionId, decision.key);
    return decision;
  }
}
