/** GET /api/v1/conversations (C4.7), and one conversation. */

import {
  ConversationAnswer,
  ListConversationsAnswer,
  ListConversationsQuery,
} from '../../shared/api/conversation.ts';
import { failure } from '../../shared/failures.ts';
import type { FindScoped, ListConversations } from '../../shared/wire/queries.ts';
import { apiRoute, isOtherChannel, type Route } from '../route.ts';
import { CONVERSATION, PAGE_OF_ONE } from './examples.ts';
import { LIST } from './sentences.ts';

export const CONVERSATION_ROUTES: readonly Route[] = [
  apiRoute({
    method: 'GET',
    path: '/api/v1/conversations',
    operationId: 'listConversations',
    summary: 'Lista as conversas, da última mensagem à mais antiga.',
    description: `Uma chave de canal vê apenas as conversas do seu canal. ${LIST}`,
    tag: 'Conversas',
    query: ListConversationsQuery,
    answers: {
      200: {
        description: 'Uma página de conversas.',
        schema: ListConversationsAnswer,
        example: { data: [CONVERSATION], ...PAGE_OF_ONE },
      },
    },
    refusals: [403],
    plan({ caller, query }) {
      if (isOtherChannel(caller, query.channelId)) {
        return { to: 'caller', refusal: failure('other_channel') };
      }
      const channelId = query.channelId ?? caller.channelId;
      const payload: ListConversations = {
        orgId: caller.orgId,
        page: query.page,
        limit: query.limit,
        ...(channelId === null ? {} : { channelId }),
        ...(query.status === undefined ? {} : { status: query.status }),
        ...(query.contactId === undefined ? {} : { contactId: query.contactId }),
      };
      return { to: 'query', resource: 'conversations', payload };
    },
  }),
  apiRoute({
    method: 'GET',
    path: '/api/v1/conversations/{id}',
    pathId: { description: 'Id da conversa.', example: CONVERSATION.id },
    operationId: 'getConversation',
    summary: 'Uma conversa, como na lista.',
    description: 'O id de uma conversa que foi unida a outra responde com a que ficou.',
    tag: 'Conversas',
    answers: {
      200: {
        description: 'A conversa.',
        schema: ConversationAnswer,
        example: { data: CONVERSATION },
      },
    },
    refusals: [403, 404],
    plan({ caller: { orgId, channelId: channelScope }, params }) {
      const payload: FindScoped = { orgId, id: params.id ?? '', channelScope };
      return { to: 'query', resource: 'own-conversation', payload };
    },
  }),
];
