/** Conversations as the API shows them, in answers and events. */
import type { Conversation } from '../../shared/api/conversation.ts';
import { timestamp } from '../../shared/wire/outbox.ts';
import type { ConversationState } from '../domain/conversation/conversation.ts';
import { windowExpiresAt } from '../domain/conversation/window.ts';
import type { ChannelEntry } from '../domain/organization.ts';
import type { Environment } from '../environment.ts';
import type { StoredContact } from '../model/contact.ts';
import { readOrganization } from '../organization/read-organization.ts';

/** The schema's type has lists that may be changed. */
type ShownConversation = Omit<Conversation, 'participants'> &
  Pick<ConversationState, 'participants'>;

interface TaggedConversation {
  readonly shown: ShownConversation;
  readonly contactTags: readonly string[];
}

/** Conversations of one organization, with the current names of their contacts. */
export async function showConversations(
  environment: Pick<Environment, 'store'>,
  orgId: string,
  states: readonly ConversationState[],
): Promise<readonly ShownConversation[]> {
  const tagged = await showTagged(environment, orgId, states);
  return tagged.map(({ shown }) => shown);
}

/** The same with the tags of their contacts, which the read of the names answers too. */
export async function showTagged(
  environment: Pick<Environment, 'store'>,
  orgId: string,
  states: readonly ConversationState[],
): Promise<readonly TaggedConversation[]> {
  const [contacts, organization] = await Promise.all([
    readContacts(environment, states),
    readOrganization(environment.store, orgId, ['channels']),
  ]);
  const channels = new Map(organization?.channels.map((channel) => [channel.id, channel]));
  return states.map((state) => {
    const contact = contacts.get(state.contact.id);
    const channel = channels.get(state.channelId);
    const name = contact?.name ?? state.contact.name;
    return {
      shown: renderConversation(state, { channel, name }),
      contactTags: contact?.tags ?? [],
    };
  });
}

/** Names and tags change in the contact only: a page reads the current ones. */
async function readContacts(
  { store }: Pick<Environment, 'store'>,
  states: readonly ConversationState[],
): Promise<ReadonlyMap<string, Pick<StoredContact, 'name' | 'tags'>>> {
  const ids = states.map(({ contact }) => contact.id);
  const project = { name: 1, tags: 1 } as const;
  const contacts = await store.find('contacts', { _id: { $in: ids } }, { project });
  return new Map(contacts.map((contact) => [contact._id, contact]));
}

function renderConversation(
  state: ConversationState,
  now: { readonly channel: ChannelEntry | undefined; readonly name: string | null },
): ShownConversation {
  const { channel, name } = now;
  const { label = '', provider = 'cloud' } = channel ?? {};
  const { contact, automationPausedUntil: paused } = state;
  const expiresAt = provider === 'cloud' ? windowExpiresAt(state) : null;
  return {
    id: state.id,
    status: state.status,
    channel: { id: state.channelId, label, provider },
    contact: { id: contact.id, phone: contact.phone, name },
    assignedTo: state.assignedTo,
    participants: state.participants,
    unread: state.unread,
    lastMessageAt: timestamp(state.lastMessageAt),
    lastMessagePreview: state.lastMessagePreview,
    automationPausedUntil: paused === null ? null : timestamp(paused),
    createdAt: timestamp(state.createdAt),
    windowExpiresAt: expiresAt === null ? null : timestamp(expiresAt),
  };
}
