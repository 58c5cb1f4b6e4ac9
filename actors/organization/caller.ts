/** The key as the gateway and the API's `me` show it (C2.2, C5). */
import type { Identity } from '../../shared/api/identity.ts';
import type { Caller } from '../../shared/wire/caller.ts';
import { timestamp } from '../../shared/wire/outbox.ts';
import { readinessOf } from '../domain/network-readiness.ts';
import {
  type ChannelEntry,
  type KeyEntry,
  type OrganizationState,
  termsOf,
} from '../domain/organization.ts';

/** The part of a key that its caller shows. */
type ShownKey = Pick<KeyEntry, 'id' | 'name' | 'prefix' | 'scope' | 'channelId'> &
  Pick<KeyEntry, 'access' | 'assistant'>;

export function callerOf(state: OrganizationState, key: ShownKey): Caller {
  const { id: orgId, country, timeZone, version } = state;
  const { id: keyId, name: keyName, prefix: keyPrefix, scope, channelId, access, assistant } = key;
  const channels = state.channels
    .filter((channel) => channel.removed !== true)
    .map((channel) => ({ id: channel.id, provider: channel.provider, ...readinessOf(channel) }));
  const ofKey = {
    ...{ keyId, keyName, keyPrefix, scope, channelId },
    ...(access === undefined ? {} : { access }),
    ...(assistant === undefined ? {} : { assistant }),
  };
  return { orgId, country, timeZone, ...ofKey, channels, version };
}

/** Identity; for a channel key `channel` is `{id, label, provider, phone}` (D3). */
export function renderIdentity(
  state: OrganizationState,
  key: KeyEntry,
  lastUsedAt: number,
): Identity {
  const channel = state.channels.find((each) => each.id === key.channelId);
  const { id, name, prefix } = key;
  const { access, expiresAt, assistant } = termsOf(key);
  const times = { createdAt: timestamp(key.createdAt), lastUsedAt: timestamp(lastUsedAt) };
  const terms = {
    access,
    expiresAt: expiresAt === null ? null : timestamp(expiresAt),
    ...(assistant ? { assistant } : {}),
  };
  return {
    org: { id: state.id, name: state.name },
    scope: key.scope,
    channel: channel ? renderChannel(channel) : null,
    token: { id, name, prefix, ...times, ...terms },
  };
}

function renderChannel({ id, label, provider, phone }: ChannelEntry): Identity['channel'] {
  return { id, label, provider, phone };
}
