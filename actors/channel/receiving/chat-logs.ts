/**
 * The logs of the chat that an event is of. The network's name of a person leads to one of them; the
 * command of the event is forwarded to the one that answers, and a joined conversation has a log too.
 */
import { conversationId as conversationOf } from '../../../shared/entity-ids.ts';
import { readContactFrom } from '../../contact/read-contact.ts';
import { logsOfChat } from '../sending/sending-order.ts';
import type { RoutingContext } from './receiving-channel.ts';
import type { RoutedMessage } from './route-event.ts';

type OfChat = Pick<RoutedMessage, 'conversationId' | 'command'>;

/** Those beside the one that the event leads to; most chats have none. */
export async function logsBeside(
  { environment, channelId }: Pick<RoutingContext, 'environment' | 'channelId'>,
  { conversationId, command: { contactId: id, orgId, phone } }: OfChat,
): Promise<readonly string[]> {
  const contact = await readContactFrom(environment, { id, orgId, phone });
  const answering = conversationOf(environment.ids, channelId, contact?._id ?? id);
  const logs = await logsOfChat(environment.store, answering);
  return logs.filter((log) => log !== conversationId);
}
