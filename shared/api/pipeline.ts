/** Schemas of pipelines in requests and answers (C2.8, D440). */
import * as v from 'valibot';
import { PIPELINE_NAME_MAX_CHARS, STAGES_MAX_PER_PIPELINE } from '../limits.ts';
import {
  anyIdText,
  id,
  idText,
  listUpTo,
  nameBetween,
  requestObject,
  textMap,
  wholeCount,
} from './fields.ts';
import { atLeastChars } from './sentences.ts';

/** Sentences about pipelines in `issues[].message`. */
export const PIPELINE_SENTENCES = {
  nothingToChange: 'Informe ao menos um campo para alterar.',
  noStages: 'O funil precisa de ao menos uma etapa.',
  onlyTrue: 'Deve ser true: outro funil vira o padrão no lugar deste.',
  otherPipeline: 'Não é uma etapa deste funil.',
  stageTwice: 'A etapa já está na lista.',
  nameTwice: 'Outra etapa do funil já tem este nome.',
  notRemoved: 'A etapa não sai do funil nesta chamada.',
  notKept: 'Deve ser uma etapa que fica no funil.',
} as const;

export const PipelineSchema = v.object({
  id,
  name: v.string(),
  isDefault: v.boolean(),
  stages: v.array(v.object({ id, name: v.string(), position: wholeCount })),
});
export type Pipeline = v.InferOutput<typeof PipelineSchema>;

export const ListPipelinesAnswer = v.object({ data: v.array(PipelineSchema) });
export const PipelineAnswer = v.object({ data: PipelineSchema });

const name = v.pipe(
  nameBetween(1, PIPELINE_NAME_MAX_CHARS),
  v.check((text) => text.trim() !== '', atLeastChars(1)),
);

function stagesOf<Stage>(stage: v.GenericSchema<unknown, Stage>) {
  return v.pipe(
    listUpTo(stage, STAGES_MAX_PER_PIPELINE),
    v.minLength(1, PIPELINE_SENTENCES.noStages),
  );
}

export const CreatePipelineBody = requestObject({
  name,
  stages: stagesOf(requestObject({ name })),
});

export const ChangePipelineBody = v.pipe(
  requestObject({
    name: v.optional(name),
    isDefault: v.optional(v.literal(true, PIPELINE_SENTENCES.onlyTrue)),
    stages: v.optional(stagesOf(requestObject({ id: v.optional(idText), name }))),
    moveTo: v.optional(textMap({ value: anyIdText, max: STAGES_MAX_PER_PIPELINE })),
  }),
  v.check(
    ({ name, isDefault, stages }) => (name ?? isDefault ?? stages) !== undefined,
    PIPELINE_SENTENCES.nothingToChange,
  ),
);
