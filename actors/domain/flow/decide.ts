/**
 * Decisions of a running flow (docs/flows.md).
 *
 * 1. Every executed step is one entry of the log, named after run + step + visit. A repeat after a
 *    crash finds it there (I19).
 * 2. A contact's answer is part of the entry of its message: none is lost or used twice.
 * 3. Nothing happens within a pause, nor for a contact who has opted out.
 * 4. An obstacle, such as a failing template or a missing step, ends the run.
 */
import { FLOW_ANSWER_MAX_CHARS } from '../../../shared/limits.ts';
import type { FlowStep, StepOf } from '../../../shared/provisioning/flow-steps.ts';
import { phoneKey } from '../../../shared/text/phone-spellings.ts';
import type { Appended, ConversationState } from '../conversation/conversation.ts';
import { isPaused, type Run, type StopReason } from '../flow-run.ts';
import {
  type Arrival,
  advance,
  arrive,
  beginRun,
  type CurrentStep,
  durationMs,
  stop,
  withRun,
} from './arrival.ts';
import type { FlowContext, OrganizationFacts, StartableFlow } from './context.ts';
import { decideStep } from './steps.ts';
import type { StepDecision } from './unable.ts';

interface StartFacts {
  /** The contact's, empty where it is unknown. */
  readonly phone: string;
  readonly optedOut: boolean;
  readonly org: Pick<OrganizationFacts, 'ownNumbers'>;
  readonly now: number;
}

/** Why a start is skipped; null when it may proceed (D10, D410). */
export function skipReason(
  state: ConversationState | null,
  { phone, optedOut, org, now }: StartFacts,
): 'running' | 'paused' | 'opted-out' | 'own-number' | null {
  if (optedOut) return 'opted-out';
  if (org.ownNumbers?.has(phoneKey(phone))) return 'own-number';
  if (state?.run) return 'running';
  return state && isPaused(state, now) ? 'paused' : null;
}

export function decideStart(
  state: ConversationState,
  start: { readonly runId: string; readonly flow: StartableFlow },
  arrival: Arrival,
): Appended {
  return advance(state, beginRun(start.runId, start.flow, arrival), arrival.now);
}

/** The work that is due now; null where the timer was early, or an http call is due first. */
export function decideDue(state: ConversationState, context: FlowContext): StepDecision | null {
  const decided = decideWork(state, context);
  const { budget, now } = context;
  if (decided && budget.exceeded) return stop(state, now, 'over_budget');
  return decided && withSpent(decided, state.run, budget.spent);
}

/** The run after the step remembers what its steps have spent. */
function withSpent<D extends Appended>(decided: D, before: Run | null, units: number): D {
  const { run } = decided.state;
  if (!run || units === 0) return decided;
  const spent = (before?.spent ?? 0) + units;
  return { ...decided, state: { ...decided.state, run: { ...run, spent } } };
}

function decideWork(state: ConversationState, context: FlowContext): StepDecision | null {
  const { run } = state;
  const { now } = context;
  if (!run) return null;
  if (context.contact.optedOut) return decideStop(state, now);
  if (isPaused(state, now)) return dropGathered(state, run, now);
  const step = context.steps.get(run.stepId);
  if (!step) return decideStop(state, now);
  switch (run.phase.kind) {
    case 'ready':
      return decideStep(state, { run, step, context });
    case 'delay':
      return run.phase.until > now || step.do !== 'delay'
        ? null
        : advance(state, arrive({ ...run, hops: 0 }, step.next, context), now);
    case 'answer':
      return step.do === 'wait' ? endWait(state, { run, step, context }) : null;
    case 'call':
      return null;
    default:
      return run.phase satisfies never;
  }
}

/** A person has answered the texts gathered so far: the flow waits for later ones. */
function dropGathered(state: ConversationState, run: Run, now: number): Appended | null {
  if (run.phase.kind !== 'answer' || run.phase.gathered === null) return null;
  const { chosen: _, ...waiting } = run.phase;
  const phase = { ...waiting, gathered: null, gatherUntil: null };
  return advance(state, { ...run, phase }, now);
}

function endWait(state: ConversationState, { run, step, context }: CurrentStep<StepOf<'wait'>>) {
  if (run.phase.kind !== 'answer') return null;
  const { now } = context;
  const { gathered, gatherUntil, until } = run.phase;
  if (gathered !== null) {
    if (gatherUntil === null || gatherUntil > now) return null;
    const answer = { text: gathered, chosen: run.phase.chosen };
    return advance(state, arrive(answered(run, step, answer), step.next, context), now);
  }
  if (until === null || until > now) return null;
  const target = step.onTimeout === undefined ? step.next : step.onTimeout;
  return advance(state, arrive({ ...run, hops: 0 }, target, context), now);
}

/** A contact's message, as an answer to the waiting flow. */
export interface Answering {
  readonly step: FlowStep | undefined;
  readonly text: string;
  /** Id of the button or row that was pressed. */
  readonly chosen?: string | undefined;
  readonly arrival: Arrival;
}

/** The state after a contact's message; the same object where the run does not wait for one. */
export function applyAnswer(state: ConversationState, answering: Answering): ConversationState {
  const { run } = state;
  const { step, text, arrival } = answering;
  if (run?.phase.kind !== 'answer' || step?.do !== 'wait' || isPaused(state, arrival.now)) {
    return state;
  }
  const { gathered } = run.phase;
  const chosen = answering.chosen ?? run.phase.chosen;
  const whole = bounded(gathered === null ? text : `${gathered}\n${text}`);
  if (step.debounce === undefined) {
    return withRun(state, arrive(answered(run, step, { text: whole, chosen }), step.next, arrival));
  }
  const gatherUntil = arrival.now + durationMs(step.debounce);
  const phase = { ...run.phase, gathered: whole, gatherUntil, ...(chosen ? { chosen } : {}) };
  return withRun(state, { ...run, phase });
}

interface GivenAnswer {
  readonly text: string;
  /** Of several messages the last id counts. */
  readonly chosen: string | undefined;
}

function answered(run: Run, { saveAs }: StepOf<'wait'>, { text, chosen }: GivenAnswer): Run {
  return { ...saved(run, saveAs, { text, isJson: false, chosen }), hops: 0 };
}

function saved(
  run: Run,
  name: string | undefined,
  { text, isJson, chosen }: GivenAnswer & { readonly isJson: boolean },
): Run {
  if (name === undefined) return run;
  const others = run.parsed.filter((each) => each !== name);
  const { chosen: known = {}, ...rest } = run;
  const { [name]: _before, ...ids } = known;
  const pressed = chosen === undefined ? ids : { ...ids, [name]: chosen };
  return {
    ...rest,
    ...(Object.keys(pressed).length > 0 ? { chosen: pressed } : {}),
    answers: { ...run.answers, [name]: bounded(text) },
    parsed: isJson ? [...others, name] : others,
  };
}

function bounded(text: string): string {
  if (text.length <= FLOW_ANSWER_MAX_CHARS) return text;
  return Array.from(text).slice(0, FLOW_ANSWER_MAX_CHARS).join('');
}

/** The http step's entry; null for a call that the run has left. A failed call has no `body`. */
export function decideCallEnd(
  state: ConversationState,
  end: { readonly visit: number; readonly body: string | null; readonly spent?: number },
  context: FlowContext,
): Appended | null {
  const { run } = state;
  if (run?.phase.kind !== 'call' || run.visit !== end.visit) return null;
  const step = context.steps.get(run.stepId);
  const { now } = context;
  if (step?.do !== 'http') return decideStop(state, now);
  const failed = end.body === null;
  const target = failed && step.onError !== undefined ? step.onError : step.next;
  const answer = { text: end.body ?? '', isJson: true, chosen: undefined };
  const answered = failed ? run : saved(run, step.saveAs, answer);
  const ended = advance(state, arrive({ ...answered, hops: 0 }, target, context), now);
  return withSpent(ended, run, end.spent ?? 0);
}

/** Ends the run after an opt-out, or where the flow cannot continue: the conversation is open. */
export function decideStop(
  state: ConversationState,
  now: number,
  reason?: StopReason,
): Appended | null {
  return state.run ? stop(state, now, reason) : null;
}
