/** GET and POST /api/v1/messages (C4.8, C4.9). */
import type * as v from 'valibot';
import {
  ListMessagesAnswer,
  ListMessagesQuery,
  SendMessageAnswer,
  SendMessageBody,
} from '../../shared/api/message.ts';
import { contactId, conversationId, looksLikeId } from '../../shared/entity-ids.ts';
import { failure } from '../../shared/failures.ts';
import { MEDIA_ASK_DEADLINE_MS } from '../../shared/limits.ts';
import type { Address } from '../../shared/ports/bus.ts';
import type { Ids } from '../../shared/ports/ids.ts';
import { bodyOf } from '../../shared/wire/answer.ts';
import type { Caller } from '../../shared/wire/caller.ts';
import type { SendMessage } from '../../shared/wire/commands.ts';
import type { FetchMedia, FromUrl } from '../../shared/wire/media-commands.ts';
import type { ListMessages } from '../../shared/wire/queries.ts';
import {
  apiRoute,
  channelInScope,
  originOf,
  type Route,
  readinessRefusal,
  type Sequence,
  sequence,
} from '../route.ts';
import { CHANNEL_ID, CONVERSATION_ID, MESSAGE, MESSAGE_ID, PAGE_OF_ONE } from './examples.ts';

const listMessages = apiRoute({
  method: 'GET',
  path: '/api/v1/messages',
  operationId: 'listMessages',
  summary: 'Histórico de uma conversa, da mensagem mais nova à mais antiga.',
  tag: 'Mensagens',
  query: ListMessagesQuery,
  answers: {
    200: {
      description: 'Uma página do histórico.',
      schema: ListMessagesAnswer,
      example: { conversationId: CONVERSATION_ID, data: [MESSAGE], ...PAGE_OF_ONE },
    },
  },
  refusals: [403, 404],
  plan({ caller, query }) {
    if (!looksLikeId(query.conversationId)) {
      return { to: 'caller', refusal: failure('conversation_not_found') };
    }
    const payload: ListMessages = {
      orgId: caller.orgId,
      conversationId: query.conversationId,
      includeNotes: query.includeNotes,
      channelScope: caller.channelId,
      page: query.page,
      limit: query.limit,
    };
    return { to: 'query', resource: 'messages', payload };
  },
});

/** The mailbox a send goes to: the conversation named, or the phone's on that channel. */
function conversationKey(
  { caller, ids }: { readonly caller: Caller; readonly ids: Ids },
  channelId: string,
  target: { readonly conversationId: string | undefined; readonly phone: string | null },
): string {
  if (target.conversationId !== undefined) return target.conversationId;
  return conversationId(ids, channelId, contactId(ids, caller.orgId, target.phone ?? ''));
}

type Body = v.InferOutput<typeof SendMessageBody>;

/** With media the text is the caption, unless there is one (D15). */
function captionOf({ text, caption, mediaUrl, mediaId }: Body): string | undefined {
  const withMedia = mediaUrl !== undefined || mediaId !== undefined;
  return withMedia ? (caption ?? text) : text;
}

function mediaWanted(
  { body, ids }: { readonly body: Body; readonly ids: Ids },
  command: SendMessage,
): FetchMedia | null {
  const { mediaUrl, mediaId: fileId, caption } = body;
  if (mediaUrl === undefined && fileId === undefined) return null;
  const named = { id: ids.fresh('cmd'), mediaId: ids.fresh('med') };
  const captioned = (captionOf(body) ?? '') !== '';
  const captionedBy = captioned ? (caption === undefined ? 'text' : 'caption') : null;
  const { id: messageId, orgId } = command;
  const from =
    mediaUrl === undefined
      ? { fileId: fileId ?? '', messageId }
      : { url: mediaUrl, messageId, target: targetOf({ body, ids }, command) };
  return { ...named, type: 'fetch-media', orgId, from, captionedBy };
}

/** The question to the conversation's owner, asked before the download. */
function targetOf(
  { body: { conversationId }, ids }: { readonly body: Body; readonly ids: Ids },
  { orgId, channelId, channelScope, byConversation, phone }: SendMessage,
): FromUrl['target'] {
  if (conversationId === undefined) return null;
  const target = { orgId, channelId, channelScope, byConversation, phone };
  return { conversationId, check: { id: ids.fresh('cmd'), type: 'check-send', ...target } };
}

/** The file is downloaded before the message is accepted; a refused download sends nothing. */
function afterFetching(
  fetch: FetchMedia,
  command: SendMessage,
  address: Address<'conversation'>,
): Sequence {
  return sequence(
    {
      to: 'actor',
      address: { kind: 'channel', key: command.channelId },
      command: fetch,
      withinMs: MEDIA_ASK_DEADLINE_MS,
    },
    (reply) => {
      if (reply.status !== 200) return reply;
      return { to: 'actor', address, command: { ...command, attached: bodyOf(reply) } };
    },
  );
}

const sendMessage = apiRoute({
  method: 'POST',
  path: '/api/v1/messages',
  operationId: 'sendMessage',
  summary: 'Envia um texto ou uma mídia por um canal conectado; cada chamada envia uma mensagem.',
  tag: 'Mensagens',
  body: SendMessageBody,
  bodyExample: {
    channelId: CHANNEL_ID,
    phone: '+55 (11) 98888-7777',
    text: 'Seu pedido saiu para entrega.',
  },
  needsChannel: true,
  isAdditive: true,
  answers: {
    201: {
      description: 'A mensagem foi aceita e está na fila.',
      schema: SendMessageAnswer,
      example: {
        data: { messageId: MESSAGE_ID, conversationId: CONVERSATION_ID, channelId: CHANNEL_ID },
      },
    },
  },
  refusals: [403, 404, 409],
  plan({ caller, ids, body, phone }) {
    const scoped = channelInScope(caller, body.channelId);
    if ('refusal' in scoped) return { to: 'caller', refusal: scoped.refusal };
    const channel = scoped.value;
    const byConversation = body.conversationId !== undefined;
    if (body.conversationId !== undefined && !looksLikeId(body.conversationId)) {
      return { to: 'caller', refusal: failure('conversation_not_found') };
    }
    const notReady = readinessRefusal(channel);
    if (notReady) return { to: 'caller', refusal: notReady };
    const command: SendMessage = {
      id: ids.fresh('msg'),
      type: 'send',
      orgId: caller.orgId,
      channelId: channel.id,
      phone,
      byConversation,
      channelScope: caller.scope === 'channel',
      text: captionOf(body) ?? '',
      authorLabel: caller.keyName,
      origin: originOf(caller),
    };
    const target = { conversationId: body.conversationId, phone };
    const key = conversationKey({ caller, ids }, channel.id, target);
    const address: Address<'conversation'> = { kind: 'conversation', key };
    const fetch = mediaWanted({ body, ids }, command);
    return fetch ? afterFetching(fetch, command, address) : { to: 'actor', address, command };
  },
});

export const MESSAGE_ROUTES: readonly Route[] = [listMessages, sendMessage];
