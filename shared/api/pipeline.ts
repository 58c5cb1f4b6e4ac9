/** Pipelines as the service shows them (C2.8). */
import * as v from 'valibot';
import { id, wholeCount } from './fields.ts';

export const PipelineSchema = v.object({
  id,
  name: v.string(),
  isDefault: v.boolean(),
  stages: v.array(v.object({ id, name: v.string(), position: wholeCount })),
});
export type Pipeline = v.InferOutput<typeof PipelineSchema>;

export const ListPipelinesAnswer = v.object({ data: v.array(PipelineSchema) });
