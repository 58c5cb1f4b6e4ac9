/**
 * Sends: a caller's or a member's message, and the question whether it would be accepted. Also the
 * template in place of a message that the network refused.
 *
 * 1. A repeated command finds its entry before anything is checked anew: it keeps its first answer.
 *    A repeat that would be refused looks for it once more, after all writes before are journaled.
 * 2. A message is checked before its conversation and its contact are created.
 */
import { SENTENCES } from '../../../shared/api/sentences.ts';
import { contactId as contactIdOf } from '../../../shared/entity-ids.ts';
import { type Failure, failure, invalid, renderFailure } from '../../../shared/failures.ts';
import { MEMBER_ANSWER_PAUSE_MS } from '../../../shared/limits.ts';
import type { Answer, Command } from '../../../shared/ports/bus.ts';
import { DONE } from '../../../shared/wire/answer.ts';
import type { SendMessage } from '../../../shared/wire/commands.ts';
import type { CheckSend } from '../../../shared/wire/media-commands.ts';
import { hasOptedOut, hasRefusedMarketing } from '../../contact/opt-outs.ts';
import { bulkOf, refuseExpiry, sendingFrom } from '../../domain/conversation/bulk.ts';
import {
  type Accepted,
  type ConversationState,
  decideSend,
  refuseTarget,
  type SendTarget,
} from '../../domain/conversation/conversation.ts';
import { decideReply } from '../../domain/conversation/member-actions.ts';
import {
  type DraftContent,
  decideFallback,
  isEndedByOptOut,
} from '../../domain/conversation/outbound-content.ts';
import { decideSchedule, refuseTime } from '../../domain/conversation/schedule.ts';
import type { Environment } from '../../environment.ts';
import type { SendFallback } from '../../model/conversation.ts';
import { journalBarrier } from '../../runtime/journal-barrier.ts';
import type { TurnContext } from '../../runtime/kind.ts';
import type { ScheduledCounts } from '../schedule/scheduled-counts.ts';
import {
  type CheckedSend,
  checkSendContent,
  isPlain,
  judgeMarketing,
  judgeSend,
} from './check-content.ts';
import type { Conversation } from './conversation.ts';
import { BelongsElsewhere } from './join.ts';
import { judgeConditions } from './judge-conditions.ts';

type Sent = SendMessage & Pick<Command, 'by' | 'lasting'>;

export async function sendMessage(
  conversation: Conversation,
  command: Sent,
  context: TurnContext,
): Promise<Answer> {
  const mayHaveRun = context.repeat || (command.lasting === true && !isPlain(command));
  if (mayHaveRun && (await conversation.recoverEntry(command.id))) {
    return accepted(conversation, command);
  }
  const loaded = await loadFor(conversation, command);
  const refusal = refuseTarget(loaded, command);
  if (refusal) return renderFailure(refusal);
  const checked = await checkSend(conversation, loaded, command);
  if ('refusal' in checked) {
    const { repeat } = context;
    return refuse(conversation, command, { ...checked, mayHaveRun, repeat });
  }
  const untimely = await refuseTimes(conversation.parts, command);
  if (untimely) {
    // A call that is repeated after its time was accepted in time.
    const known = await conversation.recoverEntry(command.id);
    if (known) return accepted(conversation, command);
    return renderFailure(context.repeat ? failure('fault') : untimely);
  }
  const { clock, ids } = conversation.parts.environment;
  const beginning = () => {
    const contactId = contactIdOf(ids, command.orgId, command.phone ?? '');
    return { command, contactId, source: 'api' } as const;
  };
  const state = checked.state ?? (await conversation.begin(beginning(), context));
  const now = clock.now();
  const draft = { ...checked.draft, ...bulkIn(command, now) };
  const sent = decideOutbound(state, { command, draft }, now);
  const { schedule, outsideWindow } = command;
  const decided = schedule ? decideSchedule(state, sent, { schedule, outsideWindow }) : sent;
  await conversation.commit(command.id, decided);
  return accepted(conversation, command);
}

function bulkIn(
  { bulk, schedule }: Pick<SendMessage, 'bulk' | 'schedule'>,
  now: number,
): Pick<DraftContent, 'bulk'> {
  return bulk ? { bulk: bulkOf(bulk, sendingFrom(schedule, now)) } : {};
}

/**
 * A first run that was cut off has its entry by then, unless its write is still on its way: what is
 * asked again is not refused, or the caller of a message that goes would believe that it does not.
 * A certain refusal rests on what was read, which is journaled before it is told.
 */
async function refuse(
  conversation: Conversation,
  command: Sent,
  { refusal, isCertain = false, mayHaveRun, repeat }: Refused,
): Promise<Answer> {
  if (!mayHaveRun) return renderFailure(refusal);
  await journalBarrier(conversation.parts.environment.store);
  const known = await conversation.recoverEntry(command.id);
  if (known) return accepted(conversation, command);
  return renderFailure(repeat && !isCertain ? failure('fault') : refusal);
}

interface Refused extends Pick<TurnContext, 'repeat'> {
  readonly refusal: Failure;
  readonly isCertain?: boolean;
  readonly mayHaveRun: boolean;
}

interface Outbound {
  readonly command: Pick<SendMessage, 'authorLabel' | 'origin'> & Pick<Command, 'by'>;
  readonly draft: DraftContent;
}

/** A key's message is automation's; a member's is an answer of that member. */
function decideOutbound(
  state: ConversationState,
  { command: { authorLabel, origin, by }, draft }: Outbound,
  now: number,
): Accepted {
  const { memberId: id, name } = by ?? { memberId: null, name: '' };
  if (id === null) return decideSend(state, { ...draft, authorLabel, origin }, now);
  const reply = { ...draft, author: { id, name }, pauseMs: MEMBER_ANSWER_PAUSE_MS };
  return decideReply(state, reply, now);
}

interface AcceptingParts {
  readonly environment: Pick<Environment, 'clock'>;
  readonly scheduledCounts: ScheduledCounts;
}

/**
 * Refusal of a send with a time, before anything is written (D293). Null: it may be accepted, and
 * room for it is taken.
 */
async function refuseTimes(
  { environment, scheduledCounts }: AcceptingParts,
  { schedule, bulk, orgId }: Pick<SendMessage, 'schedule' | 'bulk' | 'orgId'>,
): Promise<Failure | null> {
  if (!schedule && !bulk) return null;
  const now = environment.clock.now();
  const expired = bulk ? refuseExpiry(bulk, sendingFrom(schedule, now)) : null;
  if (expired || !schedule) return expired;
  const refused = refuseTime(schedule, now);
  if (refused || schedule.at <= now || (await scheduledCounts.tryReserve(orgId))) return refused;
  return invalid({ path: 'sendAt', message: SENTENCES.tooManyScheduled });
}

/**
 * Content first, then window and consent: a message that is wrong is so at any time. The caller's
 * conditions last: what is judged then is the state on which the message is decided.
 */
async function checkSend(
  conversation: Conversation,
  state: ConversationState | null,
  asked: SendMessage | CheckSend,
): Promise<CheckedSend> {
  const checked = await checkSendContent(conversation, state, asked);
  const { clock } = conversation.parts.environment;
  // The window of a scheduled message is that of its time.
  const isScheduled = (asked.schedule?.at ?? 0) > clock.now();
  if ('refusal' in checked) return checked;
  const judged = isScheduled ? checked : await judgeSend(conversation, checked, asked);
  if ('refusal' in judged) return judged;
  const wanted = await judgeMarketing(conversation, judged, asked);
  return 'refusal' in wanted ? wanted : judgeConditions(conversation, wanted, asked);
}

/** Whether a send would be refused; the send itself decides again. */
export async function answerCheck(conversation: Conversation, asked: CheckSend): Promise<Answer> {
  const loaded = await loadFor(conversation, asked);
  const refusal = refuseTarget(loaded, asked);
  if (refusal) return renderFailure(refusal);
  const checked = await checkSend(conversation, loaded, asked);
  if (!('refusal' in checked)) return DONE;
  // A call that is repeated keeps its first answer, whatever has changed.
  const before = await conversation.log.entry(asked.messageId, loaded?.joined);
  return before ? DONE : renderFailure(checked.refusal);
}

/** A send that names its conversation reads the log too, where the snapshot is missing. */
async function loadFor(
  conversation: Conversation,
  { byConversation }: SendTarget,
): Promise<ConversationState | null> {
  const loaded = await conversation.load();
  if (loaded || !byConversation) return loaded;
  const found = await conversation.reload();
  if (found?.joinedTo) throw new BelongsElsewhere(found.joinedTo);
  return found;
}

function accepted({ id }: Conversation, command: SendMessage): Answer {
  // Ids consist of A-Za-z0-9_- only and need no escaping.
  const body = `{"data":{"messageId":"${command.id}","conversationId":"${id}","channelId":"${command.channelId}"}}`;
  return { status: 201, body };
}

/** Sends the template of a message that the network refused; a repeat finds its entry. */
export async function sendFallback(
  conversation: Conversation,
  command: SendFallback,
): Promise<void> {
  if (await conversation.recoverEntry(command.id)) return;
  const state = (await conversation.load()) ?? (await conversation.reload());
  const entry = await conversation.log.entry(command.messageId, state?.joined);
  if (!state || !entry?.message) return;
  const { store, clock } = conversation.parts.environment;
  if (isEndedByOptOut(entry.message) && (await hasOptedOut(store, state))) return;
  if (entry.message.fallback?.template.marketing && (await hasRefusedMarketing(store, state)))
    return;
  const refused = { id: entry._id, message: entry.message };
  const decided = decideFallback(state, refused, clock.now());
  if (decided) await conversation.commit(command.id, decided);
}
