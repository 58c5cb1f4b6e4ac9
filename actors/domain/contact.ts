/**
 * Decisions about a contact: upsert, tags, opt-in and opt-out (C4.6, D18, D123).
 *
 * 1. The phone is the key; only the network changes it (`identity.ts`).
 * 2. A change adds and overwrites what it names, and removes only tags and fields that it names so.
 * 3. `contact.opt_out` is emitted when an opt-out comes into force, not when it is repeated.
 * 4. A stop of marketing messages is no opt-out: it concerns MARKETING templates alone, and the
 *    network reports its end (D327). Of a stop and a resumption the later one counts.
 * 5. Each change of opt-in is recorded, its repeats are not. The newest `OPT_IN_HISTORY_MAX` stay.
 * 6. No change makes a contact grow beyond `CONTACT_MAX_BYTES`. A larger one, stored earlier,
 *    accepts every change that does not make it grow.
 */
import { type Failure, invalid } from '../../shared/failures.ts';
import {
  CONTACT_FIELDS_MAX,
  CONTACT_MAX_BYTES,
  CONTACT_NAME_MAX_CHARS,
  OPT_IN_HISTORY_MAX,
} from '../../shared/limits.ts';
import { withoutControl } from '../../shared/text/control-characters.ts';
import { foldTag } from '../../shared/text/fold-tag.ts';
import { firstCodePoints, utf8Bytes } from '../../shared/text/utf8.ts';
import type { ContactSource } from '../../shared/vocabulary.ts';
import type { UpsertContact } from '../../shared/wire/commands.ts';
import { adAfter, type FirstAd } from './first-ad.ts';
import { missingTags } from './tags.ts';

/** A change of opt-in: a repeat of the same is none. */
export interface OptRecord {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly optIn: boolean;
  readonly source: ContactSource;
}

export interface ContactState {
  readonly id: string;
  readonly orgId: string;
  readonly phone: string;
  readonly name: string | null;
  readonly email: string | null;
  readonly fields: Readonly<Record<string, string>>;
  readonly tags: readonly string[];
  readonly optIn: boolean;
  readonly optInAt: number | null;
  readonly optOutAt: number | null;
  /**
   * The flow's run that recorded the opt-out in force: what it had said before, a farewell, still
   * goes. Null once the opt-out was repeated by anybody.
   */
  readonly optOutRunId?: string | null;
  readonly source: ContactSource;
  /** Oldest first; absent before the first change that was recorded. */
  readonly optInHistory?: readonly OptRecord[];
  /** Since when the contact wants no marketing messages; absent or null: it has not said so. */
  readonly marketingOptOutAt?: number | null;
  /** When the contact last wanted marketing messages again. */
  readonly marketingResumedAt?: number;
  /** The first advertisement that brought the contact. */
  readonly firstAd?: FirstAd;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** 0 before the first commit. */
  readonly version: number;
  /** Opaque network ids that are known to be this person's. */
  readonly aliases?: readonly string[];
  /** Contacts that were merged into this one: it answers for their ids. */
  readonly merged?: readonly string[];
  /** Former numbers of this person, as marks of `identity.ts`; each belongs to its next user. */
  readonly released?: readonly string[];
  /** The contact that this one was merged into. */
  readonly mergedInto?: string;
}

export interface ContactChange
  extends Pick<UpsertContact, 'email' | 'fields' | 'optIn' | 'source'> {
  /** Null clears; a blank one changes nothing. */
  readonly name?: string | null;
  /**
   * Fills an empty name only. It is cut at the bound of a name, and dropped where the contact has
   * no room for it: no change is refused for it.
   */
  readonly profileName?: string;
  /** In the organization's spelling. */
  readonly tags?: readonly string[];
  /** Tags to remove. */
  readonly untags?: readonly string[];
  /** Names of fields to remove. */
  readonly unfields?: readonly string[];
  /** The run whose step opts out. */
  readonly runId?: string;
  readonly marketing?: MarketingWish;
  /** Stays unless an earlier report has set one: no change is refused for it. */
  readonly firstAd?: FirstAd;
}

/** What a contact has said of marketing messages; `at` is the network's time of it. */
export interface MarketingWish {
  readonly wanted: boolean;
  readonly at: number;
}

export type ContactDecision =
  | { readonly refused: Failure }
  | {
      readonly accepted: ContactState;
      readonly created: boolean;
      readonly optedOut: boolean;
      /** A stop of marketing messages has come into force. */
      readonly stoppedMarketing?: boolean;
      /** True where the change adds nothing: there is nothing to commit. */
      readonly unchanged: boolean;
      readonly newTags: readonly string[];
    };

export function newContact(
  identity: Pick<ContactState, 'id' | 'orgId' | 'phone' | 'source'>,
  now: number,
): ContactState {
  return {
    ...identity,
    name: null,
    email: null,
    fields: {},
    tags: [],
    optIn: false,
    optInAt: null,
    optOutAt: null,
    createdAt: now,
    updatedAt: now,
    version: 0,
  };
}

/** An upsert always updates `updatedAt`; a profile name is `unchanged` unless it fills the name. */
export function decideUpsert(
  state: ContactState,
  change: ContactChange,
  now: number,
): ContactDecision {
  const fields = fieldsOf(state.fields, change);
  const fieldsMax = Math.max(CONTACT_FIELDS_MAX, Object.keys(state.fields).length);
  if (Object.keys(fields).length > fieldsMax) {
    const message = `Um contato pode ter no máximo ${CONTACT_FIELDS_MAX} campos.`;
    return { refused: invalid({ path: 'fields', message }) };
  }
  const newTags = missingTags(state.tags, change.tags ?? []);
  const optedOut = change.optIn === false && !isOptedOut(state);
  const named: Sized = {
    name: change.name === null ? null : (nameOf(change.name) ?? nameOf(state.name)),
    email: change.email === undefined ? state.email : change.email === '' ? null : change.email,
    fields,
    // Twins that an earlier version told apart are one tag.
    tags: missingTags([], [...without(state.tags, change.untags ?? []), ...newTags]),
  };
  const maxBytes = Math.max(CONTACT_MAX_BYTES, bytesOf(state));
  if (bytesOf(named) > maxBytes)
    return { refused: invalid({ path: 'fields', message: TOO_LARGE }) };
  const accepted: ContactState = {
    ...state,
    ...named,
    name: named.name ?? profileNameOf(named, change, maxBytes),
    ...optChange(state, change, now),
    ...marketingChange(state, change),
    ...adAfter(state, change),
    updatedAt: Math.max(now, state.updatedAt),
    version: state.version + 1,
  };
  const created = state.version === 0;
  const isFilled = accepted.name !== state.name || accepted.firstAd !== state.firstAd;
  const unchanged = !created && !touches(change) && !isFilled;
  const stoppedMarketing = hasStoppedMarketing(accepted) && !hasStoppedMarketing(state);
  return { accepted, created, optedOut, stoppedMarketing, unchanged, newTags };
}

function fieldsOf(
  known: ContactState['fields'],
  { fields, unfields = [] }: ContactChange,
): ContactState['fields'] {
  const removed = new Set(unfields);
  const kept = Object.entries(known).filter(([name]) => !removed.has(name));
  return { ...Object.fromEntries(kept), ...fields };
}

/** Blanks are no name: an empty field of a form keeps the name that is there (C4.6). */
function nameOf(name: string | null | undefined): string | null {
  return name === undefined || name === null || name.trim() === '' ? null : name;
}

type Sized = Pick<ContactState, 'name' | 'email' | 'tags' | 'fields'>;

const TOO_LARGE =
  'Nome, e-mail, etiquetas e campos de um contato podem ter juntos ' +
  `no máximo ${CONTACT_MAX_BYTES} bytes em UTF-8.`;

/** UTF-8 bytes of everything that a caller may store in a contact. */
function bytesOf({ name, email, tags, fields }: Sized): number {
  let bytes = utf8Bytes(name ?? '') + utf8Bytes(email ?? '');
  for (const tag of tags) bytes += utf8Bytes(tag);
  for (const [field, value] of Object.entries(fields)) bytes += utf8Bytes(field) + utf8Bytes(value);
  return bytes;
}

/** The name of a contact that is recorded with what its network shows of it. */
export function namedBy(
  state: ContactState,
  shown: Pick<ContactChange, 'profileName'>,
): string | null {
  return state.name ?? profileNameOf(state, shown, CONTACT_MAX_BYTES);
}

function profileNameOf(
  named: Sized,
  change: Pick<ContactChange, 'profileName'>,
  maxBytes: number,
): string | null {
  if (change.profileName === undefined) return null;
  const name = firstCodePoints(withoutControl(change.profileName), CONTACT_NAME_MAX_CHARS);
  return name === '' || bytesOf(named) + utf8Bytes(name) > maxBytes ? null : name;
}

/** Whether an opt-out is in force. */
export function isOptedOut(state: Pick<ContactState, 'optIn' | 'optOutAt'>): boolean {
  return !state.optIn && state.optOutAt !== null;
}

/** Whether a stop of marketing messages is in force. */
export function hasStoppedMarketing({
  marketingOptOutAt,
}: Pick<ContactState, 'marketingOptOutAt'>): boolean {
  return marketingOptOutAt !== undefined && marketingOptOutAt !== null;
}

type Consent = Pick<ContactState, 'optIn' | 'optOutAt' | 'marketingOptOutAt'>;

/** Whether no MARKETING template may go to the contact. */
export function refusesMarketing(state: Consent): boolean {
  return isOptedOut(state) || hasStoppedMarketing(state);
}

function marketingChange(
  { marketingOptOutAt, marketingResumedAt = Number.NEGATIVE_INFINITY }: ContactState,
  { marketing }: ContactChange,
): Partial<ContactState> {
  if (marketing === undefined) return {};
  const { wanted, at } = marketing;
  if (wanted) {
    const isLater = (marketingOptOutAt ?? at) <= at;
    return {
      ...(isLater && marketingOptOutAt !== undefined ? { marketingOptOutAt: null } : {}),
      marketingResumedAt: Math.max(at, marketingResumedAt),
    };
  }
  return at < marketingResumedAt ? {} : { marketingOptOutAt: marketingOptOutAt ?? at };
}

function optChange(state: ContactState, { optIn, runId, source }: ContactChange, now: number) {
  if (optIn === undefined) return {};
  const isRepeat = optIn ? state.optIn : isOptedOut(state);
  const history = isRepeat ? {} : historyOf(state.optInHistory, [{ at: now, optIn, source }]);
  const by = optOutRunOf(state, !optIn && !isRepeat ? runId : undefined);
  return optIn
    ? { optIn, optInAt: now, source, ...by, ...history }
    : { optIn, optOutAt: now, source, optInAt: state.optInAt, ...by, ...history };
}

/** No property where there never was a run: a document's property is replaced, never removed. */
export function optOutRunOf(
  state: Pick<ContactState, 'optOutRunId'>,
  runId: string | null = null,
): Pick<ContactState, 'optOutRunId'> {
  return runId === null && !('optOutRunId' in state) ? {} : { optOutRunId: runId };
}

/** The newest records of both, in their order; no property where there are none. */
export function historyOf(
  known: readonly OptRecord[] = [],
  more: readonly OptRecord[] = [],
): Pick<ContactState, 'optInHistory'> {
  const all = [...known, ...more].toSorted((a, b) => a.at - b.at);
  return all.length === 0 ? {} : { optInHistory: all.slice(-OPT_IN_HISTORY_MAX) };
}

function touches(change: ContactChange): boolean {
  const { profileName: _name, source: _source, firstAd: _ad, ...named } = change;
  return Object.values(named).some((value) => value !== undefined);
}

function without(known: readonly string[], unwanted: readonly string[]): readonly string[] {
  const removed = new Set(unwanted.map(foldTag));
  return known.filter((tag) => !removed.has(foldTag(tag)));
}
