/**
 * Decisions about an organization's pipelines (C2.8, D440, D441): each whole, or not at all.
 *
 * 1. The id of a stage is its own for ever: a new name or a new place keeps it, and no other stage
 *    is given it.
 * 2. A removed stage is on record with a stage that is there: the one that the caller names, else
 *    the first of its pipeline. So a deal that enters it at the same moment has a place to go to.
 * 3. A stage without deals needs no such name; deals are never moved without one.
 * 4. A former name finds its stage until another stage takes it (`stage-names.ts`).
 * 5. One pipeline is the default one.
 */
import { PIPELINE_SENTENCES, type Pipeline } from '../../../shared/api/pipeline.ts';
import { type Failure, failure, type Issue, invalid } from '../../../shared/failures.ts';
import { LEFT_STAGES_MAX, PIPELINES_MAX } from '../../../shared/limits.ts';
import type {
  ChangePipeline,
  CreatePipeline,
  OrderedStage,
} from '../../../shared/wire/pipeline-commands.ts';
import type { LeftStage, OrganizationState, PipelineEntry, StageEntry } from '../organization.ts';
import { foldStageName, formerNamesAfter } from '../stage-names.ts';

export type Pipelines = Pick<OrganizationState, 'pipelines' | 'leftStages' | 'formerStageNames'>;

export type PipelineDecision =
  | { readonly refused: Failure }
  | { readonly accepted: Pipelines; readonly pipelineId: string };

/** @param known the organization's pipelines, the default one included */
export function decideCreatePipeline(
  state: Pipelines,
  known: readonly PipelineEntry[],
  { id, name, stages }: CreatePipeline,
  newStageId: (position: number) => string,
): PipelineDecision {
  if (known.some((each) => each.id === id)) return { accepted: state, pipelineId: id };
  if (known.length >= PIPELINES_MAX) return { refused: failure('too_many_pipelines') };
  const issues = repeatedNames(stages);
  if (issues.length > 0) return { refused: invalid(...issues) };
  const made: PipelineEntry = {
    ...{ id, name, isDefault: false },
    stages: stages.map((stage, position) => ({ id: newStageId(position), name: stage.name })),
  };
  return { accepted: withPipelines(state, known, [...known, made]), pipelineId: id };
}

/** Ids of the stages that a new order leaves out. */
export function leftOut(
  { stages: before }: Pick<PipelineEntry, 'stages'>,
  stages: readonly { readonly id?: string }[] | undefined,
): readonly string[] {
  if (stages === undefined) return [];
  const kept = new Set(stages.map(({ id }) => id));
  return before.map(({ id }) => id).filter((id) => !kept.has(id));
}

export interface ChangeFacts {
  readonly newStageId: (position: number) => string;
  /** Whether a stage that the change leaves out has deals, closed ones included. */
  readonly hasDeals: (stageId: string) => boolean;
}

export function decideChangePipeline(
  state: Pipelines,
  command: ChangePipeline,
  { newStageId, hasDeals }: ChangeFacts,
): PipelineDecision {
  const { pipelines: known = [] } = state;
  const { pipelineId, stages, moveTo = {} } = command;
  const before = known.find(({ id }) => id === pipelineId);
  if (!before) return { refused: failure('pipeline_not_found') };
  const removed = leftOut(before, stages);
  const issues = issuesOf(before, command, removed);
  if (issues.length > 0) return { refused: invalid(...issues) };
  if (removed.some((id) => moveTo[id] === undefined && hasDeals(id))) {
    return { refused: failure('stage_has_deals') };
  }
  const ordered = stages?.map((stage, position) =>
    orderedStage(before, stage, newStageId(position)),
  );
  const after: PipelineEntry = {
    ...before,
    name: command.name ?? before.name,
    isDefault: before.isDefault || command.isDefault === true,
    stages: ordered ?? before.stages,
  };
  const others = known.map((each) => {
    if (each === before) return after;
    return command.isDefault === true ? { ...each, isDefault: false } : each;
  });
  const leaving = { pipeline: after, removed, moveTo, command };
  return { accepted: withPipelines(withLeft(state, leaving), known, others), pipelineId };
}

function orderedStage({ stages }: PipelineEntry, { id, name }: OrderedStage, newId: string) {
  const known = stages.find((stage) => stage.id === id);
  return known ? { ...known, name } : { id: newId, name };
}

interface Leaving {
  readonly pipeline: PipelineEntry;
  readonly removed: readonly string[];
  readonly moveTo: Readonly<Record<string, string>>;
  readonly command: Pick<ChangePipeline, 'id' | 'origin'>;
}

/** The removed stages on record; those that led to one of them lead to where it leads. */
export function withLeft(
  state: Pipelines,
  { pipeline, removed, moveTo, command }: Leaving,
): Pipelines {
  if (removed.length === 0) return state;
  const first = pipeline.stages[0]?.id ?? '';
  const to = new Map(removed.map((id) => [id, moveTo[id] ?? first]));
  const before = (state.leftStages ?? []).map((left) => {
    const next = to.get(left.to);
    return next === undefined ? left : { ...left, to: next };
  });
  const left = [...to].map(
    ([id, next]): LeftStage => ({
      ...{ id, pipelineId: pipeline.id, to: next },
      ...{ commandId: command.id, origin: command.origin, moving: true },
    }),
  );
  const named = Object.entries(moveTo).flatMap(([id, stageId]) => [{ name: id, stageId }]);
  const former = (state.formerStageNames ?? []).flatMap((each) => {
    const next = to.get(each.stageId);
    if (next === undefined) return [each];
    return moveTo[each.stageId] === undefined ? [] : [{ ...each, stageId: next }];
  });
  return {
    ...state,
    leftStages: bounded([...before, ...left]),
    formerStageNames: [...former, ...named],
  };
}

/** The oldest are forgotten whose deals have followed. */
function bounded(left: readonly LeftStage[]): readonly LeftStage[] {
  const settled = left.filter(({ moving }) => moving !== true);
  const forgotten = new Set(settled.slice(0, Math.max(0, settled.length - LEFT_STAGES_MAX)));
  return left.filter((each) => !forgotten.has(each));
}

/** All deals of a removed stage have followed; null where that is known, or it is back. */
export function withoutMoving(
  { leftStages = [] }: Pipelines,
  { stageId, commandId }: { readonly stageId: string; readonly commandId: string },
): readonly LeftStage[] | null {
  const found = leftStages.find((left) => left.id === stageId && left.commandId === commandId);
  if (found?.moving !== true) return null;
  const { moving: _, ...settled } = found;
  return leftStages.map((left) => (left === found ? settled : left));
}

/** The next pipelines, and the former names that they leave. A stage may be back. */
export function withPipelines(
  { leftStages = [], formerStageNames = [] }: Pipelines,
  before: readonly PipelineEntry[],
  after: readonly PipelineEntry[],
): Pipelines {
  const there = new Set(after.flatMap(({ stages }) => stages.map(({ id }) => id)));
  const left = leftStages.filter(({ id }) => !there.has(id));
  const former = formerNamesAfter({ leftStages, formerStageNames }, before, after);
  return {
    pipelines: after,
    ...(left.length > 0 ? { leftStages: left } : {}),
    ...(former.length > 0 ? { formerStageNames: former } : {}),
  };
}

function issuesOf(
  before: PipelineEntry,
  { stages = [], moveTo = {} }: ChangePipeline,
  removed: readonly string[],
): readonly Issue[] {
  const known = new Set(before.stages.map(({ id }) => id));
  const seen = new Set<string>();
  const ids = stages.flatMap(({ id }, at): Issue[] => {
    const path = `stages.${at}.id`;
    if (id === undefined) return [];
    if (!known.has(id)) return [{ path, message: PIPELINE_SENTENCES.otherPipeline }];
    if (seen.has(id)) return [{ path, message: PIPELINE_SENTENCES.stageTwice }];
    seen.add(id);
    return [];
  });
  const moves = Object.entries(moveTo).flatMap(([from, to]): Issue[] => {
    const path = `moveTo.${from}`;
    if (!removed.includes(from)) return [{ path, message: PIPELINE_SENTENCES.notRemoved }];
    return seen.has(to) ? [] : [{ path, message: PIPELINE_SENTENCES.notKept }];
  });
  return [...ids, ...repeatedNames(stages), ...moves];
}

/** Flows, and people, name a stage of a pipeline without regard to case. */
function repeatedNames(stages: readonly { readonly name: string }[]): readonly Issue[] {
  const seen = new Set<string>();
  return stages.flatMap(({ name }, at): Issue[] => {
    const folded = foldStageName(name);
    if (seen.has(folded)) {
      return [{ path: `stages.${at}.name`, message: PIPELINE_SENTENCES.nameTwice }];
    }
    seen.add(folded);
    return [];
  });
}

/** As the API shows it (C2.8). */
export function renderPipeline({ id, name, isDefault, stages }: PipelineEntry): Pipeline {
  const shown = stages.map((stage: StageEntry, position) => {
    return { id: stage.id, name: stage.name, position };
  });
  return { id, name, isDefault, stages: shown };
}
