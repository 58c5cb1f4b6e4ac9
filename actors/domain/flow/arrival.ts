/** The run's position: its arrival at a step, and the entry that records it. */
import { FLOW_VISITS_MAX, MESSAGE_TEXT_MAX_CHARS } from '../../../shared/limits.ts';
import { parseDuration } from '../../../shared/provisioning/duration.ts';
import type { FlowStep, StepOf } from '../../../shared/provisioning/flow-steps.ts';
import { nextLocalTime } from '../../../shared/time/local-time.ts';
import {
  type Appended,
  appendEntry,
  appendNote,
  type ConversationState,
} from '../conversation/conversation.ts';
import type { Phase, Run, StopReason } from '../flow-run.ts';
import type { FlowContext, StartableFlow } from './context.ts';

export interface CurrentStep<S extends FlowStep = FlowStep> {
  readonly run: Run;
  readonly step: S;
  readonly context: FlowContext;
}

export type Arrival = Pick<FlowContext, 'now' | 'steps' | 'org'>;

/** The run at the step `target`. Null ends it: no such step, or FLOW_VISITS_MAX visits are made. */
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
    case 'delay': {
      const until = endOf(step, now, org.timeZone);
      return { kind: 'delay', until, ...(step.typing === true ? { typing: true } : {}) };
    }
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

/** Appends the entry of a step, with the run as it is after the step; null ends the run. */
export function advance(state: ConversationState, run: Run | null, now: number): Appended {
  return appendEntry(withRun(state, run), now);
}

/** Ends the run before its last step: the conversation is open. */
export function stop(state: ConversationState, now: number, reason?: StopReason): Appended {
  const why = reason === undefined ? {} : { reason };
  return { ...advance(state, null, now), stopped: true, ...why };
}

/** Appends a note of the flow. */
export function withNote(
  state: ConversationState,
  { run, text, now }: { readonly run: Run; readonly text: string; readonly now: number },
): Appended {
  const author = { kind: 'automation', label: run.flowName } as const;
  const bounded = Array.from(text).slice(0, MESSAGE_TEXT_MAX_CHARS).join('');
  return appendNote(state, { text: bounded, author, origin: 'flow' }, now);
}
