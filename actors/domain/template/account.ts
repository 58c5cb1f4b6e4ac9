/**
 * When the templates of a business account are listed, and what a listing changes (D285).
 *
 * 1. Listings are numbered as they begin. One that ends after a later one changes nothing.
 * 2. A request that was counted before a listing began is served by it. A later one asks for
 *    another, a moment after the last one: a network that announces many changes is not listed
 *    for each of them.
 * 3. A failure keeps the templates that are shown, and grows the wait until the next listing.
 */

export interface ListingClaim {
  readonly number: number;
  readonly until: number;
  /** Requests that were counted when it began. */
  readonly wanted: number;
}

export interface AccountState {
  /** Number of the last listing that was begun, and of the last that has ended. */
  readonly begun: number;
  readonly ended: number;
  readonly claim: ListingClaim | null;
  /** Requests for a listing: counted, and served. */
  readonly wanted: number;
  readonly served: number;
  /** The listing whose templates are shown; 0 before the first. */
  readonly shown: number;
  /** The listing that was shown before, and since when it is not: its pages may still be read. */
  readonly previous: number;
  readonly shownAt: number;
  /** Of the templates that are shown. */
  readonly digest: string | null;
  readonly count: number;
  /** Epoch milliseconds: begin of the last listing that ended, end of the last that succeeded. */
  readonly listedAt: number | null;
  readonly syncedAt: number | null;
  /** End of the last listing. */
  readonly endedAt?: number;
  readonly nextAt: number;
  readonly failures: number;
  /** Portuguese: the last listing failed. */
  readonly reason: string | null;
}

export const NEW_ACCOUNT: AccountState = {
  begun: 0,
  ended: 0,
  claim: null,
  wanted: 0,
  served: 0,
  shown: 0,
  previous: 0,
  shownAt: 0,
  digest: null,
  count: 0,
  listedAt: null,
  syncedAt: null,
  nextAt: 0,
  failures: 0,
  reason: null,
};

export const LISTED_EVERY_MS = 10 * 60_000;
/** Without a renewal, a later owner may begin another listing then. */
export const CLAIM_MS = 6_000;
export const CLAIM_RENEWAL_MS = 2_000;
/** Listings that are asked for begin so long after the end of the last one. */
export const REQUEST_INTERVAL_MS = 2_000;
/** A channel that was applied or can send again needs no listing that is younger. */
const FRESH_MS = 60_000;
const PREVIOUS_RETENTION_MS = 60_000;
const FIRST_RETRY_MS = 30_000;

/** `due`: the rhythm alone. `fresh`: the channel was applied, or can send again. */
export type ListingCause = 'due' | 'fresh';

/** Null: a listing is to begin now; else the time before which none is due. */
export function waitsUntil(state: AccountState, now: number, cause: ListingCause): number | null {
  const { claim, ended } = state;
  if (claim !== null && claim.number > ended && claim.until > now) return claim.until;
  if (state.nextAt <= now) return null;
  if (state.wanted > state.served) {
    const from = (state.endedAt ?? 0) + REQUEST_INTERVAL_MS;
    return from > now ? from : null;
  }
  const isFresh = state.reason === null && now - (state.listedAt ?? 0) < FRESH_MS;
  return cause === 'fresh' && !isFresh ? null : state.nextAt;
}

/** The begun listing of a state; its number is the next. */
export function claimOf({ begun, wanted }: AccountState, now: number): ListingClaim {
  return { number: begun + 1, until: now + CLAIM_MS, wanted };
}

interface Ended {
  readonly claim: ListingClaim;
  /** Epoch milliseconds. */
  readonly beganAt: number;
  readonly now: number;
}

type Change = Partial<AccountState>;

export function afterListed(
  { claim, beganAt, now }: Ended,
  shown: Pick<AccountState, 'shown' | 'digest' | 'count'>,
): Change {
  return {
    ...shown,
    ended: claim.number,
    served: claim.wanted,
    listedAt: beganAt,
    syncedAt: now,
    endedAt: now,
    nextAt: beganAt + LISTED_EVERY_MS,
    failures: 0,
    reason: null,
  };
}

/** @param failed `final`: asking again does not help before the settings change */
export function afterFailed(
  { failures }: AccountState,
  { claim, beganAt, now }: Ended,
  failed: { readonly reason: string; readonly final: boolean },
): Change {
  const waitMs = Math.min(FIRST_RETRY_MS * 2 ** Math.min(failures, 10), LISTED_EVERY_MS);
  return {
    ended: claim.number,
    served: claim.wanted,
    listedAt: beganAt,
    endedAt: now,
    nextAt: now + (failed.final ? LISTED_EVERY_MS : waitMs),
    failures: failures + 1,
    reason: failed.reason,
  };
}

/** A listing that found another than what is shown. */
export function afterChanged(
  previous: number,
  ended: Ended,
  found: Pick<AccountState, 'digest' | 'count'>,
): Change {
  const shown = { ...found, shown: ended.claim.number };
  return {
    ...afterListed(ended, shown),
    previous,
    shownAt: ended.now,
  };
}

/** The listings whose templates are kept: shown, or shown until a moment ago. */
export function retainedListings(
  state: Pick<AccountState, 'shown' | 'previous' | 'shownAt'>,
  now: number,
): readonly number[] {
  const isRecent = now - state.shownAt < PREVIOUS_RETENTION_MS;
  return isRecent ? [state.shown, state.previous] : [state.shown];
}
