/** GET /api/v1/conversations (C4.7), one conversation, its changes, and a note in it. */

import type * as v from 'valibot';
import {
  ChangeConversationBody,
  ConversationAnswer,
  ListConversationsAnswer,
  ListConversationsQuery,
  WriteNoteAnswer,
  WriteNoteBody,
} from '../../shared/api/conversation.ts';
import { failure } from '../../shared/failures.ts';
import { bodyOf } from '../../shared/wire/answer.ts';
import type { MemberAction } from '../../shared/wire/member-action.ts';
import type { FindScoped, ListConversations } from '../../shared/wire/queries.ts';
import { jsonReply, refusalReply } from '../http/respond.ts';
import { apiRoute, isOtherChannel, originOf, type Route, type Valid } from '../route.ts';
import { CONVERSATION, MESSAGE_ID, PAGE_OF_ONE } from './examples.ts';
import { LIST, ONCE } from './sentences.ts';

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
      return shown({ orgId, id: params.id ?? '', channelScope });
    },
  }),
  apiRoute({
    method: 'POST',
    path: '/api/v1/conversations/{id}',
    pathId: { description: 'Id da conversa.', example: CONVERSATION.id },
    operationId: 'changeConversation',
    access: 'full',
    summary: 'Atribui, resolve ou reabre uma conversa, ou pausa a automação; tudo ou nada.',
    description:
      'Ao menos um campo. O que já estava assim não muda nada nem emite eventos. `open` só reabre ' +
      'uma conversa resolvida. Quem passa a responsável entra nos participantes. ' +
      `${ONCE}`,
    tag: 'Conversas',
    body: ChangeConversationBody,
    fieldDescriptions: {
      assignedTo: 'Id do membro responsável; nulo deixa a conversa sem responsável.',
      participants: 'Ids de todos os participantes, no lugar dos atuais.',
      status: '`resolved` resolve; `open` reabre uma conversa resolvida.',
      automationPausedUntil:
        'A automação fica pausada até este momento, no máximo daqui a 365 dias; nulo a retoma.',
    },
    bodyExample: { assignedTo: null, status: 'resolved' },
    answers: {
      200: {
        description: 'A conversa alterada.',
        schema: ConversationAnswer,
        example: { data: { ...CONVERSATION, status: 'resolved' } },
      },
    },
    refusals: [403, 404],
    async run({ ask, ...request }) {
      const { orgId, channelId: channelScope } = request.caller;
      const key = request.params.id ?? '';
      const command = changeOf(request);
      const to = { to: 'actor', address: { kind: 'conversation', key }, command } as const;
      const answer = await ask(to, { effectStays: true });
      if (answer.status >= 300) return answer;
      return ask(shown({ orgId, id: bodyOf(answer).conversationId, channelScope }));
    },
  }),
  apiRoute({
    method: 'POST',
    path: '/api/v1/conversations/{id}/notes',
    pathId: { description: 'Id da conversa.', example: CONVERSATION.id },
    operationId: 'writeNote',
    access: 'send',
    summary: 'Escreve uma nota interna, que só a equipe lê.',
    description:
      'A nota traz o nome da chave como autor, de tipo `automation`. Não lidas, pausa e ' +
      `participantes ficam como estão. Nenhum evento é emitido. ${ONCE}`,
    tag: 'Conversas',
    body: WriteNoteBody,
    fieldDescriptions: { text: 'Texto da nota.' },
    bodyExample: { text: 'Cliente pediu segunda via; boleto enviado por e-mail.' },
    isAdditive: true,
    answers: {
      201: {
        description: 'A nota foi escrita.',
        schema: WriteNoteAnswer,
        example: { data: { messageId: MESSAGE_ID, conversationId: CONVERSATION.id } },
      },
    },
    refusals: [403, 404],
    async run({ ask, ...request }) {
      const command = noteOf(request);
      if (command === null) return refusalReply(failure('not_allowed'));
      const key = request.params.id ?? '';
      const answer = await ask({ to: 'actor', address: { kind: 'conversation', key }, command });
      if (answer.status >= 300) return answer;
      const { messageId, conversationId } = bodyOf(answer);
      return jsonReply(201, { data: { messageId, conversationId } });
    },
  }),
];

function shown(payload: FindScoped) {
  return { to: 'query', resource: 'own-conversation', payload } as const;
}

function changeOf({
  caller,
  ids,
  body: { automationPausedUntil: until, ...body },
}: Pick<
  Valid<unknown, v.InferOutput<typeof ChangeConversationBody>>,
  'caller' | 'ids' | 'body'
>): MemberAction {
  const { orgId, channelId: channelScope } = caller;
  const pausedUntil = typeof until === 'string' ? Date.parse(until) : until;
  return {
    ...{ id: ids.fresh('cmd'), orgId, type: 'change', channelScope, origin: originOf(caller) },
    ...body,
    ...(pausedUntil === undefined ? {} : { pausedUntil }),
  };
}

/** A person's note is the member's own; the operator is no member, and writes none. */
function noteOf({
  caller,
  ids,
  body: { text },
}: Pick<
  Valid<unknown, { readonly text: string }>,
  'caller' | 'ids' | 'body'
>): MemberAction | null {
  const { orgId, keyName, channelId: channelScope, member, assistant } = caller;
  const id = ids.fresh('msg');
  if (!member) {
    const origin = assistant ? 'assistant' : 'api';
    return { id, orgId, type: 'key-note', keyName, channelScope, text, origin };
  }
  return member.id === null ? null : { id, orgId, type: 'note', member: member.id, text };
}
