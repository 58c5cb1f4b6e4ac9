/**
 * `recado export`: an organization as a provisioning file.
 *
 * 1. Applied to the organization that it was exported from, it changes nothing.
 * 2. It contains every property of the file's schema except secrets, tokens and the content of
 *    files: an `apply` without them keeps them. An address with a password is omitted whole.
 * 3. It contains the live keys of files. A key of `keys create` has no entry, and a revoked one
 *    would be live in another installation.
 */
import { formatDuration } from '../../../shared/provisioning/duration.ts';
import type {
  ProvisionedChannel,
  ProvisionedFile,
  ProvisionedFlow,
  ProvisionedHead,
  ProvisionedKey,
  ProvisionedMember,
  ProvisionedSubscription,
} from '../../../shared/provisioning/schema.ts';
import { isOfFile } from './keys.ts';
import { present, shownNetwork } from './rows.ts';
import type {
  ChannelEntry,
  FileEntry,
  FlowEntry,
  KeyEntry,
  MemberEntry,
  OrganizationState,
  SubscriptionEntry,
} from './state.ts';

/** Every property of an entry but `Left`: the compiler reports a new one of the schema. */
type Whole<Entry, Left extends keyof Entry = never> = Required<Omit<Entry, Left | 'remove'>>;

type RefOf = (id: string) => string | undefined;

function memberOf({ ref, name, email }: MemberEntry): Whole<ProvisionedMember> {
  return { ref, name, email };
}

function channelOf(channel: ChannelEntry): Whole<ProvisionedChannel> {
  const { ref, label, provider, phone, enabled, pace } = channel;
  return {
    ref,
    label,
    provider,
    phone: `+${phone}`,
    enabled,
    network: shownNetwork(channel),
    pace: {
      perSecond: pace.perSecond,
      pairBurst: pace.pairBurst,
      pairEvery: formatDuration(pace.pairEveryMs),
    },
  };
}

function keyOf(key: KeyEntry, refOf: RefOf): Whole<ProvisionedKey, 'token'> {
  const { ref, name, scope, channelId } = key;
  return { ref, name, scope, channel: channelId === null ? null : (refOf(channelId) ?? null) };
}

type ExportedFlow = Whole<ProvisionedFlow, 'channel' | 'triggers'> &
  Pick<FlowEntry, 'triggers'> &
  Pick<ProvisionedFlow, 'channel'>;

/** Without its channel where that was removed: an `apply` then keeps it. */
function flowOf(flow: FlowEntry, refOf: RefOf): ExportedFlow {
  const { ref, name, enabled, channelId, isMain, triggers, steps } = flow;
  const channel = channelId === null ? null : refOf(channelId);
  const served = channel === undefined ? {} : { channel };
  return { ref, name, enabled, ...served, isMain, triggers, steps: [...steps] };
}

function fileOf(file: FileEntry): Whole<ProvisionedFile, 'path' | 'contentDigest' | 'sizeBytes'> {
  const { ref, name, mimeType } = file;
  return { ref, name, mimeType };
}

function subscriptionOf(entry: SubscriptionEntry): Whole<ProvisionedSubscription, 'secret'> {
  const { ref, url, events, enabled } = entry;
  return { ref, url, events: [...events], enabled };
}

/** Tags are documents of their own: the caller adds them. */
export function exportOrganization(state: OrganizationState): Whole<ProvisionedHead, 'tags'> {
  const { ref, name, timeZone, country, limits } = state;
  const channels = present(state.channels);
  const refs = new Map(channels.map((channel) => [channel.id, channel.ref]));
  const refOf: RefOf = (id) => refs.get(id);
  const keys = state.keys.filter(isOfFile);
  return {
    ref,
    name,
    timeZone,
    country,
    limits: { perKey: limits.perKey, perOrg: limits.perOrg },
    members: present(state.members).map(memberOf),
    channels: channels.map(channelOf),
    keys: keys.map((key) => keyOf(key, refOf)),
    flows: present(state.flows).map((flow) => flowOf(flow, refOf)),
    files: present(state.files).map(fileOf),
    subscriptions: present(state.subscriptions).map(subscriptionOf),
  };
}
