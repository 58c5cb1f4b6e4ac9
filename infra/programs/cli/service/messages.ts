/** Messages that the command line sends over a channel, and their state. */
import * as v from 'valibot';
import { ListMessagesAnswer, type Message } from '../../../../shared/api/message.ts';
import { contactId, conversationId } from '../../../../shared/entity-ids.ts';
import type { ActingPerson } from '../../../../shared/wire/audit.ts';
import type { SendMessage } from '../../../../shared/wire/commands.ts';
import { readAnswer } from './answer.ts';
import type { Service } from './service.ts';

const sentSchema = v.object({
  data: v.object({ messageId: v.string(), conversationId: v.string() }),
});
export type Sent = v.InferOutput<typeof sentSchema>['data'];

interface TextMessage extends Pick<SendMessage, 'orgId' | 'channelId' | 'text' | 'authorLabel'> {
  /** Canonical digits. */
  readonly phone: string;
  /** Its author in the audit log. */
  readonly by?: ActingPerson;
}

/** The command of `POST /api/v1/messages`. */
export async function sendText(service: Service, message: TextMessage): Promise<Sent> {
  const { ids } = service;
  const contact = contactId(ids, message.orgId, message.phone);
  const key = conversationId(ids, message.channelId, contact);
  const answer = await service.ask(
    { kind: 'conversation', key },
    {
      ...message,
      ...{ id: ids.fresh('msg'), type: 'send', origin: 'panel' },
      ...{ byConversation: false, channelScope: false },
    },
  );
  return readAnswer(sentSchema, answer).data;
}

/** The newest 200 messages of a conversation, newest first; empty where there is none yet. */
export async function newestMessages(
  service: Service,
  orgId: string,
  conversation: string,
): Promise<readonly Message[]> {
  const asked = { orgId, conversationId: conversation, includeNotes: false, channelScope: null };
  const answer = await service.query('messages', { ...asked, page: 1, limit: 200 });
  return answer.status === 404 ? [] : readAnswer(ListMessagesAnswer, answer).data;
}

/** Undefined while a list does not show it yet. */
export async function findMessage(
  service: Service,
  orgId: string,
  sent: Sent,
): Promise<Message | undefined> {
  const messages = await newestMessages(service, orgId, sent.conversationId);
  return messages.find(({ id }) => id === sent.messageId);
}
