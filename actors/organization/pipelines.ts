/**
 * Commands about pipelines: reads the facts of a decision, and commits it in the organization's
 * document (D440).
 *
 * 1. The record of a change stands in the same commit: a repeat is met, not decided again.
 * 2. That a stage has no deals is read before the commit. A deal that enters it meanwhile follows
 *    as the others do (`stage-follower.ts`).
 */
import type { Pipeline } from '../../shared/api/pipeline.ts';
import { failure, renderFailure } from '../../shared/failures.ts';
import { PIPELINE_COMMANDS_MAX } from '../../shared/limits.ts';
import type { AnswerOf, Command } from '../../shared/ports/bus.ts';
import { answerOf } from '../../shared/wire/answer.ts';
import type { ChangePipeline, PipelineCommand } from '../../shared/wire/pipeline-commands.ts';
import { audited } from '../domain/organization/audited.ts';
import {
  decideChangePipeline,
  decideCreatePipeline,
  leftOut,
  type PipelineDecision,
  renderPipeline,
} from '../domain/organization/pipelines.ts';
import { knownPipelines, type LeftStage, type OrganizationState } from '../domain/organization.ts';
import type { Environment } from '../environment.ts';
import type { Store } from '../model/collections.ts';

type Answered = AnswerOf<{ readonly data: Pipeline }>;
type Asked<Sent extends PipelineCommand> = Sent & Pick<Command, 'by'>;

export function isPipelineCommand(command: Pick<Command, 'type'>): command is PipelineCommand {
  return command.type === 'pipelines.create' || command.type === 'pipelines.change';
}

export interface PipelineChanging {
  readonly environment: Environment;
  readonly state: OrganizationState | null;
  /** @throws {StaleState} */
  readonly commit: (next: OrganizationState) => Promise<unknown>;
}

export async function answerPipelines(
  { environment, state, commit }: PipelineChanging,
  command: Asked<PipelineCommand>,
): Promise<Answered> {
  if (!state || state.removed === true) return renderFailure(failure('organization_not_found'));
  const status = command.type === 'pipelines.create' ? 201 : 200;
  const done = state.pipelineCommands ?? [];
  if (done.includes(command.id)) return answered(state, pipelineOf(command), status);
  const decision = await decide(environment, state, command);
  if ('refused' in decision) return renderFailure(decision.refused);
  const { leftStages: _left, formerStageNames: _former, audit: _written, ...rest } = state;
  const next: OrganizationState = {
    ...{ ...rest, ...decision.accepted },
    pipelineCommands: [...done, command.id].slice(-PIPELINE_COMMANDS_MAX),
    version: state.version + 1,
  };
  await commit(withAudit(environment, next, command));
  return answered(next, decision.pipelineId, status);
}

function pipelineOf(command: PipelineCommand): string {
  return command.type === 'pipelines.create' ? command.id : command.pipelineId;
}

function answered({ pipelines = [] }: OrganizationState, id: string, status: number): Answered {
  const pipeline = pipelines.find((each) => each.id === id);
  if (!pipeline) return renderFailure(failure('pipeline_not_found'));
  return answerOf({ data: renderPipeline(pipeline) }, status);
}

async function decide(
  { store, ids }: Environment,
  state: OrganizationState,
  command: PipelineCommand,
): Promise<PipelineDecision> {
  const newStageId = (position: number) => ids.derive('stg', command.id, String(position));
  if (command.type === 'pipelines.create') {
    const known = knownPipelines(state, { ids, orgId: state.id });
    return decideCreatePipeline(state, known, command, newStageId);
  }
  const withDeals = await stagesWithDeals(store, state, unnamed(state, command));
  return decideChangePipeline(state, command, {
    newStageId,
    hasDeals: (stageId) => withDeals.has(stageId),
  });
}

/** The removed stages whose deals have nowhere to go. */
function unnamed(
  { pipelines = [] }: OrganizationState,
  { pipelineId, stages, moveTo = {} }: ChangePipeline,
): readonly string[] {
  const before = pipelines.find(({ id }) => id === pipelineId);
  return before ? leftOut(before, stages).filter((id) => moveTo[id] === undefined) : [];
}

/** Those of the stages that have deals, or whose deals are on their way. */
export async function stagesWithDeals(
  store: Pick<Store, 'findOne'>,
  { id: orgId, leftStages = [] }: Pick<OrganizationState, 'id' | 'leftStages'>,
  stageIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const found = stageIds.map(async (stageId) => {
    const $in = [stageId, ...movingTo(leftStages, stageId)];
    const filter = { 'state.orgId': orgId, 'state.stageId': { $in } };
    const deal = await store.findOne('deals', filter, { project: { _id: 1 } });
    return deal === null ? [] : [stageId];
  });
  return new Set((await Promise.all(found)).flat());
}

/** Removed stages whose deals may still be on their way to a stage. */
export function movingTo(
  leftStages: readonly LeftStage[] | undefined,
  stageId: string,
): readonly string[] {
  const moving = (leftStages ?? []).filter((left) => left.moving === true && left.to === stageId);
  return moving.map(({ id }) => id);
}

function withAudit(
  { ids, clock }: Environment,
  next: OrganizationState,
  { by, ...command }: Asked<PipelineCommand>,
): OrganizationState {
  if (!by) return next;
  const { name } = command;
  const subject = { kind: 'pipeline', id: pipelineOf(command) };
  const details = name === undefined ? {} : { name };
  const context = { by, ids, now: clock.now() };
  return audited(next, command, { context, subject, details });
}
