/** Messages and conversations as the domain's tests start from them. */
import {
  type ConversationContact,
  type ConversationState,
  newConversation,
} from '../../../../actors/domain/conversation/conversation.ts';
import type { StoredMessage } from '../../../../shared/message.ts';

export const NOW = Date.UTC(2026, 4, 4, 12, 0, 0);

export const CONTACT: ConversationContact = {
  id: 'ctc_1',
  phone: '5511987654321',
  name: 'Maria',
};

export function conversationFixture(over: Partial<ConversationState> = {}): ConversationState {
  const identity = {
    id: 'cnv_1',
    orgId: 'org_1',
    channelId: 'chn_1',
    contact: CONTACT,
    networkId: null,
  };
  return { ...newConversation(identity, NOW), ...over };
}

export function outboundFixture(over: Partial<StoredMessage> = {}): StoredMessage {
  return {
    revision: 1,
    direction: 'out',
    kind: 'text',
    text: 'Olá',
    media: null,
    author: { kind: 'automation', label: 'ERP' },
    status: 'sending',
    receipts: { sent: null, delivered: null, read: null },
    externalId: null,
    replyToId: null,
    transcript: null,
    origin: 'api',
    createdAt: NOW,
    ...over,
  };
}
