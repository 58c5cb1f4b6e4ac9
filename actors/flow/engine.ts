/**
 * Turns of a conversation that advance its flow: a start, a timer, the end of a call, a stop. Each
 * commits at most one entry, named after the visit: a repeated turn finds it.
 */

import { contactId as contactIdOf } from '../../shared/entity-ids.ts';
import { failure, invalid, renderFailure } from '../../shared/failures.ts';
import { LOG_EVENT } from '../../shared/log-events.ts';
import type { Answer } from '../../shared/ports/bus.ts';
import type { StartFlow } from '../../shared/wire/commands.ts';
import type { Conversation } from '../conversation/conversation.ts';
import { assertHere } from '../conversation/join.ts';
import { type Appended, type ConversationState, newConversation } from '../domain/conversation.ts';
import type { StepDecision } from '../domain/flow/deal-step.ts';
import {
  decideCallEnd,
  decideDue,
  decideStart,
  decideStop,
  skipReason,
} from '../domain/flow/decide.ts';
import { isPaused, type Run, timerOf } from '../domain/flow/run.ts';
import { StaleState, type TurnContext } from '../runtime/actor.ts';
import type { FlowCallEnded, FlowFound, FlowTimer, StopFlow } from './commands.ts';
import { clearTimer } from './entry-timer.ts';

const DONE: Answer = { status: 200, body: '{}' };
/** The timer is deferred. */
const BUSY: Answer = { status: 503, body: '{}' };
const OTHER_CHANNELS_FLOW = 'O fluxo pertence a outro canal.';

/** C4.11, POST /flows/{id}/start; also the command of triggers. */
export async function startFlow(
  conversation: Conversation,
  command: StartFlow,
  context: TurnContext,
): Promise<Answer> {
  const { log, parts } = conversation;
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
  const state = loaded ?? (await begin(conversation, { command, contactId }, context));
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
    const before = await log.entry(command.id);
    return answerStart(conversation, command, before ? 'started' : 'skipped');
  }
  const start = { runId: command.id, flow };
  await conversation.commit(command.id, decideStart(state, start, { now, org, steps: flow.steps }));
  return answerStart(conversation, command);
}

function refuseFlow(
  found: FlowFound | null,
  command: StartFlow,
  { repeat }: TurnContext,
): Answer | null {
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

/** State of a new conversation; as for a send, its contact must exist before the first entry. */
async function begin(
  conversation: Conversation,
  { command, contactId: id }: { readonly command: StartFlow; readonly contactId: string },
  context: TurnContext,
): Promise<ConversationState> {
  const { orgId, channelId, phone, origin } = command;
  const source = origin === 'webhook' ? 'webhook' : 'api';
  const contact = await conversation.ensureContact(
    { id, orgId, phone, profileName: null, source },
    context,
  );
  assertHere(conversation, null, { command, asked: id, contact });
  const identity = { id: conversation.id, orgId, channelId, contact, networkId: null };
  return newConversation(identity, conversation.parts.environment.clock.now());
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
): Answer {
  const data = { conversationId: conversation.id, flowId, result };
  return { status: result === 'started' ? 201 : 409, body: JSON.stringify({ data }) };
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
  if (!context || !run || !step)
    return commitVisit(conversation, state, stopped(conversation, state));
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
  if (!context) return commitVisit(conversation, state, stopped(conversation, state));
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
  if (at !== undefined && state.run.startedAt > at && !(await isOptedOut(conversation, state))) {
    await assertNotStale(conversation, state);
    return DONE;
  }
  return commitVisit(conversation, state, stopped(conversation, state));
}

async function isOptedOut(
  { parts }: Conversation,
  { contact }: ConversationState,
): Promise<boolean> {
  return (await parts.flows.facts.contact(contact.id, contact)).optedOut;
}

function stopped(conversation: Conversation, state: ConversationState): Appended | null {
  return decideStop(state, conversation.parts.environment.clock.now());
}

/** An entry that ends a visit is named after it; one within a visit also after its `seq`. */
async function commitVisit(
  conversation: Conversation,
  state: ConversationState,
  decided: StepDecision | null,
): Promise<Answer> {
  const { run } = state;
  if (!decided || !run) return DONE;
  const { ids } = conversation.parts.environment;
  const prefix = decided.message ? 'msg' : 'stp';
  const visit = [run.id, run.stepId, String(run.visit)];
  const within = decided.state.run?.visit === run.visit ? [String(state.seq)] : [];
  const entry = await conversation.commit(ids.derive(prefix, ...visit, ...within), decided);
  if (!entry) throw new StaleState(`visit ${run.visit}`);
  if (decided.unable !== undefined) logUnable(conversation, run, decided);
  return DONE;
}

/** The conversation's note, for readers of the log. */
function logUnable(
  { id, parts }: Conversation,
  { id: runId, flowId, stepId }: Run,
  { state, unable }: StepDecision,
): void {
  const where = { orgId: state.orgId, conversationId: id, flowId, runId, stepId };
  parts.environment.log.warn({ ...where, reason: unable }, LOG_EVENT.dealStepUnable);
}
