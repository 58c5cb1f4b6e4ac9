/**
 * Flows of conversations: their parts, one of each per process, and their turns.
 *
 * 1. A start, a timer, a call's end or a stop commits at most one entry. It is named after the
 *    visit: a repeated turn finds it.
 */
import { contactId as contactIdOf } from '../../shared/entity-ids.ts';
import { failure, invalid, renderFailure } from '../../shared/failures.ts';
import { LOG_EVENT } from '../../shared/log-events.ts';
import type { Answer, AnswerOf, CommandOf } from '../../shared/ports/bus.ts';
import { answerOf, DONE } from '../../shared/wire/answer.ts';
import type { StartedFlow, StartFlow } from '../../shared/wire/commands.ts';
import type { FlowConversation } from '../conversation/api.ts';
import type { ConversationState } from '../domain/conversation.ts';
import {
  decideCallEnd,
  decideDue,
  decideStart,
  decideStop,
  skipReason,
} from '../domain/flow/decide.ts';
import { isPaused, timerOf } from '../domain/flow/run.ts';
import { isOfDeal, type StepDecision } from '../domain/flow/unable.ts';
import type { Environment } from '../environment.ts';
import type { Relay } from '../outbox/relay.ts';
import { StaleState, type TurnContext } from '../runtime/api.ts';
import type { DuePoller } from '../runtime/due-poller.ts';
import type { ForegroundActivity } from '../runtime/organization-scheduler.ts';
import { FlowCalls } from './calls.ts';
import type { FlowCallEnded, FlowFound, FlowTimer, StopFlow } from './commands.ts';
import { FlowFacts } from './facts.ts';
import { FlowVersions } from './routing.ts';
import { clearTimer, FlowTimers } from './timers.ts';

export interface FlowParts {
  readonly timers: FlowTimers;
  readonly calls: FlowCalls;
  readonly versions: FlowVersions;
  readonly facts: FlowFacts;
}

/** A conversation whose run is advanced. */
export type Conversation = FlowConversation<{
  readonly environment: Environment;
  readonly flows: FlowParts;
}>;

export function createFlowParts(
  environment: Environment,
  relay: Relay,
  shared: { readonly duePoller: DuePoller; readonly foregroundActivity: ForegroundActivity },
): FlowParts {
  const versions = new FlowVersions(environment.store);
  return {
    timers: new FlowTimers(environment, shared.duePoller, shared.foregroundActivity),
    calls: new FlowCalls(environment, relay),
    versions,
    facts: new FlowFacts(environment, versions),
  };
}

/** The timer is deferred. */
const BUSY: Answer = { status: 503, body: '{}' };
const OTHER_CHANNELS_FLOW = 'O fluxo pertence a outro canal.';

/** C4.11, POST /flows/{id}/start; also the command of triggers. */
export async function startFlow(
  conversation: Conversation,
  command: CommandOf<'conversation', 'start-flow'>,
  context: TurnContext,
): Promise<AnswerOf<{ readonly data: StartedFlow }>> {
  const { parts } = conversation;
  const mayHaveRun = context.repeat || command.lasting === true;
  if (mayHaveRun && (await conversation.recoverEntry(command.id))) {
    return answerStart(conversation, command);
  }
  const { facts } = parts.flows;
  const found = await facts.lookUp(command.orgId, command.flowId);
  const refusal = refuseFlow(found, command, context);
  if (refusal || !found) return refusal ?? renderFailure(failure('flow_not_found'));
  const { ids, clock } = parts.environment;
  const loaded = await conversation.load();
  const contactId =
    loaded?.contact.id ?? command.contactId ?? contactIdOf(ids, command.orgId, command.phone);
  const source = command.origin === 'webhook' ? 'webhook' : 'api';
  const state = loaded ?? (await conversation.begin({ command, contactId, source }, context));
  const [flow, org, contact] = await Promise.all([
    facts.startable(found),
    facts.organization(command.orgId),
    facts.contact(contactId, state.contact),
  ]);
  const now = clock.now();
  const { optedOut } = contact;
  if (skipReason(loaded, { optedOut, now })) {
    if (loaded) await assertNotStale(conversation, loaded);
    // The run in progress may be this command's own.
    const before = await conversation.recoverEntry(command.id);
    return answerStart(conversation, command, before ? 'started' : 'skipped');
  }
  const start = { runId: command.id, flow };
  await conversation.commit(command.id, decideStart(state, start, { now, org, steps: flow.steps }));
  return answerStart(conversation, command);
}

function refuseFlow(found: FlowFound | null, command: StartFlow, { repeat }: TurnContext) {
  if (!found) return renderFailure(failure('flow_not_found'));
  if (found.channelId !== null && found.channelId !== command.channelId) {
    return renderFailure(
      command.channelScope === true
        ? failure('other_channel')
        : invalid({ path: 'channelId', message: OTHER_CHANNELS_FLOW }),
    );
  }
  if (found.enabled) return null;
  // A repeated command is never refused: another owner may have seen the flow enabled, and its
  // entry may still be on its way.
  return renderFailure(failure(repeat ? 'fault' : 'flow_disabled'));
}

/** A refusal must not rest on a snapshot that a crash left stale. */
async function assertNotStale(conversation: Conversation, state: ConversationState): Promise<void> {
  const truth = await conversation.log.loadFromLog();
  if (truth && truth.seq !== state.seq) throw new StaleState(`entry ${state.seq}`);
}

function answerStart(
  conversation: Conversation,
  { flowId }: StartFlow,
  result: 'started' | 'skipped' = 'started',
): AnswerOf<{ readonly data: StartedFlow }> {
  const data = { conversationId: conversation.id, flowId, result };
  return answerOf({ data }, result === 'started' ? 201 : 409);
}

/** Handles a timer of entry `seq`; the state decides whether it is still due. */
export async function advanceFlow(conversation: Conversation, command: FlowTimer): Promise<Answer> {
  const state = await conversation.load();
  if (!state || state.seq < command.seq) throw new StaleState(`entry ${command.seq}`);
  if (state.seq > command.seq || timerOf(state) === null) {
    // A timer of an entry that is no longer the last one.
    const place = { conversationId: conversation.id, seq: command.seq };
    await clearTimer(conversation.parts.environment.store, place);
    return DONE;
  }
  const { facts, calls } = conversation.parts.flows;
  const context = await facts.contextOf(state);
  const { run } = state;
  const step = run && context?.steps.get(run.stepId);
  if (!context || !run || !step) return endRun(conversation, state);
  const calling = run.phase.kind === 'call' && step.do === 'http';
  if (calling && !context.contact.optedOut) {
    if (isPaused(state, context.now)) return DONE;
    return calls.begin(state, { run, step, context }) ? DONE : BUSY;
  }
  return commitVisit(conversation, state, decideDue(state, context));
}

export async function endCall(conversation: Conversation, command: FlowCallEnded): Promise<Answer> {
  const state = await conversation.load();
  if (state?.run?.id !== command.runId || state.run.visit !== command.visit) {
    if (state) await assertNotStale(conversation, state);
    return DONE;
  }
  const context = await conversation.parts.flows.facts.contextOf(state);
  if (!context) return endRun(conversation, state);
  return commitVisit(conversation, state, decideCallEnd(state, command, context));
}

/** Ends the run after the contact's opt-out (D20). */
export async function stopFlow(conversation: Conversation, { at }: StopFlow): Promise<Answer> {
  const state = await conversation.load();
  if (!state?.run) {
    if (state) await assertNotStale(conversation, state);
    return DONE;
  }
  // The opt-out may be repeated after the contact has opted in and this run has begun.
  if (state.run.startedAt > at) {
    const { id, ...known } = state.contact;
    const { optedOut } = await conversation.parts.flows.facts.contact(id, known);
    if (!optedOut) {
      await assertNotStale(conversation, state);
      return DONE;
    }
  }
  return endRun(conversation, state);
}

function endRun(conversation: Conversation, state: ConversationState): Promise<Answer> {
  const { clock } = conversation.parts.environment;
  return commitVisit(conversation, state, decideStop(state, clock.now()));
}

/** An entry that ends a visit is named after it; one within a visit also after its `seq`. */
async function commitVisit(
  conversation: Conversation,
  state: ConversationState,
  decided: StepDecision | null,
): Promise<Answer> {
  const { run } = state;
  if (!decided || !run) return DONE;
  const { ids, log } = conversation.parts.environment;
  const prefix = decided.message ? 'msg' : 'stp';
  const visit = [run.id, run.stepId, String(run.visit)];
  const within = decided.state.run?.visit === run.visit ? [String(state.seq)] : [];
  const entry = await conversation.commit(ids.derive(prefix, ...visit, ...within), decided);
  if (!entry) throw new StaleState(`visit ${run.visit}`);
  if (decided.unable !== undefined) {
    // The conversation's note, for readers of the log.
    const { id: runId, flowId, stepId } = run;
    const where = { orgId: state.orgId, conversationId: conversation.id, flowId, runId, stepId };
    const isDeal = isOfDeal(decided.unable);
    const event = isDeal ? LOG_EVENT.dealStepUnable : LOG_EVENT.sendStepUnable;
    log.warn({ ...where, reason: decided.unable }, event);
  }
  return DONE;
}
