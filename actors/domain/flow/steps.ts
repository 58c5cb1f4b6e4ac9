/** Execution of a flow's steps: each step's entry and commands, and the run's position after it. */
import {
  CAPTION_MAX_CHARS,
  FLOW_HOPS_MAX,
  FLOW_VISITS_MAX,
  MEMBER_ANSWER_PAUSE_MS,
  MESSAGE_TEXT_MAX_CHARS,
} from '../../../shared/limits.ts';
import { parseDuration } from '../../../shared/provisioning/duration.ts';
import type { FlowStep, StepOf } from '../../../shared/provisioning/flow-steps.ts';
import { nextLocalTime } from '../../../shared/time/local-time.ts';
import {
  type Appended,
  appendEntry,
  appendNote,
  type ConversationState,
  decideSend,
} from '../conversation.ts';
import { assigned } from '../member-actions.ts';
import { holds } from './conditions.ts';
import { type FlowContext, type StartableFlow, scopeOf } from './context.ts';
import { type EffectStep, effectsOf, type StepDecision, unableDeal } from './effects.ts';
import type { Phase, Run } from './run.ts';
import { renderTemplate } from './template.ts';

export interface CurrentStep<S extends FlowStep = FlowStep> {
  readonly run: Run;
  readonly step: S;
  readonly context: FlowContext;
}

/** Decides a step that does not wait; timer, answer or call end those that wait. */
export function decideStep(state: ConversationState, current: CurrentStep): StepDecision | null {
  const { run, step, context } = current;
  const { now } = context;
  switch (step.do) {
    case 'send':
      return sendText(state, { run, step, context });
    case 'choose': {
      const chosen = step.cases.find(({ when }) => holds(when, run, context));
      const target = chosen ? chosen.next : step.else;
      return advance(state, arrive(run, target, context), now);
    }
    case 'assign':
      return advance(assigned(state, step.member), arrive(run, step.next, context), now);
    case 'set':
    case 'tag':
    case 'untag':
    case 'opt':
    case 'deal':
    case 'task':
      return applyEffects(state, { run, step, context });
    case 'start':
      return switchFlow(state, run, context);
    case 'handoff':
      return handOff(state, { run, step, context });
    case 'end': {
      const ended = advance(state, null, now);
      return { ...ended, state: { ...ended.state, status: step.status ?? 'open' } };
    }
    case 'wait':
    case 'delay':
    case 'http':
      return null;
    default:
      return step satisfies never;
  }
}

/**
 * An empty text sends no message, and a missing file is left out: the run continues. The text of a
 * file is its caption.
 */
function sendText(state: ConversationState, { run, step, context }: CurrentStep<StepOf<'send'>>) {
  const rendered = renderTemplate(step.text ?? '', scopeOf(state, run, context));
  if ('failed' in rendered) return advance(state, null, context.now);
  const file = context.file ?? null;
  const most = file ? CAPTION_MAX_CHARS : MESSAGE_TEXT_MAX_CHARS;
  const text = Array.from(rendered.text.trim()).slice(0, most).join('');
  const next = arrive(run, step.next, context);
  if (text === '' && !file) return advance(state, next, context.now);
  const content = file
    ? { text: text === '' ? null : text, ...file }
    : { text, kind: 'text' as const, media: null };
  const draft = { ...content, authorLabel: run.flowName, origin: 'flow' as const };
  const sent = decideSend(state, draft, context.now);
  return { ...sent, state: withRun(sent.state, next) };
}

/**
 * Commands to other actors are published before the next step. Where a deal step fails, the run
 * continues, and a note reports it. The id of a deal that was not created stays in the run: no
 * later step changes another deal instead.
 */
function applyEffects(state: ConversationState, current: CurrentStep<EffectStep>): StepDecision {
  const { run, step, context } = current;
  const { now } = context;
  const created = step.do === 'deal' && step.action === 'create';
  const known = created ? { ...run, dealId: context.nameOf('deal') } : run;
  const next = arrive(known, step.next ?? null, context);
  const unable = step.do === 'deal' ? unableDeal(step, run, context) : null;
  if (unable) {
    const noted = withNote(withRun(state, next), { run, text: unable.note, now });
    return { ...noted, unable: unable.reason };
  }
  const outbox = effectsOf(step, { state, scope: scopeOf(state, run, context), context });
  return outbox ? { ...advance(state, next, now), outbox } : advance(state, null, now);
}

function switchFlow(state: ConversationState, run: Run, context: FlowContext): Appended {
  const { other, now } = context;
  if (!other || run.hops >= FLOW_HOPS_MAX) return advance(state, null, now);
  const { flowId, name: flowName, versionId, steps, firstStepId } = other;
  const over = { ...run, flowId, flowName, versionId, hops: run.hops + 1 };
  return advance(state, arrive(over, firstStepId, { ...context, steps }), now);
}

/** The flow ends and a person continues: automation pauses as after a person's answer. */
function handOff(state: ConversationState, current: CurrentStep<StepOf<'handoff'>>): Appended {
  const { run, step, context } = current;
  const { now } = context;
  const pauseMs = step.pause === undefined ? MEMBER_ANSWER_PAUSE_MS : durationMs(step.pause);
  const member = step.member === undefined ? state : assigned(state, step.member);
  const paused = {
    ...member,
    automationPausedUntil: Math.max(state.automationPausedUntil ?? 0, now + pauseMs),
  };
  const rendered = renderTemplate(step.note ?? '', scopeOf(state, run, context));
  const text = 'failed' in rendered ? '' : rendered.text.trim();
  if (text === '') return advance(paused, null, now);
  return withNote(withRun(paused, null), { run, text, now });
}

/** Appends a note of the flow. */
function withNote(
  state: ConversationState,
  { run, text, now }: { readonly run: Run; readonly text: string; readonly now: number },
): Appended {
  const author = { kind: 'automation', label: run.flowName } as const;
  const bounded = Array.from(text).slice(0, MESSAGE_TEXT_MAX_CHARS).join('');
  return appendNote(state, { text: bounded, author, origin: 'flow' }, now);
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

/** Appends the entry of a step, with the run as it is after the step; null ends the run. */
export function advance(state: ConversationState, run: Run | null, now: number): Appended {
  return appendEntry(withRun(state, run), now);
}
