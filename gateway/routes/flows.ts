/** GET /api/v1/flows and POST /api/v1/flows/{id}/start (C4.10, C4.11). */
import * as v from 'valibot';
import {
  type Flow,
  ListFlowsAnswer,
  ListFlowsQuery,
  SkippedAnswer,
  StartedAnswer,
  StartFlowBody,
} from '../../shared/api/flow.ts';
import { RefusalSchema } from '../../shared/api/refusal.ts';
import { contactId, conversationId } from '../../shared/entity-ids.ts';
import type { StartFlow } from '../../shared/wire/commands.ts';
import type { ListFlows } from '../../shared/wire/queries.ts';
import { apiRoute, channelInScope, originOf, type Route } from '../route.ts';
import { CHANNEL_ID, CONVERSATION_ID } from './examples.ts';
import { ONCE } from './sentences.ts';

export const FLOW: Flow = {
  id: 'flw_3Rt6Yu8Io0Pa2Sd4Fg6Hj8',
  name: 'Boas-vindas',
  enabled: true,
  channelId: null,
  isMain: false,
  updatedAt: '2026-11-20T12:00:00.000Z',
};

const listFlows = apiRoute({
  method: 'GET',
  path: '/api/v1/flows',
  operationId: 'listFlows',
  summary:
    'Lista os fluxos em ordem alfabética; uma chave de canal vê os seus e os de qualquer canal.',
  description: 'Um fluxo com `channelId` nulo serve a qualquer canal.',
  tag: 'Fluxos',
  query: ListFlowsQuery,
  fieldDescriptions: {
    enabled: '`true` traz apenas os fluxos ativos.',
  },
  answers: {
    200: { description: 'Os fluxos.', schema: ListFlowsAnswer, example: { data: [FLOW] } },
  },
  plan({ caller, query }) {
    const payload: ListFlows = {
      orgId: caller.orgId,
      channelId: caller.channelId,
      // `false` is no filter: only `true` narrows the list (C4.10).
      ...(query.enabled === true ? { enabled: true } : {}),
    };
    return { to: 'query', resource: 'flows', payload };
  },
});

const answered = (result: 'started' | 'skipped') => ({
  data: { conversationId: CONVERSATION_ID, flowId: FLOW.id, result },
});

const startFlow = apiRoute({
  method: 'POST',
  path: '/api/v1/flows/{id}/start',
  pathId: { description: 'Id do fluxo.', example: FLOW.id },
  operationId: 'startFlow',
  access: 'send',
  summary:
    'Coloca a conversa do telefone dentro do fluxo; um fluxo em andamento não é interrompido.',
  description:
    'O 409 com `result: skipped` não tem `error`: um fluxo já está em andamento, a automação ' +
    `está pausada, o contato pediu para sair ou tem o número de um canal da organização. ${ONCE}`,
  tag: 'Fluxos',
  body: StartFlowBody,
  fieldDescriptions: {
    channelId: 'Obrigatório com chave de conta; a chave de canal já o define.',
  },
  bodyExample: { channelId: CHANNEL_ID, phone: '+55 (11) 98888-7777' },
  needsChannel: true,
  isAdditive: true,
  answers: {
    201: {
      description: 'O fluxo começou.',
      schema: StartedAnswer,
      example: answered('started'),
    },
    409: {
      description: 'A conversa não aceita automação agora; ou o fluxo está desativado (`error`).',
      schema: v.union([SkippedAnswer, RefusalSchema]),
      example: answered('skipped'),
    },
  },
  refusals: [403, 404],
  plan({ caller, ids, params, body, phone }) {
    const scoped = channelInScope(caller, body.channelId);
    if ('refusal' in scoped) return { to: 'caller', refusal: scoped.refusal };
    const { orgId } = caller;
    const channelId = scoped.value.id;
    const command: StartFlow = {
      id: ids.fresh('run'),
      type: 'start-flow',
      orgId,
      channelId,
      phone: phone ?? '',
      flowId: params.id ?? '',
      channelScope: caller.scope === 'channel',
      origin: originOf(caller),
    };
    const key = conversationId(ids, channelId, contactId(ids, orgId, command.phone));
    return { to: 'actor', address: { kind: 'conversation', key }, command };
  },
});

export const FLOW_ROUTES: readonly Route[] = [listFlows, startFlow];
