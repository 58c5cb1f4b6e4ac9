/** GET and POST /api/v1/messages (C4.8, C4.9), and one message. */
import {
  GetMessageAnswer,
  ListMessagesAnswer,
  ListMessagesQuery,
} from '../../shared/api/message.ts';
import { looksLikeId } from '../../shared/entity-ids.ts';
import { failure } from '../../shared/failures.ts';
import type { FindScoped, ListMessages } from '../../shared/wire/queries.ts';
import { apiRoute, type Route } from '../route.ts';
import { CONVERSATION_ID, MESSAGE, MESSAGE_ID, PAGE_OF_ONE } from './examples.ts';
import { sendMessage } from './send-message.ts';
import { LIST } from './sentences.ts';

const listMessages = apiRoute({
  method: 'GET',
  path: '/api/v1/messages',
  operationId: 'listMessages',
  summary: 'Histórico de uma conversa, da mensagem mais nova à mais antiga.',
  description:
    'Notas internas só aparecem com `includeNotes=true`. Com `status=scheduled`, só as mensagens ' +
    `agendadas, da próxima à última. ${LIST}`,
  tag: 'Mensagens',
  query: ListMessagesQuery,
  fieldDescriptions: {
    conversationId: 'Id da conversa.',
    includeNotes: 'Inclui as notas internas da equipe.',
  },
  queryExamples: { conversationId: CONVERSATION_ID },
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
      ...(query.status === undefined ? {} : { status: query.status }),
      channelScope: caller.channelId,
      page: query.page,
      limit: query.limit,
    };
    return { to: 'query', resource: 'messages', payload };
  },
});

const getMessage = apiRoute({
  method: 'GET',
  path: '/api/v1/messages/{id}',
  pathId: { description: 'Id da mensagem.', example: MESSAGE_ID },
  operationId: 'getMessage',
  summary: 'Uma mensagem, ou nota interna, e a conversa dela.',
  description: 'Uma chave de canal alcança apenas as do seu canal.',
  tag: 'Mensagens',
  answers: {
    200: {
      description: 'A mensagem.',
      schema: GetMessageAnswer,
      example: { conversationId: CONVERSATION_ID, data: MESSAGE },
    },
  },
  refusals: [403, 404],
  plan({ caller: { orgId, channelId: channelScope }, params }) {
    const payload: FindScoped = { orgId, id: params.id ?? '', channelScope };
    return { to: 'query', resource: 'own-message', payload };
  },
});

export const MESSAGE_ROUTES: readonly Route[] = [listMessages, getMessage, sendMessage];
