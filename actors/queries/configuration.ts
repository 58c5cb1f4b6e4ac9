/** Queries of what an organization's file configures: team, channels, flows, pipelines. No pages. */

import type { Member } from '../../shared/api/member.ts';
import { failure, renderFailure } from '../../shared/failures.ts';
import { compareNames } from '../../shared/text/name-order.ts';
import { answerOf } from '../../shared/wire/answer.ts';
import { timestamp } from '../../shared/wire/outbox.ts';
import { renderRestriction } from '../domain/channel-restriction.ts';
import { readinessOf } from '../domain/network-readiness.ts';
import { renderPipeline } from '../domain/organization/pipelines.ts';
import {
  type ChannelEntry,
  type FlowEntry,
  isActive,
  type MemberEntry,
  roleOf,
} from '../domain/organization.ts';
import { readOrganization } from '../organization/read-organization.ts';
import { pipelinesOf, readTeam } from '../organization/team.ts';
import { readBacklogs } from './backlogs.ts';
import type { Query } from './lists/answer.ts';

/** GET /api/v1/channels: alphabetical by label (C4.4). */
export const listChannels: Query<'channels'> = async ({ store, clock }, { orgId, channelId }) => {
  const organization = await readOrganization(store, orgId, ['channels']);
  const channels = (organization?.channels ?? [])
    .filter((channel) => channel.removed !== true)
    .filter((channel) => channelId === null || channel.id === channelId)
    .toSorted((a, b) => compareNames(a.label, b.label) || (a.id < b.id ? -1 : 1));
  const now = clock.now();
  const backlogs = await readBacklogs(
    store,
    channels.map(({ id }) => id),
  );
  const data = channels.map((channel) => {
    return { ...renderChannel(channel, now), backlog: backlogs.get(channel.id) };
  });
  return answerOf({ data });
};

function renderChannel(channel: ChannelEntry, now: number): Record<string, unknown> {
  const { id, label, provider, phone, enabled } = channel;
  const { ready, reason } = readinessOf(channel);
  const restriction = renderRestriction(channel, now);
  const createdAt = timestamp(channel.createdAt);
  return { id, label, provider, phone, enabled, ready, reason, ...restriction, createdAt };
}

/** GET /api/v1/members: alphabetical by name. */
export const listMembers: Query<'team'> = async ({ store }, { orgId }) => {
  const organization = await readOrganization(store, orgId, ['members']);
  const members = (organization?.members ?? [])
    .filter((member) => member.removed !== true)
    .toSorted((a, b) => compareNames(a.name, b.name) || (a.id < b.id ? -1 : 1));
  return answerOf({ data: members.map(renderMember) });
};

/** Every key may know it: no e-mail. */
function renderMember(member: MemberEntry): Member {
  const { id, name } = member;
  return { id, name, role: roleOf(member), enabled: isActive(member) };
}

/** GET /api/v1/flows: alphabetical by name (C4.10). */
export const listFlows: Query<'flows'> = async ({ store }, { orgId, channelId, enabled }) => {
  const organization = await readOrganization(store, orgId, ['flows']);
  const flows = (organization?.flows ?? [])
    .filter((flow) => flow.removed !== true)
    .filter((flow) => channelId === null || (flow.channelId ?? channelId) === channelId)
    .filter((flow) => enabled === undefined || flow.enabled === enabled)
    .toSorted((a, b) => compareNames(a.name, b.name) || (a.id < b.id ? -1 : 1));
  return answerOf({ data: flows.map(renderFlow) });
};

function renderFlow({ id, name, enabled, channelId, isMain, updatedAt }: FlowEntry) {
  return { id, name, enabled, channelId, isMain, updatedAt: timestamp(updatedAt) };
}

/** GET /api/v1/pipelines: the default one is created on the first read (C4.12). */
export const listPipelines: Query<'pipelines'> = async (environment, { orgId }) => {
  const { pipelines } = await readTeam(environment, orgId);
  const known = await pipelinesOf(environment, orgId, pipelines);
  return answerOf({ data: known.map(renderPipeline) });
};

/** The flow of an inbound webhook. */
export const findFlow: Query<'flow'> = async ({ store }, { orgId, flowId }) => {
  const organization = await readOrganization(store, orgId, ['flows']);
  const flow = organization?.flows.find((each) => each.id === flowId && each.removed !== true);
  if (!flow) return renderFailure(failure('flow_not_found'));
  const { enabled, channelId } = flow;
  return answerOf({ enabled, channelId });
};

/**
 * A channel's own address, its organization and its network. Needs no key: whoever asks a gateway
 * learns whether the channel exists, and nothing else.
 */
export const findInboundWebhook: Query<'inbound-webhook'> = async (environment, { channelId }) => {
  const owner = await environment.store.findOne(
    'organizations',
    { 'channels.id': channelId },
    {
      project: { 'channels.id': 1, 'channels.provider': 1, 'channels.removed': 1, removed: 1 },
    },
  );
  const channel = owner?.channels.find((each) => each.id === channelId);
  if (!owner || !channel || owner.removed === true || channel.removed === true) {
    return renderFailure(failure('channel_not_found'));
  }
  const url = `${environment.settings.publicUrl}/api/webhooks/channel/${channelId}`;
  return answerOf({ url, orgId: owner._id, provider: channel.provider });
};
