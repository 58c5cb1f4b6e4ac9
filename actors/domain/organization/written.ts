/**
 * An organization in the terms of its provisioning file: entries by `ref`, references by ref,
 * formatted durations. The export shows it, and `recado apply --diff` compares two. One row stands
 * for each entry that is added or removed, and for each changed property of an entry that stays.
 *
 * 1. The export, applied to the organization that it was exported from, changes nothing.
 * 2. It contains every property of the file's schema except secrets, tokens and the content of
 *    files: an `apply` without them keeps them. An address with a password is omitted whole.
 * 3. It contains the live keys of files. A key of `keys create` has no entry, and a revoked one
 *    would be live in another installation.
 * 4. The comparison represents a secret by its sealed form, which can be compared but not read. A
 *    changed secret is reported as changed, never with its value.
 * 5. Values are cut at `APPLY_CHANGE_VALUE_MAX_CHARS`, rows at `APPLY_CHANGES_MAX`: the answer must
 *    fit one envelope.
 */
import { APPLY_CHANGE_VALUE_MAX_CHARS, APPLY_CHANGES_MAX } from '../../../shared/limits.ts';
import type { AppliedChange, AppliedChanges } from '../../../shared/provisioning/commands.ts';
import { formatDuration } from '../../../shared/provisioning/duration.ts';
import type {
  ProvisionedChannel,
  ProvisionedFile,
  ProvisionedFlow,
  ProvisionedHead,
  ProvisionedKey,
  ProvisionedMember,
  ProvisionedPipeline,
  ProvisionedSubscription,
} from '../../../shared/provisioning/schema.ts';
import { MEMBER_ROLE_DEFAULT } from '../../../shared/vocabulary.ts';
import { timestamp } from '../../../shared/wire/outbox.ts';
import { isWritten, type Written } from '../flow/references.ts';
import { isSame } from '../is-same.ts';
import {
  type ChannelEntry,
  type Entry,
  type FileEntry,
  type FlowEntry,
  type KeyEntry,
  type OrganizationState,
  type Pace,
  type PipelineEntry,
  present,
  type SubscriptionEntry,
  termsOf,
} from '../organization.ts';
import type { TagChanges } from '../tags.ts';
import { refOf } from './apply-pipelines.ts';
import { isLive, isOfFile } from './keys.ts';
import { shownNetwork } from './output.ts';

/** Placeholder of a secret; equal where the sealed form is equal. */
class RedactedSecret {
  readonly sealed: string;

  constructor(sealed: string) {
    this.sealed = sealed;
  }
}

interface WrittenOrganization {
  readonly own: Written;
  readonly lists: Readonly<Record<string, ReadonlyMap<string, Written>>>;
}

function byRef<E extends Entry>(entries: readonly E[], write: (entry: E) => Written) {
  return new Map(present(entries).map((entry) => [entry.ref, write(entry)]));
}

function paceOf({ perSecond, pairBurst, pairEveryMs }: Pace) {
  return { perSecond, pairBurst, pairEvery: formatDuration(pairEveryMs) };
}

function channel({ label, provider, phone, enabled, network, secrets, pace }: ChannelEntry) {
  const settings: Record<string, unknown> = { ...network };
  for (const [name, sealed] of Object.entries(secrets)) settings[name] = new RedactedSecret(sealed);
  return { label, provider, phone, enabled, network: settings, pace: paceOf(pace) };
}

function file({ name, mimeType, sizeBytes, contentDigest: content }: FileEntry): Written {
  return { name, mimeType, sizeBytes, content };
}

/** Its stages are told apart by their refs. */
function pipeline({ name, isDefault, stages }: PipelineEntry): Written {
  const written = stages.map((stage) => ({ id: refOf(stage), name: stage.name }));
  return { name, default: isDefault, stages: written };
}

function subscription({ url, events, secrets, enabled }: SubscriptionEntry): Written {
  return { url, events, secret: new RedactedSecret(secrets[0]?.sealed ?? ''), enabled };
}

function writtenTerms(key: KeyEntry) {
  const { access, expiresAt, assistant } = termsOf(key);
  return { access, expiresAt: expiresAt === null ? null : timestamp(expiresAt), assistant };
}

/** Empty for an organization that does not exist or was removed. */
function writtenForm(state: OrganizationState | null): WrittenOrganization {
  if (state === null || state.removed === true) return { own: {}, lists: {} };
  const { name, timeZone, country, limits } = state;
  const refs = new Map(state.channels.map(({ id, ref }) => [id, ref]));
  const channelRef = (id: string | null) => (id === null ? null : (refs.get(id) ?? id));
  const key = (entry: KeyEntry): Written => {
    const { name, scope, channelId, digest } = entry;
    const terms = writtenTerms(entry);
    const token = new RedactedSecret(digest);
    return { name, scope, channel: channelRef(channelId), ...terms, token };
  };
  const flow = ({ name, enabled, channelId, isMain, triggers, steps }: FlowEntry): Written => {
    return { name, enabled, channel: channelRef(channelId), isMain, triggers, steps };
  };
  return {
    own: { name, timeZone, country, limits },
    lists: {
      members: byRef(state.members, ({ name, email, role = MEMBER_ROLE_DEFAULT }) => ({
        name,
        email,
        role,
      })),
      channels: byRef(state.channels, channel),
      keys: byRef(state.keys.filter(isLive), key),
      pipelines: new Map((state.pipelines ?? []).map((each) => [refOf(each), pipeline(each)])),
      flows: byRef(state.flows, flow),
      files: byRef(state.files, file),
      subscriptions: byRef(state.subscriptions, subscription),
    },
  };
}

/** Characters shown of the common beginning of two long texts. */
const CONTEXT_CHARS = 20;

type ChangeLocation = Pick<AppliedChange, 'path' | 'list' | 'ref'>;

/** Items by their `id`, or null where some lack an id of their own. */
function byId(value: unknown): ReadonlyMap<string, unknown> | null {
  if (!Array.isArray(value)) return null;
  const ids = value.map((item) => (isWritten(item) ? item.id : undefined));
  if (ids.some((id) => typeof id !== 'string') || new Set(ids).size < ids.length) return null;
  return new Map(value.map((item, index) => [String(ids[index]), item]));
}

function clipped(value: unknown, from: number): unknown {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const chars = [...text];
  if (chars.length <= APPLY_CHANGE_VALUE_MAX_CHARS) return value;
  const shown = chars.slice(from, from + APPLY_CHANGE_VALUE_MAX_CHARS);
  const more = from + shown.length < chars.length;
  return `${from > 0 ? '…' : ''}${shown.join('')}${more ? '…' : ''}`;
}

/** First character shown: two long texts are shown from shortly before their first difference. */
function firstShown(before: unknown, after: unknown): number {
  if (typeof before !== 'string' || typeof after !== 'string') return 0;
  const others = [...after];
  const same = [...before].findIndex((char, index) => char !== others[index]);
  return Math.max(0, (same < 0 ? [...before].length : same) - CONTEXT_CHARS);
}

function changed(location: ChangeLocation, before: unknown, after: unknown): AppliedChange {
  if (before instanceof RedactedSecret || after instanceof RedactedSecret) {
    return { ...location, change: 'change', secret: true };
  }
  const from = firstShown(before, after);
  const shown = (value: unknown) => clipped(value ?? null, from);
  return { ...location, change: 'change', before: shown(before), after: shown(after) };
}

type Items = ReadonlyMap<string, unknown>;

/** Added, removed and changed ones of named items. */
function itemChanges(locationOf: (name: string) => ChangeLocation, before: Items, after: Items) {
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((name) => {
    const location = locationOf(name);
    if (!before.has(name)) return [{ ...location, change: 'add' as const }];
    if (!after.has(name)) return [{ ...location, change: 'remove' as const }];
    return valueChanges(location, before.get(name), after.get(name));
  });
}

/** The same for a list, and a row for a new order of the items that stay. */
function listChanges(
  location: ChangeLocation,
  before: Items,
  after: Items,
): readonly AppliedChange[] {
  const locationOf = (id: string): ChangeLocation => ({
    ...location,
    path: `${location.path}.${id}`,
  });
  const rows = itemChanges(locationOf, before, after);
  const order = [...after.keys()].filter((id) => before.has(id));
  const former = [...before.keys()].filter((id) => after.has(id));
  return isSame(order, former) ? rows : [...rows, changed(location, former, order)];
}

function valueChanges(
  location: ChangeLocation,
  before: unknown,
  after: unknown,
): readonly AppliedChange[] {
  if (isSame(before, after)) return [];
  const [left, right] = [byId(before), byId(after)];
  if (left !== null && right !== null) return listChanges(location, left, right);
  const areObjects = isWritten(before) && isWritten(after);
  if (!areObjects || before instanceof RedactedSecret || after instanceof RedactedSecret) {
    return [changed(location, before, after)];
  }
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((name) => {
    const path = location.path === '' ? name : `${location.path}.${name}`;
    return valueChanges({ ...location, path }, before[name], after[name]);
  });
}

function tagRows({ add, remove }: TagChanges): readonly AppliedChange[] {
  const row = (change: 'add' | 'remove') => (ref: string) =>
    ({ path: `tags.${ref}`, list: 'tags', ref, change }) as const;
  return [...add.map(row('add')), ...remove.map(row('remove'))];
}

/** Changes between two states of an organization, and to its tags, as far as one answer holds. */
export function organizationChanges(
  before: OrganizationState | null,
  after: OrganizationState | null,
  tags: TagChanges,
): AppliedChanges {
  const rows = allChanges(before, after, tags);
  const changes = rows.slice(0, APPLY_CHANGES_MAX);
  return { changes, more: rows.length - changes.length };
}

/** Every change between two states of an organization, and to its tags. */
export function allChanges(
  before: OrganizationState | null,
  after: OrganizationState | null,
  tags: TagChanges,
): readonly AppliedChange[] {
  const own: ChangeLocation = { path: '', list: null, ref: null };
  const [was, will] = [writtenForm(before), writtenForm(after)];
  const [isThere, remains] = [was.own.name !== undefined, will.own.name !== undefined];
  if (isThere && !remains) return [{ ...own, change: 'remove' }];
  const head: readonly AppliedChange[] = isThere
    ? valueChanges(own, was.own, will.own)
    : [{ ...own, change: 'add' }];
  const lists = Object.entries(will.lists).flatMap(([list, entries]) => {
    const locationOf = (ref: string): ChangeLocation => ({ path: `${list}.${ref}`, list, ref });
    return itemChanges(locationOf, was.lists[list] ?? new Map(), entries);
  });
  return remains ? [...head, ...lists, ...tagRows(tags)] : [];
}

/** Every property of an entry but `Left`: the compiler reports a new one of the schema. */
type Whole<Entry, Left extends keyof Entry = never> = Required<Omit<Entry, Left | 'remove'>>;

type ExportedFlow = Whole<ProvisionedFlow, 'channel' | 'triggers'> &
  Pick<FlowEntry, 'triggers'> &
  Pick<ProvisionedFlow, 'channel'>;

type ExportedFile = Whole<ProvisionedFile, 'path' | 'contentDigest' | 'sizeBytes'>;

function exportedChannel(channel: ChannelEntry): Whole<ProvisionedChannel> {
  const { ref, label, provider, phone, enabled, pace } = channel;
  const network = shownNetwork(channel);
  return { ref, label, provider, phone: `+${phone}`, enabled, network, pace: paceOf(pace) };
}

function exportedPipeline(entry: PipelineEntry): Whole<ProvisionedPipeline, 'moveTo'> {
  const { name, isDefault } = entry;
  const stages = entry.stages.map((stage) => ({ ref: refOf(stage), name: stage.name }));
  return { ref: refOf(entry), name, default: isDefault, stages };
}

function exportedSubscription(entry: SubscriptionEntry): Whole<ProvisionedSubscription, 'secret'> {
  const { ref, url, events, enabled } = entry;
  return { ref, url, events: [...events], enabled };
}

/**
 * Without its channel where that was removed: an `apply` then keeps it.
 * @param refs of the channels that are there, by id
 */
export function exportedFlow(
  { channelId, ...entry }: FlowEntry,
  refs: ReadonlyMap<string, string>,
): ExportedFlow {
  const { ref, name, enabled, isMain, triggers, steps } = entry;
  const channel = channelId === null ? null : refs.get(channelId);
  const served = channel === undefined ? {} : { channel };
  return { ref, name, enabled, ...served, isMain, triggers, steps: [...steps] };
}

/** Tags are documents of their own: the caller adds them. */
export function exportOrganization(state: OrganizationState): Whole<ProvisionedHead, 'tags'> {
  const { ref, name, timeZone, country, limits } = state;
  const channels = present(state.channels);
  const refs = new Map(channels.map((channel) => [channel.id, channel.ref]));
  const key = (entry: KeyEntry): Whole<ProvisionedKey, 'token'> => {
    const { ref, name, scope, channelId } = entry;
    const channel = channelId === null ? null : (refs.get(channelId) ?? null);
    return { ref, name, scope, channel, ...writtenTerms(entry) };
  };
  return {
    ref,
    name,
    timeZone,
    country,
    limits: { perKey: limits.perKey, perOrg: limits.perOrg },
    members: present(state.members).map(
      ({ ref, name, email, role = MEMBER_ROLE_DEFAULT }): Whole<ProvisionedMember> => ({
        ...{ ref, name, email, role },
      }),
    ),
    channels: channels.map(exportedChannel),
    keys: state.keys.filter(isOfFile).map(key),
    pipelines: (state.pipelines ?? []).map(exportedPipeline),
    flows: present(state.flows).map((flow) => exportedFlow(flow, refs)),
    files: present(state.files).map(
      ({ ref, name, mimeType }): ExportedFile => ({ ref, name, mimeType }),
    ),
    subscriptions: present(state.subscriptions).map(exportedSubscription),
  };
}
