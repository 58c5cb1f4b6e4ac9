/**
 * Pipelines (D440). Each is at rest as the calls that changed it explain, whole or not at all. An
 * open deal of a removed stage is in a stage that is there; it went there through events that lead
 * from stage to stage, none of them twice.
 */
import { type Checker, callsOf, fromStore, grouped, presence } from './checker.ts';
import type { Call, Deal, History, Pipeline } from './history.ts';
import { isExplained } from './registers.ts';

interface State {
  readonly name: string;
  readonly stages: readonly string[];
}

function stateOf({ name, stages }: Pipeline): State {
  return { name, stages: stages.map((stage) => stage.name) };
}

function changed(state: State, { request: { pipeline } }: Call): State {
  return { name: pipeline?.name ?? state.name, stages: pipeline?.stages ?? state.stages };
}

const anOrderExplainsEach = fromStore(({ pipelines = [] }, history) => {
  const there = new Map(pipelines.map((pipeline) => [pipeline.id, pipeline]));
  const changes = grouped(callsOf(history, 'pipeline-change'), ({ request }) => {
    return request.pipelineId ?? '';
  });
  return callsOf(history, 'pipeline-create').flatMap(({ answer }) => {
    const made = answer?.pipeline;
    if (!made) return [];
    const last = there.get(made.id);
    if (!last) return [`pipeline ${made.id} was answered and is not there`];
    const calls = changes.of(made.id);
    const [initial, now] = [stateOf(made), stateOf(last)];
    const readAt = history.endedAt;
    return isExplained({ initial, last: now, readAt, calls, apply: changed })
      ? []
      : [`no order of ${calls.length} calls explains ${made.id}: ${JSON.stringify(now)}`];
  });
});

const eachDealIsThereOnce = fromStore((_, history) => {
  const found = grouped(history.deals, ({ title }) => title);
  const asked = grouped(callsOf(history, 'stage-deal'), ({ request }) => request.title ?? '');
  return [...asked.groups].flatMap(([title, calls]) => {
    const ids = found.of(title).map(({ id }) => id);
    return presence(`the deal ${title}`, calls, ids);
  });
});

const noDealIsLeftBehind = fromStore(({ pipelines = [] }, history) => {
  const there = new Set(pipelines.flatMap(({ stages }) => stages.map(({ id }) => id)));
  return dealsOf(history).flatMap(({ id, title, stageId }) =>
    there.has(stageId) ? [] : [`${title} (${id}) is in ${stageId}, which was removed`],
  );
});

/** What a deal is moved to is never removed in favour of where it was. */
const eventsLeadFromStageToStage = fromStore((_, history) => {
  const events = history.deliveries.flatMap(({ event, deal }) => (deal ? [{ event, deal }] : []));
  const told = grouped(events, ({ deal }) => deal.id);
  return dealsOf(history).flatMap(({ id, title, stageId }) => {
    const mine = told.of(id);
    const made = mine.find(({ event }) => event === 'deal.created')?.deal;
    if (made === undefined) return [];
    const moves = mine
      .filter(({ event }) => event === 'deal.stage_changed')
      .map(({ deal }) => deal)
      .toSorted((one, other) => momentOf(one) - momentOf(other));
    const stages = [made, ...moves].map((deal) => deal.stageId);
    const isTwice = new Set(stages).size < stages.length;
    if (isTwice) return [`${title} (${id}) went ${stages.join(' > ')}`];
    return stages.at(-1) === stageId
      ? []
      : [`${title} (${id}) went ${stages.join(' > ')} and is in ${stageId}`];
  });
});

function momentOf({ updatedAt }: Deal): number {
  return Date.parse(updatedAt);
}

/** Deals that nobody changes but the pipelines. */
export function titlesOf(history: History): ReadonlySet<string | undefined> {
  return new Set(callsOf(history, 'stage-deal').map(({ request }) => request.title));
}

function dealsOf(history: History): History['deals'] {
  const titles = titlesOf(history);
  return history.deals.filter(({ title }) => titles.has(title));
}

export const pipelines: Checker = {
  rules: {
    anOrderExplainsEach,
    eachDealIsThereOnce,
    noDealIsLeftBehind,
    eventsLeadFromStageToStage,
  },
  counted: (history) => {
    const ids = new Set(dealsOf(history).map(({ id }) => id));
    const moves = history.deliveries.filter(
      ({ event, subject }) => event === 'deal.stage_changed' && ids.has(subject),
    );
    return {
      changes: callsOf(history, 'pipeline-change').length,
      deals: ids.size,
      followed: moves.length,
    };
  },
};
