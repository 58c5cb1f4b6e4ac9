/** The operator's view of an organization, without secrets (C12.7). */
import { signingSecret } from '../../../shared/entity-ids.ts';
import type {
  AppliedKey,
  AppliedOrganization,
  AppliedPipeline,
  AppliedSubscription,
  ChannelRow,
  FlowRow,
  KeyRow,
  ListEntriesCommand,
  MemberRow,
  StreamRow,
  SubscriptionRow,
} from '../../../shared/provisioning/commands.ts';
import { timestamp } from '../../../shared/wire/outbox.ts';
import { renderRestriction } from '../channel-restriction.ts';
import { readinessOf } from '../network-readiness.ts';
import {
  type ChannelEntry,
  type Entry,
  type FlowEntry,
  type KeyEntry,
  type OrganizationState,
  type PipelineEntry,
  present,
  type SubscriptionEntry,
  termsOf,
} from '../organization.ts';
import { refOf } from './apply-pipelines.ts';
import type { OrganizationContext } from './context.ts';
import { memberRow } from './members.ts';
import { liveStreams } from './streams.ts';

/** Entries by ref; a key of `keys create` is in no file and is omitted. */
function byRef<E extends Entry, T>(entries: readonly E[], show: (entry: E) => T) {
  const shown = present(entries).filter(({ ref, id }) => ref !== id);
  return Object.fromEntries(shown.map((entry) => [entry.ref, show(entry)]));
}

/** The id alone: for an organization that does not exist or was removed. */
export function emptyOutput(id: string): AppliedOrganization {
  const lists = { members: {}, channels: {}, keys: {}, pipelines: {} };
  return { id, ...lists, flows: {}, files: {}, subscriptions: {} };
}

/** The webhook addresses of a channel. */
function webhooksOf({ publicUrl }: Pick<ListContext, 'publicUrl'>, { id, provider }: ChannelEntry) {
  return {
    inboundWebhookUrl: `${publicUrl}/api/webhooks/channel/${id}`,
    networkWebhookUrl: `${publicUrl}/networks/${provider}/${id}`,
  };
}

/** @param created entries that the command created: the output shows secrets of these only */
export function applyOutput(
  state: OrganizationState,
  created: { readonly ids: readonly string[]; readonly tokenOf: (key: KeyEntry) => string },
  context: Pick<OrganizationContext, 'publicUrl' | 'open' | 'ids'>,
): AppliedOrganization {
  const key = (entry: KeyEntry): AppliedKey => {
    const { id } = entry;
    if (!created.ids.includes(id)) return { id };
    const token = created.tokenOf(entry);
    return context.ids.digest(token) === entry.digest ? { id, token } : { id };
  };
  const channel = (entry: ChannelEntry) => ({ id: entry.id, ...webhooksOf(context, entry) });
  const subscription = ({ id, secrets: [newest] }: SubscriptionEntry): AppliedSubscription => {
    if (!newest || !created.ids.includes(id)) return { id };
    const secret = context.open(newest.sealed, signingSecret(state.id, id));
    return secret === null ? { id } : { id, secret };
  };
  return {
    id: state.id,
    members: byRef(state.members, ({ id }) => id),
    channels: byRef(state.channels, channel),
    keys: byRef(state.keys, key),
    pipelines: Object.fromEntries((state.pipelines ?? []).flatMap(appliedPipeline)),
    flows: byRef(state.flows, ({ id }) => id),
    files: byRef(state.files, ({ id }) => id),
    subscriptions: byRef(state.subscriptions, subscription),
  };
}

/** Those of a file. */
function appliedPipeline({ id, ref, stages }: PipelineEntry): [string, AppliedPipeline][] {
  if (ref === undefined) return [];
  return [[ref, { id, stages: Object.fromEntries(stages.map((each) => [refOf(each), each.id])) }]];
}

/** All keys ever created, revoked ones too, in the order of their creation. */
export function listKeys(
  { keys }: OrganizationState,
  { lastUsedAt }: Pick<OrganizationContext, 'lastUsedAt'>,
): readonly KeyRow[] {
  return keys.map((key) => {
    const { id, name, scope, channelId, prefix } = key;
    const { access, assistant, expiresAt } = termsOf(key);
    const ref = key.ref === id ? null : key.ref;
    const createdAt = timestamp(key.createdAt);
    const revokedAt = key.revokedAt === null ? null : timestamp(key.revokedAt);
    const used = lastUsedAt(id);
    const times = {
      createdAt,
      expiresAt: expiresAt === null ? null : timestamp(expiresAt),
      lastUsedAt: used === null ? null : timestamp(used),
      revokedAt,
    };
    return { id, ref, name, scope, channelId, access, assistant, prefix, ...times };
  });
}

/** Subscriptions that were not removed. */
export function listSubscriptions({ subscriptions }: OrganizationState): SubscriptionRow[] {
  return present(subscriptions).map((entry) => {
    const { id, ref, url, events, enabled, disabledReason } = entry;
    const createdAt = timestamp(entry.createdAt);
    return { id, ref, url, events, enabled, disabledReason, createdAt };
  });
}

/** Event streams that are kept, by the names of their keys. */
export function listStreams(state: OrganizationState, now: number): StreamRow[] {
  return liveStreams(state, now).map(({ id, name, keyId, events, createdAt, seenAt }) => ({
    ...{ id, name, keyId, keyName: state.keys.find((key) => key.id === keyId)?.name ?? '' },
    ...{ events, createdAt: timestamp(createdAt), seenAt: timestamp(seenAt) },
  }));
}

/** Plain settings; an address with a user or a password is omitted as a secret. */
export function shownNetwork({ network }: ChannelEntry): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(network).filter(([, value]) => !hasUser(value)));
}

function hasUser(value: string): boolean {
  if (!value.includes('@') || !URL.canParse(value)) return false;
  const { username, password } = new URL(value);
  return username !== '' || password !== '';
}

type ListContext = Pick<OrganizationContext, 'now' | 'publicUrl'>;

function channelRow(channel: ChannelEntry, context: ListContext): ChannelRow {
  const { id, ref, label, provider, phone, enabled, pace, createdAt } = channel;
  return {
    ...{ id, ref, label, provider, phone, enabled },
    ...readinessOf(channel),
    ...renderRestriction(channel, context.now),
    network: shownNetwork(channel),
    ...webhooksOf(context, channel),
    pace,
    createdAt: timestamp(createdAt),
  };
}

function flowRow(flow: FlowEntry): FlowRow {
  const { id, ref, name, enabled, channelId, isMain, triggers, steps } = flow;
  const shown = { id, ref, name, enabled, channelId, isMain, triggers };
  return { ...shown, stepCount: steps.length, updatedAt: timestamp(flow.updatedAt) };
}

/** Rows of `recado members|channels|flows list`. */
export function listEntries(
  state: OrganizationState,
  list: ListEntriesCommand['list'],
  context: ListContext,
): readonly (MemberRow | ChannelRow | FlowRow)[] {
  switch (list) {
    case 'members':
      return present(state.members).map(memberRow);
    case 'channels':
      return present(state.channels).map((channel) => channelRow(channel, context));
    case 'flows':
      return present(state.flows).map(flowRow);
    default:
      return list satisfies never;
  }
}
