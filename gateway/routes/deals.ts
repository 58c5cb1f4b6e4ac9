/** GET and POST /api/v1/deals and /api/v1/deals/{id} (C4.13, C4.14, C4.15). */

import {
  ChangeDealBody,
  CreateDealBody,
  type Deal,
  DealAnswer,
  ListDealsAnswer,
  ListDealsQuery,
} from '../../shared/api/deal.ts';
import { contactId } from '../../shared/entity-ids.ts';
import type { ChangeDeal, CreateDeal } from '../../shared/wire/commands.ts';
import type { ListDeals } from '../../shared/wire/queries.ts';
import { apiRoute, originOf, type Route } from '../route.ts';
import { CONTACT, PAGE_OF_ONE } from './examples.ts';
import { PIPELINE_ID, STAGE_ID } from './pipelines.ts';
import { LIST, ONCE } from './sentences.ts';

export const DEAL: Deal = {
  id: 'deal_6Yh8Uj1Ik3Ol5Pq7Wr9Et2',
  title: 'Plano anual',
  valueCents: 120_000,
  status: 'open',
  pipelineId: PIPELINE_ID,
  stageId: STAGE_ID,
  contact: { id: CONTACT.id, phone: CONTACT.phone, name: CONTACT.name },
  ownerId: null,
  expectedCloseOn: '2026-12-15',
  lostReason: null,
  conversationId: null,
  closedAt: null,
  createdAt: CONTACT.createdAt,
  updatedAt: CONTACT.updatedAt,
};

const listDeals = apiRoute({
  method: 'GET',
  path: '/api/v1/deals',
  operationId: 'listDeals',
  summary: 'Lista os negócios da organização, do último alterado ao mais antigo.',
  description: `Uma chave de canal vê todos os negócios da organização. ${LIST}`,
  tag: 'Negócios',
  query: ListDealsQuery,
  fieldDescriptions: {
    pipelineId: 'Id do funil.',
  },
  answers: {
    200: {
      description: 'Uma página de negócios.',
      schema: ListDealsAnswer,
      example: { data: [DEAL], ...PAGE_OF_ONE },
    },
  },
  plan({ caller, query }) {
    const { page, limit, status, pipelineId, stageId } = query;
    const payload: ListDeals = {
      orgId: caller.orgId,
      page,
      limit,
      ...(status === undefined ? {} : { status }),
      ...(pipelineId === undefined ? {} : { pipelineId }),
      ...(stageId === undefined ? {} : { stageId }),
      ...(query.contactId === undefined ? {} : { contactId: query.contactId }),
    };
    return { to: 'query', resource: 'deals', payload };
  },
});

const getDeal = apiRoute({
  method: 'GET',
  path: '/api/v1/deals/{id}',
  pathId: { description: 'Id do negócio.', example: DEAL.id },
  operationId: 'getDeal',
  summary: 'Um negócio, como na lista.',
  description: 'Uma chave de canal alcança todos os negócios da organização.',
  tag: 'Negócios',
  answers: { 200: { description: 'O negócio.', schema: DealAnswer, example: { data: DEAL } } },
  refusals: [404],
  plan({ caller: { orgId }, params }) {
    return { to: 'query', resource: 'own-deal', payload: { orgId, id: params.id ?? '' } };
  },
});

const createDeal = apiRoute({
  method: 'POST',
  path: '/api/v1/deals',
  operationId: 'createDeal',
  access: 'full',
  summary: 'Cria um negócio para um contato existente.',
  description:
    'Informe `contactId` ou `phone`, nunca os dois. Sem `stageId` vale a primeira etapa do funil ' +
    `padrão. Emite \`deal.created\`. ${ONCE}`,
  tag: 'Negócios',
  body: CreateDealBody,
  fieldDescriptions: {
    conversationId: 'Guardado apenas se a conversa for deste contato.',
  },
  bodyExample: { contactId: CONTACT.id, title: 'Plano anual', valueCents: 120_000 },
  isAdditive: true,
  answers: {
    201: { description: 'O negócio foi criado.', schema: DealAnswer, example: { data: DEAL } },
  },
  refusals: [404],
  plan({ caller, ids, body, phone }) {
    const { orgId } = caller;
    const command: CreateDeal = {
      id: ids.fresh('deal'),
      type: 'create',
      orgId,
      contactId: body.contactId ?? contactId(ids, orgId, phone ?? ''),
      ...(body.contactId === undefined && phone !== null ? { phone } : {}),
      title: body.title,
      valueCents: body.valueCents ?? 0,
      stageId: body.stageId ?? null,
      ownerId: body.ownerId ?? null,
      expectedCloseOn: body.expectedCloseOn ?? null,
      conversationId: body.conversationId ?? null,
      origin: originOf(caller),
    };
    return { to: 'actor', address: { kind: 'deal', key: command.id }, command };
  },
});

const changeDeal = apiRoute({
  method: 'POST',
  path: '/api/v1/deals/{id}',
  pathId: { description: 'Id do negócio.', example: DEAL.id },
  operationId: 'changeDeal',
  access: 'full',
  summary: 'Altera, move, encerra ou reabre um negócio; tudo ou nada.',
  description:
    'Ao menos um campo. Um negócio encerrado não muda de etapa nem encerra de novo (409); ' +
    '`status: open` o reabre. `lostReason` acompanha `status: lost`, e só ele. Emite ' +
    `\`deal.stage_changed\`, \`deal.won\`, \`deal.lost\` ou \`deal.reopened\`. ${ONCE}`,
  tag: 'Negócios',
  body: ChangeDealBody,
  fieldDescriptions: {
    status: '`won` e `lost` encerram, `open` reabre.',
    stageId: 'Move o negócio, que deve estar aberto.',
    lostReason: 'Motivo da perda; exigido com `status: lost`.',
  },
  bodyExample: { status: 'lost', lostReason: 'Preço' },
  answers: {
    200: { description: 'O negócio alterado.', schema: DealAnswer, example: { data: DEAL } },
  },
  refusals: [404, 409],
  plan({ caller, ids, params, body }) {
    const { title, valueCents, ownerId, expectedCloseOn, stageId, status, lostReason } = body;
    const command: ChangeDeal = {
      id: ids.fresh('cmd'),
      type: 'change',
      orgId: caller.orgId,
      ...(title === undefined ? {} : { title }),
      ...(valueCents === undefined ? {} : { valueCents }),
      ...(ownerId === undefined ? {} : { ownerId }),
      ...(expectedCloseOn === undefined ? {} : { expectedCloseOn }),
      ...(stageId === undefined ? {} : { stageId }),
      ...(status === undefined ? {} : { status }),
      ...(lostReason === undefined ? {} : { lostReason }),
      origin: originOf(caller),
    };
    return { to: 'actor', address: { kind: 'deal', key: params.id ?? '' }, command };
  },
});

export const DEAL_ROUTES: readonly Route[] = [listDeals, getDeal, createDeal, changeDeal];
