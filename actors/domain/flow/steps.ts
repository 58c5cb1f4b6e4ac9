/** Execution of a flow's steps: the entry of each step, and its commands to other actors. */
import {
  CAPTION_MAX_CHARS,
  FLOW_HOPS_MAX,
  MEMBER_ANSWER_PAUSE_MS,
  MESSAGE_TEXT_MAX_CHARS,
} from '../../../shared/limits.ts';
import type { StoredMessage } from '../../../shared/message.ts';
import type { FlowStep, StepOf } from '../../../shared/provisioning/flow-steps.ts';
import { type Appended, append, type ConversationState, decideSend } from '../conversation.ts';
import { arrive, durationMs, nextEntry, withRun } from './arrive.ts';
import { holds } from './conditions.ts';
import { type FlowContext, scopeOf } from './context.ts';
import { type StepDecision, type Unable, unableDeal } from './deal-step.ts';
import { effectsOf } from './effects.ts';
import type { Run } from './run.ts';
import { renderTemplate } from './template.ts';

export interface CurrentStep<S extends FlowStep = FlowStep> {
  readonly step: S;
  readonly context: FlowContext;
}

/** Decides a step that does not wait; timer, answer or call end those that wait. */
export function decideStep(
  state: ConversationState,
  run: Run,
  { step, context }: CurrentStep,
): StepDecision | null {
  switch (step.do) {
    case 'send':
      return sendText(state, run, { step, context });
    case 'choose': {
      const chosen = step.cases.find(({ when }) => holds(when, run, context));
      return advance(state, run, { target: chosen ? chosen.next : step.else, context });
    }
    case 'assign':
      return advance(assigned(state, step.member), run, { target: step.next, context });
    case 'set':
    case 'tag':
    case 'untag':
    case 'opt':
    case 'deal':
    case 'task':
      return applyEffects(state, run, { step, context });
    case 'start':
      return switchFlow(state, run, context);
    case 'handoff':
      return handOff(state, run, { step, context });
    case 'end': {
      const ended = withRun(nextEntry(state, context.now), null);
      return plain({ ...ended, status: step.status ?? 'open' });
    }
    case 'wait':
    case 'delay':
    case 'http':
      return null;
    default:
      return step satisfies never;
  }
}

interface Advance {
  readonly target: string | null;
  readonly context: FlowContext;
}

function advance(state: ConversationState, run: Run, { target, context }: Advance): Appended {
  return plain(withRun(nextEntry(state, context.now), arrive(run, target, context)));
}

function plain(state: ConversationState): Appended {
  return { state, queued: false, outbox: [] };
}

function ended(state: ConversationState, now: number): Appended {
  return plain(withRun(nextEntry(state, now), null));
}

/**
 * An empty text sends no message, and a missing file is left out: the run continues. With a file
 * the text is its caption.
 */
function sendText(
  state: ConversationState,
  run: Run,
  { step, context }: CurrentStep<StepOf<'send'>>,
): Appended {
  const rendered = renderTemplate(step.text ?? '', scopeOf(state, run, context));
  if ('failed' in rendered) return ended(state, context.now);
  const file = context.file ?? null;
  const most = file ? CAPTION_MAX_CHARS : MESSAGE_TEXT_MAX_CHARS;
  const text = Array.from(rendered.text.trim()).slice(0, most).join('');
  if (text === '' && !file) return advance(state, run, { target: step.next, context });
  const content = file
    ? { text: text === '' ? null : text, ...file }
    : { text, kind: 'text' as const, media: null };
  const draft = { ...content, authorLabel: run.flowName, origin: 'flow' as const };
  const sent = decideSend(state, draft, context.now);
  return { ...sent, state: withRun(sent.state, arrive(run, step.next, context)) };
}

type EffectStep = StepOf<'set' | 'tag' | 'untag' | 'opt' | 'deal' | 'task'>;

/** Commands to other actors are published before the next step. */
function applyEffects(
  state: ConversationState,
  run: Run,
  { step, context }: CurrentStep<EffectStep>,
): StepDecision {
  const scope = scopeOf(state, run, context);
  const created = step.do === 'deal' && step.action === 'create';
  const known = created ? { ...run, dealId: context.nameOf('deal') } : run;
  const unable = step.do === 'deal' ? unableDeal(step, run, context) : null;
  if (unable) return leaveNote(state, known, { unable, target: step.next ?? null, context });
  const outbox = effectsOf(step, { state, scope, context });
  if (outbox === null) return ended(state, context.now);
  return { ...advance(state, known, { target: step.next ?? null, context }), outbox };
}

interface FailedStep extends Advance {
  readonly unable: Unable;
}

/**
 * The run continues, and a note reports the failed step. The id of a deal that was not created
 * stays in the run: no later step changes another deal instead.
 */
function leaveNote(
  state: ConversationState,
  run: Run,
  { unable, target, context }: FailedStep,
): StepDecision {
  const { now } = context;
  const message = noteOf(run, unable.note, Math.max(state.at, now));
  const noted = withRun(append(state, message, now), arrive(run, target, context));
  return { ...plain(noted), message, unable: unable.reason };
}

function switchFlow(state: ConversationState, run: Run, context: FlowContext): Appended {
  const { other, now } = context;
  if (!other || run.hops >= FLOW_HOPS_MAX) return ended(state, now);
  const { flowId, name: flowName, versionId, steps, firstStepId } = other;
  const over = { ...run, flowId, flowName, versionId, hops: run.hops + 1 };
  const begun = arrive(over, firstStepId, { ...context, steps });
  return plain(withRun(nextEntry(state, now), begun));
}

/** The flow ends and a person continues: automation pauses as after a person's answer. */
function handOff(
  state: ConversationState,
  run: Run,
  { step, context }: CurrentStep<StepOf<'handoff'>>,
): Appended {
  const { now } = context;
  const pauseMs = step.pause === undefined ? MEMBER_ANSWER_PAUSE_MS : durationMs(step.pause);
  const member = step.member === undefined ? state : assigned(state, step.member);
  const paused = {
    ...member,
    automationPausedUntil: Math.max(state.automationPausedUntil ?? 0, now + pauseMs),
  };
  if (step.note === undefined) return ended(paused, now);
  const rendered = renderTemplate(step.note, scopeOf(state, run, context));
  const text = 'failed' in rendered ? '' : rendered.text.trim();
  if (text === '') return ended(paused, now);
  const message = noteOf(run, text, Math.max(state.at, now));
  return { ...plain(withRun(append(paused, message, now), null)), message };
}

function noteOf(run: Run, text: string, createdAt: number): StoredMessage {
  return {
    revision: 1,
    direction: 'note',
    kind: 'text',
    text: Array.from(text).slice(0, MESSAGE_TEXT_MAX_CHARS).join(''),
    media: null,
    author: { kind: 'automation', label: run.flowName },
    status: 'received',
    receipts: { sent: null, delivered: null, read: null },
    externalId: null,
    replyToId: null,
    transcript: null,
    origin: 'flow',
    createdAt,
  };
}

/** @param memberId null: no member */
function assigned(state: ConversationState, memberId: string | null): ConversationState {
  const { participants } = state;
  const joins = memberId !== null && !participants.includes(memberId);
  return {
    ...state,
    assignedTo: memberId,
    participants: joins ? [...participants, memberId] : participants,
  };
}
