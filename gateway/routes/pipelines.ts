/** GET and POST /api/v1/pipelines, and POST /api/v1/pipelines/{id} (C4.12, D440). */

import {
  ChangePipelineBody,
  CreatePipelineBody,
  ListPipelinesAnswer,
  type Pipeline,
  PipelineAnswer,
} from '../../shared/api/pipeline.ts';
import type { ChangePipeline, CreatePipeline } from '../../shared/wire/pipeline-commands.ts';
import type { ListPipelines } from '../../shared/wire/queries.ts';
import { apiRoute, originOf, type Route } from '../route.ts';
import { ONCE } from './sentences.ts';

export const PIPELINE_ID = 'pip_2Wd8Rf6Tg4Yh1Uj9Ik7Ol5';
export const STAGE_ID = 'stg_3Ed5Rf7Tg9Yh2Uj4Ik6Ol8';

const PIPELINE: Pipeline = {
  id: PIPELINE_ID,
  name: 'Funil de vendas',
  isDefault: true,
  stages: [{ id: STAGE_ID, name: 'Novo', position: 0 }],
};

const listPipelines = apiRoute({
  method: 'GET',
  path: '/api/v1/pipelines',
  operationId: 'listPipelines',
  summary: 'Lista os funis com suas etapas; o padrão é criado na primeira leitura.',
  description: 'Guarde o `id` das etapas: os nomes são editados pela equipe.',
  tag: 'Negócios',
  answers: {
    200: {
      description: 'Os funis.',
      schema: ListPipelinesAnswer,
      example: { data: [PIPELINE] },
    },
  },
  plan({ caller }) {
    const payload: ListPipelines = { orgId: caller.orgId };
    return { to: 'query', resource: 'pipelines', payload };
  },
});

const createPipeline = apiRoute({
  method: 'POST',
  path: '/api/v1/pipelines',
  access: 'full',
  operationId: 'createPipeline',
  summary: 'Cria um funil com suas etapas, na ordem do quadro.',
  description:
    'De 1 a 50 etapas, sem nomes iguais no mesmo funil. Uma organização tem no máximo 20 funis ' +
    `(409). O padrão continua sendo o mesmo. ${ONCE}`,
  tag: 'Negócios',
  body: CreatePipelineBody,
  fieldDescriptions: {
    name: 'Nome, de 1 a 60 caracteres.',
    stages: 'As etapas, na ordem do quadro.',
  },
  bodyExample: { name: 'Pós-venda', stages: [{ name: 'Aberto' }, { name: 'Resolvido' }] },
  isAdditive: true,
  answers: {
    201: {
      description: 'O funil foi criado.',
      schema: PipelineAnswer,
      example: { data: { ...PIPELINE, isDefault: false } },
    },
  },
  refusals: [409],
  plan({ caller: { orgId }, ids, body: { name, stages } }) {
    const command: CreatePipeline = {
      id: ids.fresh('pip'),
      type: 'pipelines.create',
      name,
      stages,
    };
    return { to: 'actor', address: { kind: 'organization', key: orgId }, command };
  },
});

const changePipeline = apiRoute({
  method: 'POST',
  path: '/api/v1/pipelines/{id}',
  pathId: { description: 'Id do funil.', example: PIPELINE_ID },
  access: 'full',
  operationId: 'changePipeline',
  summary: 'Altera o nome e as etapas de um funil, ou faz dele o padrão; tudo ou nada.',
  description:
    'Ao menos um campo. `stages` é a nova ordem inteira: uma etapa com `id` continua, com o nome ' +
    'informado; uma sem `id` é nova; a que fica de fora sai do funil na hora. Se ela tem ' +
    'negócios, `moveTo` diz para qual etapa eles vão (senão, 409): os abertos seguem em segundo ' +
    'plano, cada um com seu `deal.stage_changed`; os encerrados aparecem na nova etapa, sem ' +
    `evento. ${ONCE}`,
  tag: 'Negócios',
  body: ChangePipelineBody,
  fieldDescriptions: {
    name: 'Nome, de 1 a 60 caracteres.',
    id: 'Id de uma etapa deste funil; sem ele, a etapa é nova.',
    isDefault: '`true` faz deste o funil padrão, no lugar do anterior.',
    stages: 'A nova ordem inteira das etapas.',
    moveTo: 'Para cada etapa que sai, o id da etapa que recebe os negócios dela.',
  },
  bodyExample: { name: 'Vendas', stages: [{ id: STAGE_ID, name: 'Entrada' }, { name: 'Visita' }] },
  answers: {
    200: {
      description: 'O funil alterado.',
      schema: PipelineAnswer,
      example: { data: PIPELINE },
    },
  },
  refusals: [404, 409],
  plan({ caller, ids, params, body: { name, isDefault, stages, moveTo } }) {
    const command: ChangePipeline = {
      id: ids.fresh('cmd'),
      type: 'pipelines.change',
      pipelineId: params.id ?? '',
      ...(name === undefined ? {} : { name }),
      ...(isDefault === undefined ? {} : { isDefault }),
      ...(stages === undefined ? {} : { stages: stages.map(orderedStage) }),
      ...(moveTo === undefined ? {} : { moveTo }),
      origin: originOf(caller),
    };
    return { to: 'actor', address: { kind: 'organization', key: caller.orgId }, command };
  },
});

function orderedStage({ id, name }: { readonly id?: string | undefined; readonly name: string }) {
  return id === undefined ? { name } : { id, name };
}

export const PIPELINE_ROUTES: readonly Route[] = [listPipelines, createPipeline, changePipeline];
