/** GET /api/v1/channels: alphabetical by label, not paginated (C4.4). */
import type { ListChannels } from '../../shared/wire/commands.ts';
import { timestamp } from '../../shared/wire/outbox.ts';
import { readinessOf } from '../domain/channel-readiness.ts';
import { renderRestriction } from '../domain/channel-restriction.ts';
import type { ChannelEntry } from '../domain/organization/state.ts';
import { readOrganization } from '../organization/documents.ts';
import { found, type Query } from './answer.ts';

export const listChannels: Query<ListChannels> = async ({ store, clock }, { orgId, channelId }) => {
  const organization = await readOrganization(store, orgId, ['channels']);
  const channels = (organization?.channels ?? [])
    .filter((channel) => channel.removed !== true)
    .filter((channel) => channelId === null || channel.id === channelId)
    .toSorted(byLabel);
  const now = clock.now();
  return found({ data: channels.map((channel) => renderChannel(channel, now)) });
};

const collator = new Intl.Collator('pt-BR');

function byLabel(a: ChannelEntry, b: ChannelEntry): number {
  return collator.compare(a.label, b.label) || (a.id < b.id ? -1 : 1);
}

function renderChannel(channel: ChannelEntry, now: number): Record<string, unknown> {
  const { ready, reason } = readinessOf(channel);
  return {
    id: channel.id,
    label: channel.label,
    provider: channel.provider,
    phone: channel.phone,
    enabled: channel.enabled,
    ready,
    reason,
    ...renderRestriction(channel.restriction, now),
    createdAt: timestamp(channel.createdAt),
  };
}
