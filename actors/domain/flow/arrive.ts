/** Position of a run after a step: before the next step, inside a waiting one, or at the end. */
import { FLOW_VISITS_MAX } from '../../../shared/limits.ts';
import { parseDuration } from '../../../shared/provisioning/duration.ts';
import type { FlowStep, StepOf } from '../../../shared/provisioning/flow-steps.ts';
import { nextLocalTime } from '../../../shared/time/local-time.ts';
import type { ConversationState } from '../conversation.ts';
import type { OrganizationFacts, StartableFlow, Steps } from './context.ts';
import type { Phase, Run } from './run.ts';

export interface Arrival {
  readonly now: number;
  readonly steps: Steps;
  readonly org: OrganizationFacts;
}

/**
 * The run at the step `target`. Null ends it: there is no such step, or the run has made
 * FLOW_VISITS_MAX visits.
 */
export function arrive(run: Run, target: string | null, arrival: Arrival): Run | null {
  const step = target === null ? undefined : arrival.steps.get(target);
  if (!step || run.visit >= FLOW_VISITS_MAX) return null;
  return { ...run, stepId: step.id, visit: run.visit + 1, phase: phaseOf(step, arrival) };
}

function phaseOf(step: FlowStep, { now, org }: Arrival): Phase {
  switch (step.do) {
    case 'wait': {
      const until = step.timeout === undefined ? null : now + durationMs(step.timeout);
      return { kind: 'answer', until, gathered: null, gatherUntil: null };
    }
    case 'delay':
      return { kind: 'delay', until: endOf(step, now, org.timeZone) };
    case 'http':
      return { kind: 'call' };
    default:
      return { kind: 'ready' };
  }
}

function endOf(step: StepOf<'delay'>, now: number, timeZone: string): number {
  if (step.for !== undefined) return now + durationMs(step.for);
  const { until: time = '00:00', weekdays } = step;
  return nextLocalTime({ time, weekdays }, now, timeZone);
}

/** Milliseconds of a duration that was checked when the flow was applied. */
export function durationMs(duration: string): number {
  return parseDuration(duration) ?? 0;
}

/** A run of the flow at its first step; null for a flow without that step. */
export function beginRun(id: string, flow: StartableFlow, arrival: Arrival): Run | null {
  const fresh: Run = {
    id,
    flowId: flow.flowId,
    flowName: flow.name,
    versionId: flow.versionId,
    stepId: flow.firstStepId,
    visit: 0,
    phase: { kind: 'ready' },
    answers: {},
    parsed: [],
    hops: 0,
    dealId: null,
    startedAt: arrival.now,
  };
  return arrive(fresh, flow.firstStepId, { ...arrival, steps: flow.steps });
}

/** The state with the advanced run; null ends the run and leaves the conversation open (D9). */
export function withRun(state: ConversationState, run: Run | null): ConversationState {
  return { ...state, run, status: run ? 'in_flow' : 'open' };
}

/** The next entry of the log, without a message. */
export function nextEntry(state: ConversationState, now: number): ConversationState {
  return { ...state, seq: state.seq + 1, at: Math.max(state.at, now) };
}
