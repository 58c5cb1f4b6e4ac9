/**
 * Check of a `deal` step, made before the deal is asked. A deal's refusal is final, so the run
 * continues without it.
 *
 * 1. A step that creates or changes a deal either asks the deal or leaves a note in the
 *    conversation.
 * 2. A `move` or `close` for a contact without a deal is no problem: it does nothing.
 */
import type { StepOf } from '../../../shared/provisioning/flow-steps.ts';
import type { Appended } from '../conversation.ts';
import type { FlowContext } from './context.ts';
import { stageNamed } from './effects.ts';
import type { Run } from './run.ts';

export interface Unable {
  /** For the log. */
  readonly reason: 'stage_not_found' | 'deal_not_found' | 'deal_closed';
  /** For the team, in the conversation. */
  readonly note: string;
}

/** The decision of a step. */
export interface StepDecision extends Appended {
  /** Why the step did nothing; the message explains it to the team. */
  readonly unable?: Unable['reason'];
}

const UNDONE = {
  create: 'o negócio não foi criado',
  move: 'o negócio não foi movido',
  close: 'o negócio não foi fechado',
} as const;

type Facts = Pick<FlowContext, 'stages' | 'ownDeal'>;

/** Null where the step can proceed. */
export function unableDeal(
  step: StepOf<'deal'>,
  run: Run,
  { stages = [], ownDeal }: Facts,
): Unable | null {
  const of = (reason: Unable['reason'], why: string): Unable => ({
    reason,
    note: `Fluxo "${run.flowName}", etapa "${step.id}": ${UNDONE[step.action]}, porque ${why}.`,
  });
  if (step.stage !== undefined && stageNamed(step.stage, stages) === null) {
    return of('stage_not_found', `não há a etapa "${step.stage}" no funil`);
  }
  if (step.action === 'create' || run.dealId === null || ownDeal === undefined) return null;
  if (ownDeal === null) return of('deal_not_found', 'o negócio deste fluxo não existe');
  return ownDeal === 'open' ? null : of('deal_closed', 'ele já está fechado');
}
