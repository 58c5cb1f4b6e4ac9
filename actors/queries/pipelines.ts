/** GET /api/v1/pipelines: the default one is created on the first read (C4.12). */
import type { ListPipelines } from '../../shared/wire/commands.ts';
import { pipelinesOf, readTeam } from '../deal/organization.ts';
import type { PipelineEntry } from '../domain/organization/state.ts';
import { found, type Query } from './answer.ts';

export const listPipelines: Query<ListPipelines> = async (environment, { orgId }) => {
  const { pipelines } = await readTeam(environment, orgId);
  return found({ data: (await pipelinesOf(environment, orgId, pipelines)).map(renderPipeline) });
};

function renderPipeline(pipeline: PipelineEntry): object {
  return {
    id: pipeline.id,
    name: pipeline.name,
    isDefault: pipeline.isDefault,
    stages: pipeline.stages.map(({ id, name }, position) => ({ id, name, position })),
  };
}
