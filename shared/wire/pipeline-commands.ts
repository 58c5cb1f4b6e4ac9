/** Commands about pipelines to `organization`, key = organization id. Both answer `{data}`. */
import type { Origin } from '../vocabulary.ts';

/** The pipeline takes the command's id. Answers 201. */
export interface CreatePipeline {
  readonly id: string;
  readonly type: 'pipelines.create';
  readonly name: string;
  /** In board order. */
  readonly stages: readonly { readonly name: string }[];
}

/** A stage of a new order: one that is there, or without an id a new one. */
export interface OrderedStage {
  readonly id?: string;
  readonly name: string;
}

/** An absent property stays as it is. Answers 200. */
export interface ChangePipeline {
  readonly id: string;
  readonly type: 'pipelines.change';
  readonly pipelineId: string;
  readonly name?: string;
  readonly isDefault?: true;
  /** The whole new order: a stage that it leaves out is removed. */
  readonly stages?: readonly OrderedStage[];
  /** By the id of a removed stage, the stage that its deals follow to. */
  readonly moveTo?: Readonly<Record<string, string>>;
  /** Of the events of deals that follow. */
  readonly origin: Origin;
}

export type PipelineCommand = CreatePipeline | ChangePipeline;
