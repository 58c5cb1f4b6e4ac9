/** GET /api/v1/conversations: by latest message, newest first (contract section 4). */
import type { ListConversations } from '../../shared/commands.ts';
import { timestamp } from '../../shared/outbox.ts';
import type { Filter } from '../../shared/ports.ts';
import type { ContactDocument } from '../contact/actor.ts';
import type { ConversationDocument } from '../conversation/documents.ts';
import type { ConversationState } from '../domain/conversation.ts';
import type { ChannelEntry } from '../domain/organization-state.ts';
import { loadOrganization } from '../organization/documents.ts';
import type { World } from '../world.ts';
import { found, type Query, skipOf } from './answer.ts';

export const listConversations: Query<ListConversations> = async (world, query) => {
  await world.snapshotBarrier.pass();
  const filter = filterOf(query);
  const { store } = world;
  const [documents, total, organization] = await Promise.all([
    store.find<ConversationDocument>('conversations', filter, {
      sort: { 'snapshot.lastMessageAt': -1, _id: -1 },
      skip: skipOf(query),
      limit: query.limit,
    }),
    store.count('conversations', filter),
    loadOrganization(store, query.orgId),
  ]);
  const names = await contactNames(world, documents);
  const channels = new Map(organization?.channels.map((channel) => [channel.id, channel]));
  const data = documents.map(({ snapshot: { state } }) =>
    renderConversation(state, {
      channel: channels.get(state.channelId),
      name: names.get(state.contact.id) ?? state.contact.name,
    }),
  );
  return found({ data, page: query.page, limit: query.limit, total });
};

function filterOf({ orgId, status, channelId, contactId }: ListConversations): Filter {
  return {
    'snapshot.orgId': orgId,
    ...(status === undefined ? {} : { 'snapshot.status': status }),
    ...(channelId === undefined ? {} : { 'snapshot.channelId': channelId }),
    ...(contactId === undefined ? {} : { 'snapshot.contactId': contactId }),
  };
}

/** Names change in the contact alone: a page reads them as they are now. */
async function contactNames(
  { store }: World,
  documents: readonly ConversationDocument[],
): Promise<ReadonlyMap<string, string | null>> {
  const ids = documents.map((document) => document.snapshot.contactId);
  const contacts = await store.find<ContactDocument>(
    'contacts',
    { _id: { $in: ids } },
    { project: { name: 1 } },
  );
  return new Map(contacts.map((contact) => [contact._id, contact.name]));
}

function renderConversation(
  state: ConversationState,
  now: { readonly channel: ChannelEntry | undefined; readonly name: string | null },
): Record<string, unknown> {
  const { channel, name } = now;
  const { contact, automationPausedUntil: paused } = state;
  return {
    id: state.id,
    status: state.status,
    channel: {
      id: state.channelId,
      label: channel?.label ?? '',
      provider: channel?.provider ?? 'cloud',
    },
    contact: { id: contact.id, phone: contact.phone, name },
    assignedTo: state.assignedTo,
    participants: state.participants,
    unread: state.unread,
    lastMessageAt: timestamp(state.lastMessageAt),
    lastMessagePreview: state.lastMessagePreview,
    automationPausedUntil: paused === null ? null : timestamp(paused),
    createdAt: timestamp(state.createdAt),
  };
}
