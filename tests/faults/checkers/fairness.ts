/**
 * Fair sending (D415, D416): before a reply the network gets no more than its bound of other
 * conversations' messages. A message has the class of its acceptance.
 *
 * 1. The count begins when the owner that sends the reply knows that it waits. It ends when the owner
 *    takes the turn of the conversation (D495): what a send waits for afterwards is no other message.
 *    It may have to look for the message before it, and keeps its turn.
 * 2. While the conversation has a message in flight or held, nothing is counted: judged are replies
 *    whose conversation rested until then.
 */
import { type Checker, callsOf, grouped, outOf, type Rule, sendsOf } from './checker.ts';
import type { History, Message, QueueFact, SendQueue, Transmission } from './history.ts';

/** Long enough for the owner to have heard of the end of a send before. */
const RESTED_MS = 3_000;
const REPLY = 'reply';

interface Queued extends SendQueue {
  readonly messages: ReadonlyMap<string, Message>;
  readonly knownOf: (messageId: string) => readonly QueueFact[];
  readonly turnsOf: (messageId: string) => readonly QueueFact[];
  readonly sendsOf: (messageId: string) => readonly Transmission[];
  readonly inConversation: (message: Message) => readonly Message[];
}

/** The wait of a reply for its conversation's turn, at one owner. */
export interface Wait {
  readonly reply: Message;
  readonly by: string;
  readonly from: number;
  readonly until: number;
  /** Messages of its conversation that had to go first. */
  readonly predecessors: number;
  /** Messages of queues with a reply whose turns came meanwhile. */
  readonly ofReplies: number;
  /** Of the rest, those that the network got. */
  readonly others: number;
}

function queuedIn(history: History, queue: SendQueue): Queued {
  const { channelId } = queue;
  const mine = outOf(history).filter((message) => message.channelId === channelId);
  const sends = history.transmissions.filter((each) => each.channelId === channelId);
  const byConversation = grouped(mine, ({ conversationId }) => conversationId);
  return {
    ...queue,
    messages: new Map(mine.map((message) => [message.id, message])),
    knownOf: grouped(queue.known, ({ messageId }) => messageId).of,
    turnsOf: grouped(queue.turns, ({ messageId }) => messageId).of,
    sendsOf: grouped(sends, ({ messageId }) => messageId ?? '').of,
    inConversation: ({ conversationId }) => byConversation.of(conversationId),
  };
}

/** Null where it cannot be judged. */
function waitOf(queued: Queued, reply: Message): Wait | null {
  const [first] = queued.sendsOf(reply.id);
  if (first?.by === undefined) return null;
  const { by, at } = first;
  const owned = queued.owners.findLast((owner) => owner.by === by && owner.at <= at);
  const told = queued.knownOf(reply.id).find(isOf(by, owned?.at ?? at, at));
  if (!told) return null;
  const from = told.at;
  const before = queued
    .inConversation(reply)
    .filter((each) => placeOf(each) < placeOf(reply) && !hasRested(queued, each, from));
  const turns = [reply, ...before].flatMap(({ id }) => queued.turnsOf(id));
  if (turns.some((turn) => turn.at <= from)) return null;
  const until = Math.min(...turns.map((turn) => turn.at));
  const span = { reply, by, from, until };
  const taken = queued.turns.filter((turn) => isAhead(queued, turn, span));
  const ofReplies = taken.filter((turn) => isOfReplyQueue(queued, turn));
  // Of a message whose turn came before, the send may still come after the reply's.
  const others = taken.filter((turn) => !ofReplies.includes(turn) && wentBefore(queued, turn, at));
  const counted = {
    predecessors: before.length,
    ofReplies: countMessages(ofReplies),
    others: countMessages(others),
  };
  return { ...span, ...counted };
}

/** A message may have several turns before it goes. */
function countMessages(turns: readonly QueueFact[]): number {
  return new Set(turns.map(({ messageId }) => messageId)).size;
}

function isOf(owner: string, from: number, to: number) {
  return ({ by, at }: Omit<QueueFact, 'messageId'>): boolean =>
    by === owner && at >= from && at <= to;
}

/** Of a message that was scheduled: where it was released. */
function placeOf({ place, settlements }: Message): number {
  return settlements?.[0]?.place ?? place;
}

/** Its sending was over, and the owner could know that. */
function hasRested({ turnsOf }: Queued, { id, endedAt }: Message, at: number): boolean {
  const last = Math.max(endedAt ?? Number.POSITIVE_INFINITY, ...turnsOf(id).map((turn) => turn.at));
  return last < at - RESTED_MS;
}

type Span = Pick<Wait, 'reply' | 'by' | 'from' | 'until'>;

/** A turn of another conversation in that time. */
function isAhead({ messages }: Queued, turn: QueueFact, { reply, by, from, until }: Span): boolean {
  const message = messages.get(turn.messageId);
  if (!message || message.conversationId === reply.conversationId) return false;
  return turn.by === by && turn.at > from && turn.at < until;
}

/** The network got the message of that turn before this moment. */
function wentBefore({ sendsOf: of, turnsOf }: Queued, turn: QueueFact, at: number): boolean {
  const { messageId, by } = turn;
  const next = turnsOf(messageId).find((each) => each.by === by && each.at > turn.at);
  const endAt = Math.min(at, next?.at ?? at);
  return of(messageId).some((send) => send.by === by && send.at >= turn.at && send.at < endAt);
}

/** A reply, or one before which a reply of its conversation waits. */
function isOfReplyQueue(queued: Queued, { messageId, by, at }: QueueFact): boolean {
  const message = queued.messages.get(messageId);
  if (!message) return false;
  if (message.urgency === REPLY) return true;
  return queued.inConversation(message).some((other) => {
    const isBehind = other.urgency === REPLY && placeOf(other) > placeOf(message);
    const isKnown = queued.knownOf(other.id).some(isOf(by, 0, at));
    return isBehind && isKnown && (queued.sendsOf(other.id)[0]?.at ?? other.endedAt ?? 0) > at;
  });
}

export function waitsIn(history: History): readonly Wait[] | null {
  return (
    history.queues?.flatMap((queue) => {
      const queued = queuedIn(history, queue);
      const replies = [...queued.messages.values()].filter(({ urgency }) => urgency === REPLY);
      return replies.flatMap((reply) => waitOf(queued, reply) ?? []);
    }) ?? null
  );
}

const noReplyWaitsBehindOthers: Rule = (history) =>
  waitsIn(history)?.flatMap((wait) => {
    const { reply, others, from, until } = wait;
    const most = Math.ceil((wait.predecessors + wait.ofReplies + 1) / 3);
    const when = `from ${from.toFixed()} to ${until.toFixed()}`;
    return others > most
      ? [`${reply.text} (${reply.id}) waited ${when} behind ${others} others, not ${most}`]
      : [];
  }) ?? null;

/** What a call says is bulk, what a member writes is a reply; the rest depends on the contact. */
const classesAreThoseOfTheirCalls: Rule = (history) => {
  if (!history.queues) return null;
  const bulk = new Set(
    sendsOf(history).flatMap(({ text, request }) => (request.priority === 'bulk' ? [text] : [])),
  );
  const members = new Set(
    callsOf(history, 'send').flatMap(({ request }) => (request.isMembers ? [request.text] : [])),
  );
  return outOf(history).flatMap(({ id, text, urgency, replaces }) => {
    if (urgency === undefined || text === null || replaces !== undefined) return [];
    const isWrong =
      bulk.has(text) !== (urgency === 'bulk') || (members.has(text) && urgency !== REPLY);
    return isWrong ? [`${text} (${id}) is ${urgency}`] : [];
  });
};

export const fairness: Checker = {
  rules: { noReplyWaitsBehindOthers, classesAreThoseOfTheirCalls },
  counted: (history) => {
    const waits = waitsIn(history) ?? [];
    return { judged: waits.length, behindOthers: waits.filter(({ others }) => others > 0).length };
  },
};
