/**
 * Decisions about one person: links, tickets and guesses of a passphrase.
 *
 * 1. A link signs in once, within `SIGN_IN_LINK_MS`; an invitation's two links, the mailed one and
 *    the one that the admin copies, are one: the use of either ends both. The command that used a
 *    link may be repeated.
 * 2. Links and tickets are kept for each organization apart: those of one do not push out another's.
 *    A ticket opens sessions of its memberships for `SIGN_IN_TICKET_MS`.
 * 3. Guesses are slowed by a token bucket and never lock the account: a token comes back every
 *    `GUESS_EVERY_MS`. A peer that signed in within `KNOWN_PEER_MS` has a bucket of its own, so that guesses from
 *    elsewhere do not slow it. Buckets are in memory: a guess writes nothing, so that an unknown
 *    e-mail costs what a known one costs, and no document.
 * 4. Links do not count as guesses: their secrets have 256 bits.
 */
import {
  GUESS_EVERY_MS,
  GUESSES_BURST,
  INVITATION_LINK_MS,
  KNOWN_PEER_MS,
  LINK_MAILS_PER_HOUR,
  SIGN_IN_LINK_MS,
  SIGN_IN_SECRETS_MAX,
  SIGN_IN_TICKET_MS,
} from '../../shared/limits.ts';
import type { SignInWay } from '../../shared/wire/person-commands.ts';
import type { Passphrase, Target } from './passphrase.ts';
import { fullBucket, refill, spend, type TokenBucket, waitMs } from './rate-limits.ts';

const HOUR_MS = 60 * 60 * 1000;
const GUESSES = { burst: GUESSES_BURST, everyMs: GUESS_EVERY_MS };
const KNOWN_PEERS_MAX = 10;

export interface LinkEntry {
  readonly digest: string;
  /** Epoch milliseconds. */
  readonly until: number;
  readonly to: Target;
  /** It went to the person's mailbox alone: who has it has the mailbox. */
  readonly mailed?: true;
  /** Of an invitation's links. */
  readonly invitation?: string;
  /** Id of the command that has used it. */
  readonly usedBy: string | null;
}

/** A peer from which the person has signed in by passphrase. */
export interface KnownPeer {
  readonly peer: string;
  /** Epoch milliseconds of the last time. */
  readonly at: number;
}

export interface TicketEntry {
  readonly digest: string;
  readonly until: number;
  readonly to: Target;
  readonly way: SignInWay;
}

export interface OperatorSession {
  readonly id: string;
  readonly digest: string;
  readonly until: number;
}

export interface PersonState {
  readonly id: string;
  readonly passphrase: Passphrase | null;
  readonly links: readonly LinkEntry[];
  readonly tickets: readonly TicketEntry[];
  /** The newest last. */
  readonly peers: readonly KnownPeer[];
  /** Times of mailed links, epoch milliseconds. */
  readonly mailed: readonly number[];
  /** Of the operator alone. */
  readonly sessions: readonly OperatorSession[];
  /** 0 before the first commit. */
  readonly version: number;
}

export function newPerson(id: string): PersonState {
  return {
    ...{ id, passphrase: null, version: 0 },
    ...{ links: [], tickets: [], peers: [], mailed: [], sessions: [] },
  };
}

export function current<E extends { readonly until: number }>(
  entries: readonly E[],
  now: number,
): E[] {
  return entries.filter(({ until }) => until > now);
}

/** Looked up, as a digest of 256 random bits is. */
export function byDigest<E extends { readonly digest: string }>(
  entries: readonly E[],
  digest: string,
): E | undefined {
  return new Map(entries.map((each) => [each.digest, each])).get(digest);
}

/** With the newest of each organization. */
function withEntry<E extends { readonly until: number; readonly to: Target }>(
  entries: readonly E[],
  entry: E,
  now: number,
): readonly E[] {
  const all = [...current(entries, now), entry];
  const alike = all.filter(({ to }) => to?.orgId === entry.to?.orgId);
  const crowded = new Set(alike.slice(0, -SIGN_IN_SECRETS_MAX));
  return all.filter((each) => !crowded.has(each));
}

type NewLink = Omit<LinkEntry, 'until' | 'usedBy'>;

export function addLink(
  state: PersonState,
  link: NewLink,
  now: number,
): { readonly next: PersonState; readonly until: number } {
  // A repeated command: the link exists already.
  const known = byDigest(state.links, link.digest);
  if (known) return { next: state, until: known.until };
  const until = now + (link.invitation === undefined ? SIGN_IN_LINK_MS : INVITATION_LINK_MS);
  const entry = { ...link, until, usedBy: null };
  return { next: { ...state, links: withEntry(state.links, entry, now) }, until };
}

interface Invitation {
  readonly id: string;
  readonly to: Target;
  /** Digests of its two links. */
  readonly mailed: string;
  readonly copied: string;
}

/** A repeated command makes none of the two again: the use of one has ended both. */
export function addInvitation(
  state: PersonState,
  { id: invitation, to, mailed, copied }: Invitation,
  now: number,
): ReturnType<typeof addLink> {
  const known = byDigest(state.links, mailed) ?? byDigest(state.links, copied);
  if (known) return { next: state, until: known.until };
  const own = addLink(state, { digest: mailed, to, invitation, mailed: true }, now);
  return addLink(own.next, { digest: copied, to, invitation }, now);
}

/** Null where so many links were mailed within the hour. */
export function addMailedLink(state: PersonState, digest: string, now: number): PersonState | null {
  const mailed = state.mailed.filter((at) => at > now - HOUR_MS && at <= now);
  if (mailed.length >= LINK_MAILS_PER_HOUR) return null;
  const { next } = addLink(state, { digest, to: null, mailed: true }, now);
  return { ...next, mailed: [...mailed, now] };
}

/** The state with a ticket in place of the link; null for one that was used, or is too old. */
export function exchangeLink(
  state: PersonState,
  { id, digest, ticket }: { readonly id: string; readonly digest: string; readonly ticket: string },
  now: number,
): { readonly next: PersonState; readonly to: Target; readonly way: SignInWay } | null {
  const link = byDigest(current(state.links, now), digest);
  if (!link || (link.usedBy !== null && link.usedBy !== id)) return null;
  const { to, invitation } = link;
  const way = link.mailed === true ? 'mail' : 'link';
  // A repeated command: the ticket came with the use, and may have been taken away since.
  if (link.usedBy === id) return { next: state, to, way };
  const links = state.links
    .filter((each) => each === link || !invitation || each.invitation !== invitation)
    .map((each) => (each === link ? { ...link, usedBy: id } : each));
  return { next: withTicket({ ...state, links }, { digest: ticket, to, way }, now), to, way };
}

export function withTicket(
  state: PersonState,
  ticket: Pick<TicketEntry, 'digest' | 'to' | 'way'>,
  now: number,
): PersonState {
  // A repeated command: the ticket exists already.
  if (byDigest(state.tickets, ticket.digest)) return state;
  const entry = { ...ticket, until: now + SIGN_IN_TICKET_MS };
  return { ...state, tickets: withEntry(state.tickets, entry, now) };
}

export function findTicket(state: PersonState, digest: string, now: number): TicketEntry | null {
  return byDigest(current(state.tickets, now), digest) ?? null;
}

/** Buckets of guesses: of each known peer, and one of all others. */
export type Guesses = ReadonlyMap<string, TokenBucket>;

const OTHERS = '';

/** Whether the person has signed in from there of late. */
export function isKnownPeer(
  { peers }: Pick<PersonState, 'peers'>,
  peer: string,
  now: number,
): boolean {
  return peers.some((each) => each.peer === peer && each.at > now - KNOWN_PEER_MS);
}

/** A guess under way: the buckets with its token spent, or the wait for the next token. */
export type GuessDecision =
  | { readonly waitMs: number }
  | { readonly waitMs: 0; readonly next: Guesses };

export function spendGuess(
  state: Pick<PersonState, 'peers'>,
  { guesses, peer }: { readonly guesses: Guesses; readonly peer: string },
  now: number,
): GuessDecision {
  const name = isKnownPeer(state, peer, now) ? peer : OTHERS;
  const bucket = refill(guesses.get(name) ?? fullBucket(GUESSES, now), GUESSES, now);
  const wait = waitMs(bucket, GUESSES);
  if (wait > 0) return { waitMs: wait };
  return { waitMs: 0, next: new Map([...guesses, [name, spend(bucket, 1)]]) };
}

/** The buckets that are not full again. */
export function slowedGuesses(guesses: Guesses, now: number): Guesses {
  const slowed = [...guesses].filter(
    ([, bucket]) => refill(bucket, GUESSES, now).tokens < GUESSES.burst,
  );
  return new Map(slowed);
}

/** After a right guess: the peer is known from now on. */
export function rightGuess(state: PersonState, peer: string, now: number): PersonState {
  const others = state.peers.filter((each) => each.peer !== peer);
  return { ...state, peers: [...others, { peer, at: now }].slice(-KNOWN_PEERS_MAX) };
}
