/**
 * Synchronisation of a business account's templates with its network (D285). Any process may run
 * it. A claim in the account's document keeps two from listing at once. The numbers of the listings
 * decide which one is shown.
 *
 * 1. A listing that is no newer than the one that has ended is discarded, however late it ends.
 * 2. The templates of a listing are inserted before the account names them. A process that dies
 *    between leaves templates that nobody reads, and the next listing removes them.
 * 3. A listing without a change writes no template.
 */
import { accountId as idOfAccount } from '../../shared/entity-ids.ts';
import type {
  NetworkChannel,
  NetworkTemplate,
  TemplateListing,
} from '../../shared/ports/network.ts';
import {
  type AccountState,
  afterChanged,
  afterFailed,
  afterListed,
  claimOf,
  type ListingCause,
  NEW_ACCOUNT,
  retainedListings,
  waitsUntil,
} from '../domain/template/account.ts';
import type { Environment } from '../environment.ts';
import {
  type Claimed,
  isDuplicate,
  isWritten,
  type NamedAccount,
  renewClaim,
  type TemplateEnvironment,
  tryClaim,
} from './claim.ts';
import { distinctTemplates, insertListing, removeListings } from './listing.ts';

/** A channel through which the templates of its account are listed. */
export interface AccountChannel {
  readonly orgId: string;
  readonly network: NetworkChannel;
}

/** The account of a channel; null where it has none, or where its network has no templates. */
export function accountOf(
  { ids, networks }: Pick<Environment, 'ids' | 'networks'>,
  { orgId, network }: AccountChannel,
): NamedAccount | null {
  const { businessAccountId } = network.network;
  const hasTemplates = networks.driver(network.provider).listTemplates !== undefined;
  if (network.provider !== 'cloud' || !businessAccountId || !hasTemplates) return null;
  return { id: idOfAccount(ids, orgId, businessAccountId), orgId, businessAccountId };
}

/** Counts a request for a listing that begins from now on. Answers the number of the request. */
export async function requestListing(
  { store }: Pick<Environment, 'store'>,
  account: NamedAccount,
): Promise<number> {
  const { wanted: _, ...others } = NEW_ACCOUNT;
  const { id: _id, orgId, businessAccountId } = account;
  const request = {
    update: 'businessAccounts',
    filter: { _id },
    change: { $inc: { wanted: 1 }, $setOnInsert: { ...others, orgId, businessAccountId } },
    upsert: true,
  } as const;
  const [outcome] = await store.commit([request]);
  // Another process inserted the document at the same moment.
  if (isDuplicate(outcome)) await store.commit([request]);
  return (await store.byId('businessAccounts', _id))?.wanted ?? 0;
}

/**
 * Lists the templates until nothing asks for it. Answers the time before which nothing will,
 * unless a request is counted.
 */
export async function synchronise(
  environment: TemplateEnvironment,
  channel: AccountChannel,
  firstCause: ListingCause,
): Promise<number> {
  const { store, clock, leaseHeld } = environment;
  const account = accountOf(environment, channel);
  if (account === null) return Number.POSITIVE_INFINITY;
  for (let cause = firstCause; ; ) {
    const found = await store.byId('businessAccounts', account.id);
    const state = found ?? NEW_ACCOUNT;
    const until = waitsUntil(state, clock.now(), cause);
    if (until !== null || !leaseHeld()) return until ?? clock.now();
    const claim = claimOf(state, clock.now());
    if (!(await tryClaim(environment, account, { state, claim }))) continue;
    await list(environment, channel, { account, state, claim });
    cause = 'due';
  }
}

interface Listing extends Claimed {
  readonly account: NamedAccount;
}

async function list(
  environment: TemplateEnvironment,
  { network }: AccountChannel,
  listing: Listing,
): Promise<void> {
  const { clock, networks } = environment;
  const beganAt = clock.now();
  const stopRenewal = renewClaim(environment, listing.account, listing);
  try {
    const answer = await networks.driver(network.provider).listTemplates?.(network);
    if (answer) await record(environment, { ...listing, channelId: network.id, beganAt }, answer);
  } finally {
    stopRenewal();
  }
}

interface Asked extends Listing {
  readonly channelId: string;
  readonly beganAt: number;
}

async function record(
  environment: TemplateEnvironment,
  asked: Asked,
  answer: TemplateListing,
): Promise<void> {
  const { clock, log } = environment;
  const { account, state, claim, channelId, beganAt } = asked;
  const fields = { channelId, account: account.id, listing: claim.number };
  if (!answer.listed) {
    log.warn({ ...fields, reason: answer.reason }, 'templates not listed');
    const failed = afterFailed(state, { claim, beganAt, now: clock.now() }, answer);
    await end(environment, account, { number: claim.number, change: failed });
    return;
  }
  const templates = distinctTemplates(answer.templates);
  const shown = await show(environment, asked, { templates, beganAt });
  log.info({ ...fields, templates: templates.length, shown }, 'templates listed');
}

interface Answered {
  readonly templates: readonly NetworkTemplate[];
  readonly beganAt: number;
}

/** Shows what a listing found. Answers how it ended, for the log. */
async function show(
  environment: TemplateEnvironment,
  { account, claim }: Listing,
  { templates, beganAt }: Answered,
): Promise<'unchanged' | 'changed' | 'superseded'> {
  const { store, clock, ids } = environment;
  const { number } = claim;
  const digest = ids.derive('dig', account.id, JSON.stringify(templates));
  // An older listing may have ended meanwhile: what is unchanged is decided by what is shown now.
  const before = await store.byId('businessAccounts', account.id);
  const own = { claim, beganAt, now: clock.now() };
  const count = templates.length;
  if (before !== null && before.digest === digest && before.shown > 0) {
    const change = afterListed(own, { shown: before.shown, digest, count });
    const { shown } = before;
    if (await end(environment, account, { number, change, shown })) {
      await removeBefore(environment, account, {
        number,
        retained: retainedListings(before, own.now),
      });
      return 'unchanged';
    }
  }
  const shownBefore = before?.shown ?? 0;
  if (
    !(await showChanged(
      environment,
      { account, claim, shownBefore },
      { templates, beganAt, digest },
    ))
  ) {
    return 'superseded';
  }
  await removeBefore(environment, account, { number, retained: [shownBefore] });
  return 'changed';
}

interface Changed extends Pick<Listing, 'account' | 'claim'> {
  /** The listing that is shown until now. */
  readonly shownBefore: number;
}

/** Inserts a listing and shows it. False: a later one has ended before, and nothing is left. */
async function showChanged(
  environment: TemplateEnvironment,
  { account, claim, shownBefore }: Changed,
  { templates, beganAt, digest }: Answered & { readonly digest: string },
): Promise<boolean> {
  const { number } = claim;
  const listed = { accountId: account.id, listing: number };
  let isInserted = false;
  try {
    await insertListing(environment, templates, listed);
    isInserted = true;
  } finally {
    if (!isInserted) await removeListings(environment, account.id, number);
  }
  const own = { claim, beganAt, now: environment.clock.now() };
  const change = afterChanged(shownBefore, own, { digest, count: templates.length });
  // Where this write is in doubt, its templates stay: it may show them yet.
  if (await end(environment, account, { number, change })) return true;
  await removeListings(environment, account.id, number);
  return false;
}

interface Before {
  readonly number: number;
  /** Shown, or shown until a moment ago: their pages may still be read. */
  readonly retained: readonly number[];
}

/**
 * Removes older listings, also those of processes that died. An ended listing does this: one that
 * is still under way could be shown without its templates.
 */
function removeBefore(
  environment: TemplateEnvironment,
  { id }: NamedAccount,
  { number, retained }: Before,
): Promise<void> {
  return removeListings(environment, id, { $lt: number, $nin: retained });
}

interface End {
  readonly number: number;
  readonly change: Partial<AccountState>;
  /** Only where this listing is still shown. */
  readonly shown?: number;
}

/** False where a later listing has ended before. */
async function end(
  { store }: TemplateEnvironment,
  { id: _id }: NamedAccount,
  { number, change, shown }: End,
): Promise<boolean> {
  const [outcome] = await store.commit([
    {
      update: 'businessAccounts',
      filter: { _id, ended: { $lt: number }, ...(shown === undefined ? {} : { shown }) },
      change: { $set: change },
      upsert: true,
    },
  ]);
  return isWritten(outcome);
}
