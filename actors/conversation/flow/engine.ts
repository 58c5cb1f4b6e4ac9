/**
 * Flows of conversations: their parts, one of each per process, and their turns.
 *
 * 1. A start, a timer, a call's end or a stop commits at most one entry. It is named after the
 *    visit: a repeated turn finds it.
 * 2. Decisions of steps alternate between organizations, one at a time. After a long one the event
 *    loop has a pass, and with it the renewal of the lease (`budget.ts` bounds the decision).
 * 3. A step that an earlier owner may have begun is counted before it is executed.
 */
import { contactId as contactIdOf } from '../../../shared/entity-ids.ts';
import { failure, invalid, renderFailure } from '../../../shared/failures.ts';
import { FLOW_STEP_TRIES_MAX } from '../../../shared/limits.ts';
import { LOG_EVENT } from '../../../shared/log-events.ts';
import type { Answer, AnswerOf, CommandOf } from '../../../shared/ports/bus.ts';
import { answerOf, DONE } from '../../../shared/wire/answer.ts';
import type { StartedFlow, StartFlow } from '../../../shared/wire/commands.ts';
import type { ConversationState } from '../../domain/conversation/conversation.ts';
import type { FlowContext } from '../../domain/flow/context.ts';
import {
  decideCallEnd,
  decideDue,
  decideStart,
  decideStop,
  skipReason,
} from '../../domain/flow/decide.ts';
import { isOfDeal, type StepDecision } from '../../domain/flow/unable.ts';
import { isPaused, type StopReason, timerOf } from '../../domain/flow-run.ts';
import type { Environment } from '../../environment.ts';
import type { FlowCallEnded, FlowFound, FlowTimer, StopFlow } from '../../model/flow.ts';
import { FlowVersions } from '../../organization/flow-versions.ts';
import type { Relay } from '../../outbox/relay.ts';
import { KeyedMutex } from '../../runtime/concurrency.ts';
import type { DuePoller } from '../../runtime/due-poller.ts';
import { StaleState, type TurnContext } from '../../runtime/kind.ts';
import {
  type ForegroundActivity,
  OrganizationScheduler,
} from '../../runtime/organization-scheduler.ts';
import { sleep } from '../../runtime/repeat.ts';
import { FlowCalls } from './calls.ts';
import { FlowFacts } from './facts.ts';
import type { FlowConversation } from './flow-conversation.ts';
import { countTry, takeBackTry } from './recovered-steps.ts';
import { clearTimer, FlowTimers } from './timers.ts';

export interface FlowParts {
  readonly timers: FlowTimers;
  readonly calls: FlowCalls;
  readonly versions: FlowVersions;
  readonly facts: FlowFacts;
  /** Decisions of steps. */
  readonly decisions: OrganizationScheduler;
  /** Steps that more than one owner found unfinished, each alone. */
  readonly suspects: KeyedMutex;
}

/** One at a time; what a decision holds is the event loop. */
const DECISIONS = { perOrganization: 1, perProcess: 1 };
/** Units of a decision after which other work has a pass of the event loop. */
const LONG_UNITS = 1_000;

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
  const { foregroundActivity } = shared;
  const throttling = { clock: environment.clock, foregroundActivity };
  return {
    timers: new FlowTimers(environment, shared.duePoller, foregroundActivity),
    calls: new FlowCalls(environment, relay),
    versions,
    facts: new FlowFacts(environment, versions),
    decisions: new OrganizationScheduler(DECISIONS, throttling),
    suspects: new KeyedMutex(),
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
  const { phone, optedOut } = contact;
  if (skipReason(loaded, { phone, optedOut, org, now })) {
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
export async function advanceFlow(
  conversation: Conversation,
  command: FlowTimer,
  { epoch }: TurnContext,
): Promise<Answer> {
  const { environment, flows } = conversation.parts;
  const entryKey = { conversationId: conversation.id, seq: command.seq };
  // Before anything else of the turn, which may be what ended the earlier owners.
  const tries = command.recovered ? await countTry(environment.store, entryKey, epoch) : 0;
  const execute = () => executeStep(conversation, command, tries);
  try {
    // Alone: what happens now is its own doing, and no try of a run beside it.
    return await (tries < 2 ? execute() : flows.suspects.runExclusive('', execute));
  } catch (fault) {
    if (tries > 0) void takeBackTry(environment, entryKey, epoch);
    throw fault;
  }
}

async function executeStep(
  conversation: Conversation,
  command: FlowTimer,
  tries: number,
): Promise<Answer> {
  const { environment, flows } = conversation.parts;
  const state = await conversation.load();
  if (!state || state.seq < command.seq) throw new StaleState(`entry ${command.seq}`);
  if (state.seq > command.seq || timerOf(state) === null) {
    // A timer of an entry that is no longer the last one.
    await clearTimer(environment.store, { conversationId: conversation.id, seq: command.seq });
    return DONE;
  }
  if (tries >= FLOW_STEP_TRIES_MAX) return endRun(conversation, state, 'not_finished');
  const context = await flows.facts.contextOf(state);
  const { run } = state;
  const step = run && context?.steps.get(run.stepId);
  if (!context || !run || !step) return endRun(conversation, state);
  const decide = <T>(work: () => T) => decideInTurn(conversation.parts, state, context, work);
  if (run.phase.kind !== 'call' || step.do !== 'http' || context.contact.optedOut) {
    return commitVisit(conversation, state, await decide(() => decideDue(state, context)));
  }
  if (isPaused(state, context.now)) return DONE;
  const begun = await decide(() => flows.calls.begin(state, { run, step, context }));
  if (begun === 'over-budget') return endRun(conversation, state, 'over_budget');
  return begun === 'begun' ? DONE : BUSY;
}

/** Runs a decision when its organization has its turn. */
function decideInTurn<T>(
  { environment, flows }: Conversation['parts'],
  { orgId }: Pick<ConversationState, 'orgId'>,
  { budget }: Pick<FlowContext, 'budget'>,
  work: () => T,
): Promise<T> {
  return flows.decisions.schedule(orgId, async () => {
    const decided = work();
    if (budget.spent >= LONG_UNITS) await sleep(environment.clock, 0);
    return decided;
  });
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

function endRun(
  conversation: Conversation,
  state: ConversationState,
  reason?: StopReason,
): Promise<Answer> {
  const { clock } = conversation.parts.environment;
  return commitVisit(conversation, state, decideStop(state, clock.now(), reason));
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
  // For readers of the log: the panel shows why a run was stopped, and notes what was not possible.
  const { id: runId, flowId, stepId } = run;
  const where = { orgId: state.orgId, conversationId: conversation.id, flowId, runId, stepId };
  if (decided.reason !== undefined) {
    log.warn({ ...where, reason: decided.reason }, LOG_EVENT.runStopped);
  }
  if (decided.unable !== undefined) {
    const isDeal = isOfDeal(decided.unable);
    const event = isDeal ? LOG_EVENT.dealStepUnable : LOG_EVENT.sendStepUnable;
    log.warn({ ...where, reason: decided.unable }, event);
  }
  return DONE;
}
