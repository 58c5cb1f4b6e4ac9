/** The key as the gateway and the API's `me` show it (C2.2, C5). */
import type { Caller } from '../../shared/wire/caller.ts';
import { timestamp } from '../../shared/wire/outbox.ts';
import { readinessOf } from '../domain/channel-readiness.ts';
import type { KeyEntry, OrganizationState } from '../domain/organization/state.ts';

export function callerOf(state: OrganizationState, key: KeyEntry): Caller {
  return {
    orgId: state.id,
    country: state.country,
    timeZone: state.timeZone,
    keyId: key.id,
    keyName: key.name,
    keyPrefix: key.prefix,
    scope: key.scope,
    channelId: key.channelId,
    channels: state.channels
      .filter((channel) => channel.removed !== true)
      .map((channel) => ({
        id: channel.id,
        provider: channel.provider,
        ...readinessOf(channel),
      })),
    version: state.version,
  };
}

/** Identity; for a channel key `channel` is `{id, label, provider, phone}` (D3). */
export function renderIdentity(
  state: OrganizationState,
  key: KeyEntry,
  lastUsedAt: number,
): Record<string, unknown> {
  const channel = state.channels.find((each) => each.id === key.channelId);
  return {
    org: { id: state.id, name: state.name },
    scope: key.scope,
    channel: channel
      ? {
          id: channel.id,
          label: channel.label,
          provider: channel.provider,
          phone: channel.phone,
        }
      : null,
    token: {
      id: key.id,
      name: key.name,
      prefix: key.prefix,
      createdAt: timestamp(key.createdAt),
      lastUsedAt: timestamp(lastUsedAt),
    },
  };
}
