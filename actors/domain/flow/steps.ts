/** Execution of a flow's steps: each step's entry and commands, and the run's position after it. */
import { FLOW_HOPS_MAX, MEMBER_ANSWER_PAUSE_MS } from '../../../shared/limits.ts';
import { renderTemplate } from '../../../shared/liquid/template.ts';
import type { StepOf } from '../../../shared/provisioning/flow-steps.ts';
import type { Appended, ConversationState } from '../conversation/conversation.ts';
import { assigned } from '../conversation/member-actions.ts';
import type { Run } from '../flow-run.ts';
import {
  advance,
  arrive,
  type CurrentStep,
  durationMs,
  stop,
  withNote,
  withRun,
} from './arrival.ts';
import { holds } from './conditions.ts';
import { type FlowContext, scopeOf } from './context.ts';
import { type EffectStep, effectsOf, unableDeal } from './effects.ts';
import { decideSendStep } from './send.ts';
import type { StepDecision } from './unable.ts';

/** Decides a step that does not wait; timer, answer or call end those that wait. */
export function decideStep(state: ConversationState, current: CurrentStep): StepDecision | null {
  const { run, step, context } = current;
  const { now } = context;
  switch (step.do) {
    case 'send':
      return decideSendStep(state, { run, step, context });
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
  const outbox = effectsOf(step, { run, state, scope: scopeOf(state, run, context), context });
  return outbox ? { ...advance(state, next, now), outbox } : stop(state, now, 'template_failed');
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
