/** Pipelines: well, and gone wrong. */
import { call, DEAL, delivery, type Ended, inTurn, show, store } from './fixture.ts';
import type { Call, Pipeline, Request, StoredDeal } from './history.ts';
import { pipelines } from './pipelines.ts';

const pipeline = (name: string, ...stages: readonly string[]): Pipeline => ({
  ...{ id: 'pip_1', name },
  stages: stages.map((stage) => ({ id: `stg_${stage}`, name: stage })),
});
const made = call('pipeline-create', {}, { pipeline: pipeline('p', 'a', 'b') });
const change = (to: Request['pipeline'], ended: Ended = {}) =>
  call('pipeline-change', { pipelineId: 'pip_1', pipeline: to }, ended);
const rest = (now: Pipeline, ...calls: readonly Call[]) => ({
  calls: inTurn(made, ...calls),
  store: store({ pipelines: [now] }),
  endedAt: 1_000,
});

const asks = (ended: Ended = { id: 'deal_1' }) =>
  call('stage-deal', { title: 'first', stageId: 'stg_a' }, ended);
const deal = (stageId: string): StoredDeal => ({ ...DEAL, stageId, readAt: 1_000 });
const told = (event: string, stageId: string, ms: number) =>
  delivery(event, 'deal_1', {
    ...{ id: `dlv_${ms}`, occurredAt: String(ms) },
    deal: { ...DEAL, stageId, updatedAt: new Date(ms).toISOString() },
  });
const life = (last: string, ...stages: readonly string[]) => ({
  calls: [asks()],
  deals: [deal(`stg_${last}`)],
  deliveries: stages.map((stage, at) =>
    told(at === 0 ? 'deal.created' : 'deal.stage_changed', `stg_${stage}`, at),
  ),
  store: store({ pipelines: [pipeline('p', 'a', 'b', 'c')] }),
});

show(pipelines, {
  anOrderExplainsEach: {
    well: [
      rest(pipeline('p', 'a', 'b')),
      rest(pipeline('q', 'b', 'c'), change({ name: 'q' }), change({ stages: ['b', 'c'] })),
      rest(pipeline('p', 'a', 'b'), change({ name: 'q' }, 409), change({ name: 'r' }, 'unknown')),
      rest(pipeline('r', 'a', 'b'), change({ name: 'r' }, 'unknown')),
    ],
    'no order of 1 calls explains pip_1': [
      rest(pipeline('p', 'a', 'b'), change({ name: 'q' })),
      rest(pipeline('q', 'a', 'b'), change({ name: 'q' }, 409)),
      // Half of it.
      rest(pipeline('q', 'a', 'b'), change({ name: 'q', stages: ['b'] })),
    ],
    'pipeline pip_1 was answered and is not there': [
      { calls: [made], store: store({ pipelines: [] }) },
    ],
  },
  eachDealIsThereOnce: {
    well: [life('a', 'a'), { calls: [asks(422)], store: store() }],
    'the deal first was accepted and is lost': [{ calls: [asks()], store: store() }],
  },
  noDealIsLeftBehind: {
    well: [life('b', 'a', 'b')],
    'first (deal_1) is in stg_x, which was removed': [life('x', 'a', 'x')],
  },
  eventsLeadFromStageToStage: {
    well: [life('a', 'a'), life('c', 'a', 'b', 'c')],
    'first (deal_1) went stg_a and is in stg_b': [life('b', 'a')],
    'first (deal_1) went stg_a > stg_b > stg_b': [life('b', 'a', 'b', 'b')],
    'first (deal_1) went stg_a > stg_b > stg_a': [life('a', 'a', 'b', 'a')],
  },
});
