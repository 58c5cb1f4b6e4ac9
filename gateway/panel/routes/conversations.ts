/** Rows of conversations: the list with its filters, one of them, and that it was read. */
import * as v from 'valibot';
import { requestObject } from '../../../shared/api/fields.ts';
import { ListPanelConversationsQuery } from '../../../shared/api/panel-conversation.ts';
import { bodyOf } from '../../../shared/wire/answer.ts';
import type { ListPanelConversations } from '../../../shared/wire/queries.ts';
import { type ApiRoute, apiRoute } from '../../route.ts';

const TAG = 'Conversas';
const NOBODY = 'none';
const answers = { 200: { description: 'A resposta.', schema: v.looseObject({}) } };

const listConversations = apiRoute({
  method: 'GET',
  path: '/panel/api/conversations',
  operationId: 'listPanelConversations',
  summary: 'Lista as conversas, da última mensagem à mais antiga.',
  tag: TAG,
  query: ListPanelConversationsQuery,
  answers,
  plan({ caller, query: { status, channelId, contactId, ...asked } }) {
    const { assignedTo, unread, query, tag, page, limit } = asked;
    const payload: ListPanelConversations = {
      orgId: caller.orgId,
      ...{ page, limit },
      ...(status === undefined ? {} : { status }),
      ...(channelId === undefined ? {} : { channelId }),
      ...(contactId === undefined ? {} : { contactId }),
      ...(assignedTo === undefined
        ? {}
        : { assignedTo: assignedTo === NOBODY ? null : assignedTo }),
      ...(unread === true ? { unread } : {}),
      ...(query === undefined ? {} : { query }),
      ...(tag === undefined ? {} : { tag }),
    };
    return { to: 'query', resource: 'panel-conversations', payload };
  },
});

const getConversation = apiRoute({
  method: 'GET',
  path: '/panel/api/conversations/{id}',
  operationId: 'getPanelConversation',
  summary: 'Uma conversa, com o seu fluxo.',
  tag: TAG,
  answers,
  plan: ({ caller, params }) => shown(caller.orgId, params.id ?? ''),
});

function shown(orgId: string, conversationId: string) {
  const payload = { orgId, conversationId };
  return { to: 'query', resource: 'panel-conversation', payload } as const;
}

const readConversation = apiRoute({
  method: 'POST',
  path: '/panel/api/conversations/{id}/read',
  operationId: 'readConversation',
  summary: 'Marca a conversa como lida.',
  tag: TAG,
  body: requestObject({}),
  answers,
  async run({ ask, caller: { orgId }, ids, params }) {
    const command = { id: ids.fresh('cmd'), orgId, type: 'read' } as const;
    const address = { kind: 'conversation', key: params.id ?? '' } as const;
    const answer = await ask({ to: 'actor', address, command }, { effectStays: true });
    if (answer.status >= 300) return answer;
    return ask(shown(orgId, bodyOf(answer).conversationId));
  },
});

export const CONVERSATION_ROUTES: readonly ApiRoute[] = [
  listConversations,
  getConversation,
  readConversation,
];
