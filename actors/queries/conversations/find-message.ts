/** One message: its place, by which a call finds its owner, and as the history shows it. */
import { failure, renderFailure } from '../../../shared/failures.ts';
import { answerOf } from '../../../shared/wire/answer.ts';
import type { MessageLocation } from '../../../shared/wire/queries.ts';
import type { Query } from '../lists/answer.ts';
import { conversationOf, renderMessage } from './messages.ts';

/** Follows joins: answers the conversation that stays. */
export const locateMessage: Query<'message-place'> = async ({ store }, query) => {
  const entry = await store.byId('entries', query.messageId);
  if (entry?.orgId !== query.orgId || !entry.message) {
    return renderFailure(failure('message_not_found'));
  }
  const { channelId, message } = entry;
  const { id: conversationId } = await conversationOf(store, entry.conversationId);
  const location: MessageLocation = { conversationId, channelId, direction: message.direction };
  return answerOf(location);
};

export const findMessage: Query<'message'> = async (environment, { orgId, messageId }) => {
  const entry = await environment.store.byId('entries', messageId);
  const data = entry?.orgId === orgId ? renderMessage(environment, entry) : null;
  return data ? answerOf({ data }) : renderFailure(failure('message_not_found'));
};

/** GET /api/v1/messages/{id}: notes too. */
export const findOwnMessage: Query<'own-message'> = async (environment, query) => {
  const { orgId, id, channelScope } = query;
  const { store } = environment;
  const entry = await store.byId('entries', id);
  const data = entry?.orgId === orgId ? renderMessage(environment, entry) : null;
  if (!entry || !data) return renderFailure(failure('message_not_found'));
  if (channelScope !== null && entry.channelId !== channelScope) {
    return renderFailure(failure('other_channel'));
  }
  const { id: conversationId } = await conversationOf(store, entry.conversationId);
  return answerOf({ conversationId, data });
};
