/**
 * Pipelines: the default one, and the look-up of stages (D25).
 *
 * 1. The default pipeline's id derives from its organization: no race can create two of them.
 */
import { defaultPipelineId, defaultStageId } from '../../shared/entity-ids.ts';
import type { Ids } from '../../shared/ports/ids.ts';
import type { PipelineEntry } from './organization/state.ts';

const NAME = 'Funil de vendas';
const STAGES = ['Novo', 'Em contato', 'Proposta', 'Negociação'];

export function newDefaultPipeline(ids: Ids, orgId: string): PipelineEntry {
  return {
    id: defaultPipelineId(ids, orgId),
    name: NAME,
    isDefault: true,
    stages: STAGES.map((name, position) => ({ id: defaultStageId(ids, orgId, position), name })),
  };
}

/** A stage of a pipeline. */
export interface StagePosition {
  readonly pipelineId: string;
  readonly stageId: string;
}

/** The stage of that id, in any pipeline; null where there is none. */
export function findStage(
  pipelines: readonly PipelineEntry[],
  stageId: string,
): StagePosition | null {
  const pipeline = pipelines.find(({ stages }) => stages.some(({ id }) => id === stageId));
  return pipeline ? { pipelineId: pipeline.id, stageId } : null;
}

/** The stage of a deal that names none: the first of the default pipeline. */
export function firstStage(pipelines: readonly PipelineEntry[]): StagePosition | null {
  const pipeline = pipelines.find(({ isDefault }) => isDefault);
  const [first] = pipeline?.stages ?? [];
  return pipeline && first ? { pipelineId: pipeline.id, stageId: first.id } : null;
}
