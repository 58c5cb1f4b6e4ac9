/** GET /api/v1/pipelines (C4.12). */

import { ListPipelinesAnswer, type Pipeline } from '../../shared/api/pipeline.ts';
import type { ListPipelines } from '../../shared/wire/queries.ts';
import { apiRoute, type Route } from '../route.ts';

export const PIPELINE_ID = 'pip_2Wd8Rf6Tg4Yh1Uj9Ik7Ol5';
export const STAGE_ID = 'stg_3Ed5Rf7Tg9Yh2Uj4Ik6Ol8';

const PIPELINE: Pipeline = {
  id: PIPELINE_ID,
  name: 'Funil de vendas',
  isDefault: true,
  stages: [{ id: STAGE_ID, name: 'Novo', position: 0 }],
};

export const PIPELINE_ROUTES: readonly Route[] = [
  apiRoute({
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
  }),
];
