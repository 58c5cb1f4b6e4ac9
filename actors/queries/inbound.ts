/** Queries of the inbound webhook: a flow, and a channel's own address. */

import { failure } from '../../shared/failures.ts';
import type { FindFlow, FindInboundWebhook, FoundFlow } from '../../shared/wire/commands.ts';
import { type OrganizationDocument, readOrganization } from '../organization/documents.ts';
import { found, type Query, refused } from './answer.ts';

export const findFlow: Query<FindFlow> = async ({ store }, { orgId, flowId }) => {
  const organization = await readOrganization(store, orgId, ['flows']);
  const flow = organization?.flows.find((each) => each.id === flowId && each.removed !== true);
  if (!flow) return refused(failure('flow_not_found'));
  const { enabled, channelId } = flow;
  const answer: FoundFlow = { enabled, channelId };
  return found(answer);
};

/** Needs no key: it shows whether the channel exists, and nothing else. */
export const findInboundWebhook: Query<FindInboundWebhook> = async (environment, { channelId }) => {
  const owner = await environment.store.findOne<OrganizationDocument>(
    'organizations',
    { 'channels.id': channelId },
    { project: { 'channels.id': 1, 'channels.removed': 1, removed: 1 } },
  );
  const channel = owner?.channels.find((each) => each.id === channelId);
  if (!owner || !channel || owner.removed === true || channel.removed === true) {
    return refused(failure('channel_not_found'));
  }
  return found({ url: `${environment.settings.publicUrl}/api/webhooks/channel/${channelId}` });
};
