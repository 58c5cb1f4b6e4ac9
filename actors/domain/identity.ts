/**
 * Identity of a contact: one person known by a phone and by opaque network ids (D141).
 *
 * 1. When two contacts prove to be one person, the older one stays. The younger one forwards to it
 *    (`mergedInto`): a chain of forwards leads to ever older contacts.
 * 2. A merge loses no tag, field or alias; an opt-out of either one is in force.
 * 3. A number that the person has left is released: it is no alias, since networks recycle numbers.
 *    Each release has a mark of its own: a person may leave a number repeatedly.
 * 4. A decision that is repeated on its own result changes nothing.
 */
import { CONTACT_IDS_MAX } from '../../shared/limits.ts';
import { isSameNumber, phoneKey, shownSpelling } from '../../shared/text/phone-spellings.ts';
import {
  type ContactDecision,
  type ContactState,
  hasStoppedMarketing,
  historyOf,
  isOptedOut,
  namedBy,
  optOutRunOf,
} from './contact.ts';
import { earlierAd } from './first-ad.ts';
import { missingTags } from './tags.ts';

/** A contact in the comparison that decides which of several stays. */
export interface MergeCandidate {
  readonly id: string;
  /** Null while the contact does not exist. */
  readonly createdAt: number | null;
}

/**
 * Whether `a` stays when both are one person: existing contacts first, then older ones, then by id.
 * This is a total order, and a contact's place in it only rises: forwards form no cycle.
 */
export function precedes(a: MergeCandidate, b: MergeCandidate): boolean {
  if (a.createdAt === b.createdAt) return a.id < b.id;
  if (a.createdAt === null || b.createdAt === null) return b.createdAt === null;
  return a.createdAt < b.createdAt;
}

export function survivorOf<T extends MergeCandidate>(candidates: readonly [T, ...T[]]): T {
  return candidates.reduce((survivor, each) => (precedes(each, survivor) ? each : survivor));
}

/**
 * Lets `state` forward to another contact; null where the caller's view is stale. An id without a
 * contact stores the other's number, by which that contact may be created.
 */
export function decideForwarding(
  state: ContactState,
  into: MergeCandidate & { readonly phone: string },
): ContactState | null {
  const onRecord = state.version > 0;
  const candidate = { id: state.id, createdAt: onRecord ? state.createdAt : null };
  if (!precedes(into, candidate)) return null;
  const phone = onRecord ? state.phone : into.phone;
  return { ...state, phone, mergedInto: into.id, version: state.version + 1 };
}

/** Null where the other contact was merged into this one before. */
export function decideAbsorb(
  state: ContactState,
  other: ContactState,
  now: number,
): ContactDecision | null {
  if (state.merged?.includes(other.id)) return null;
  const newer = other.updatedAt > state.updatedAt ? other : state;
  const older = newer === other ? state : other;
  const phone = shownSpelling(state.phone || other.phone);
  // A number released earlier belongs to this person again: it was the other contact's until now.
  const isBack = releaseOf(state, other.phone) !== undefined;
  const hasLeft = !isSameNumber(other.phone, phone) && other.phone !== '' && !isBack;
  const accepted: ContactState = {
    ...state,
    phone,
    name: state.name ?? other.name,
    email: state.email ?? other.email,
    fields: { ...older.fields, ...newer.fields },
    tags: missingTags([], [...state.tags, ...other.tags]),
    ...optOf(state, other),
    ...historyOf(state.optInHistory, other.optInHistory),
    ...earlierAd(state, other),
    ...idsOf('aliases', [...(other.aliases ?? []), ...(state.aliases ?? [])]),
    ...idsOf('merged', [...(state.merged ?? []), ...(other.merged ?? []), other.id]),
    ...releasedBy(state, {
      former: hasLeft ? other.phone : '',
      current: isBack ? other.phone : phone,
    }),
    updatedAt: Math.max(now, state.updatedAt),
    version: state.version + 1,
  };
  const optedOut = isOptedOut(accepted) && !isOptedOut(state);
  const stops = hasStoppedMarketing(accepted) && !hasStoppedMarketing(state);
  const stopped = stops ? { stoppedMarketing: true } : {};
  return { accepted, created: false, optedOut, ...stopped, unchanged: false, newTags: [] };
}

/** What a network shows of a person. */
interface Reported {
  readonly phone: string;
  readonly aliases: readonly string[];
  readonly profileName?: string;
}

/** Adds the ids that the network reported; `unchanged` where all of them are known. */
export function decideLearn(state: ContactState, reported: Reported, now: number): ContactDecision {
  const moved = reported.phone !== '' && !isSameNumber(reported.phone, state.phone);
  // Another spelling of the number is no other number: the one that was seen first stays.
  const phone = moved ? reported.phone : shownSpelling(state.phone);
  const known = new Set(state.aliases);
  const newAliases = reported.aliases.filter((alias) => !known.has(alias));
  const accepted: ContactState = {
    ...state,
    phone,
    ...(state.version === 0 ? { name: namedBy(state, reported) } : {}),
    ...idsOf('aliases', [...(state.aliases ?? []), ...newAliases]),
    ...releasedBy(state, { former: moved ? state.phone : '', current: phone }),
    updatedAt: Math.max(now, state.updatedAt),
    version: state.version + 1,
  };
  const unchanged = phone === state.phone && newAliases.length === 0;
  return { accepted, created: false, optedOut: false, unchanged, newTags: [] };
}

/** The later of two times; null means never. */
export function laterOf(a: number | null, b: number | null): number | null {
  return a === null ? b : b === null ? a : Math.max(a, b);
}

/** An opt-out of either one wins, then an opt-in. */
function optOf(a: ContactState, b: ContactState) {
  const out = isOptedOut(a) || isOptedOut(b);
  return {
    optIn: !out && (a.optIn || b.optIn),
    optInAt: laterOf(a.optInAt, b.optInAt),
    optOutAt: laterOf(a.optOutAt, b.optOutAt),
    ...optOutRunOf(a, isOptedOut(a) && isOptedOut(b) ? null : (a.optOutRunId ?? b.optOutRunId)),
    ...marketingOf(a, b),
  };
}

/** A stop of either one stays. */
function marketingOf(a: ContactState, b: ContactState): Partial<ContactState> {
  const marketingOptOutAt = laterOf(a.marketingOptOutAt ?? null, b.marketingOptOutAt ?? null);
  return marketingOptOutAt === null ? {} : { marketingOptOutAt };
}

/** The mark under which the number was released; undefined while it is the contact's. */
export function releaseOf({ released = [] }: Pick<ContactState, 'released'>, phone: string) {
  return phone === '' ? undefined : released.find((mark) => isMarkOf(mark, phone));
}

function isMarkOf(mark: string, phone: string): boolean {
  return phoneKey(mark.slice(0, mark.indexOf('#'))) === phoneKey(phone);
}

/** Releases `former`, if not empty, under a mark of this version; removes that of `current`. */
function releasedBy(
  { released = [], version }: ContactState,
  { former, current }: { readonly former: string; readonly current: string },
): Partial<ContactState> {
  const others = released.filter((mark) => !isMarkOf(mark, current));
  const marks = former === '' ? others : [...others, `${former}#${version + 1}`];
  return released.length + marks.length === 0 ? {} : idsOf('released', marks);
}

/** The newest distinct ids; no property where there are none. */
function idsOf(
  name: 'aliases' | 'merged' | 'released',
  all: readonly string[],
): Partial<ContactState> {
  if (all.length === 0 && name !== 'released') return {};
  return { [name]: [...new Set(all)].slice(-CONTACT_IDS_MAX) };
}
