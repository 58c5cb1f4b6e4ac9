/** A reaction that this service sent, reported as if a person had made it on the phone. */
import type { StoredMessage } from '../../../shared/message.ts';
import { isOwnReaction } from '../../domain/conversation/network-message.ts';
import type { Conversation } from './conversation.ts';

/** Messages of our number. The report comes within seconds of the send. */
const READ_MAX = 50;

/** True: the reaction is on record, and nobody made another one. */
export async function isReportOfOwnReaction(
  { id: conversationId, parts }: Pick<Conversation, 'id' | 'parts'>,
  reported: Pick<StoredMessage, 'kind' | 'text' | 'replyToId'>,
): Promise<boolean> {
  if (reported.kind !== 'reaction') return false;
  const filter = { conversationId, 'message.direction': 'out' } as const;
  const newest = { sort: { seq: -1 }, limit: READ_MAX, project: { message: 1 } } as const;
  const entries = await parts.environment.store.find('entries', filter, newest);
  const messages = entries.flatMap(({ message }) => message ?? []);
  return isOwnReaction(
    messages.filter(({ kind }) => kind === 'reaction'),
    reported,
  );
}
