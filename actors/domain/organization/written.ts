/**
 * An organization in the terms of its provisioning file: entries by `ref`, references by ref,
 * formatted durations. A secret is represented by its sealed form, which can be compared but not
 * read.
 */
import { formatDuration } from '../../../shared/provisioning/duration.ts';
import { isLive } from './keys.ts';
import { present } from './rows.ts';
import type {
  ChannelEntry,
  FileEntry,
  FlowEntry,
  KeyEntry,
  MemberEntry,
  OrganizationState,
  SubscriptionEntry,
} from './state.ts';

/** Placeholder of a secret; equal where the sealed form is equal. */
export class RedactedSecret {
  readonly sealed: string;

  constructor(sealed: string) {
    this.sealed = sealed;
  }
}

export type Written = Readonly<Record<string, unknown>>;

export interface WrittenOrganization {
  readonly own: Written;
  readonly lists: Readonly<Record<string, ReadonlyMap<string, Written>>>;
}

const EMPTY: WrittenOrganization = { own: {}, lists: {} };

interface Entry {
  readonly ref: string;
  readonly removed?: boolean;
}

function byRef<E extends Entry>(
  entries: readonly E[],
  write: (entry: E) => Written,
): ReadonlyMap<string, Written> {
  return new Map(present(entries).map((entry) => [entry.ref, write(entry)]));
}

function channel({ label, provider, phone, enabled, network, secrets, pace }: ChannelEntry) {
  const redacted = Object.entries(secrets).map(([name, sealed]) => [
    name,
    new RedactedSecret(sealed),
  ]);
  const { perSecond, pairBurst, pairEveryMs } = pace;
  return {
    label,
    provider,
    phone,
    enabled,
    network: { ...network, ...Object.fromEntries(redacted) },
    pace: { perSecond, pairBurst, pairEvery: formatDuration(pairEveryMs) },
  };
}

function member({ name, email }: MemberEntry): Written {
  return { name, email };
}

function file({ name, mimeType, sizeBytes, contentDigest }: FileEntry): Written {
  return { name, mimeType, sizeBytes, content: contentDigest };
}

function subscription({ url, events, secrets, enabled }: SubscriptionEntry): Written {
  return { url, events, secret: new RedactedSecret(secrets[0]?.sealed ?? ''), enabled };
}

/** Empty for an organization that does not exist or was removed. */
export function writtenForm(state: OrganizationState | null): WrittenOrganization {
  if (state === null || state.removed === true) return EMPTY;
  const { name, timeZone, country, limits } = state;
  const refs = new Map(state.channels.map(({ id, ref }) => [id, ref]));
  const channelRef = (id: string | null) => (id === null ? null : (refs.get(id) ?? id));
  const key = (entry: KeyEntry): Written => ({
    name: entry.name,
    scope: entry.scope,
    channel: channelRef(entry.channelId),
    token: new RedactedSecret(entry.digest),
  });
  const flow = ({ channelId, enabled, isMain, triggers, steps, ...rest }: FlowEntry): Written => ({
    name: rest.name,
    enabled,
    channel: channelRef(channelId),
    isMain,
    triggers,
    steps,
  });
  return {
    own: { name, timeZone, country, limits },
    lists: {
      members: byRef(state.members, member),
      channels: byRef(state.channels, channel),
      keys: byRef(state.keys.filter(isLive), key),
      flows: byRef(state.flows, flow),
      files: byRef(state.files, file),
      subscriptions: byRef(state.subscriptions, subscription),
    },
  };
}
