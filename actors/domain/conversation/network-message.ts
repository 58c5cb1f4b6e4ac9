/**
 * Messages that a network reports: their names, and the entries that record them.
 *
 * Status reports of the network about an outbound message. They arrive twice, out of order, skip
 * steps, and may precede our own record of the send (C3.2, D13, D57).
 *
 * 1. The status never steps down; a later one fills what it implies (`read` fills `delivered`).
 * 2. `message.sent` is emitted once: when the network is first known to have accepted the message.
 * 3. A higher status has a higher revision, whatever came before it. Two owners may decide on one
 *    message at a time: `$max` keeps the higher status in any order of their writes. Each tells its
 *    event: of a message that was taken, and then refused, `message.sent` may be told by one owner
 *    while the other's `failed`, without that time, is kept (D57).
 */
import { STATUS_RANK, type StoredMessage, type StoredStatus } from '../../../shared/message.ts';
import type { Commerce, MessageContent } from '../../../shared/message-content.ts';
import type { InboundMedia } from '../../../shared/ports/network-event.ts';
import { foldText } from '../../../shared/text/fold.ts';
import type { MessageKind } from '../../../shared/vocabulary.ts';
import { commerceOf } from './commerce.ts';
import {
  type Accepted,
  append,
  type ConversationContact,
  type ConversationState,
  isReactionTakenBack,
  type MessageDraft,
  messageEventData,
  newMessage,
} from './conversation.ts';
import { isLate } from './history-order.ts';
import { turnsAfterContact } from './quick-turns.ts';
import { leaveUndecided, openWindow, type WindowFacts } from './window.ts';

/** Name of a network message: channel, direction and canonical id, in any chat form (D152). */
export interface NetworkName {
  /** Canonical id. */
  readonly externalId: string;
  readonly fullId?: string | undefined;
}

/** The fields under which a message stores its names. */
export function namesOf({ externalId, fullId }: NetworkName) {
  return { externalId, ...(fullId === undefined ? {} : { fullId }) };
}

const JUST_NOW_MS = 5_000;

/**
 * The networks report whole seconds: for a recent message our own clock is finer. Entries never go
 * back in time: after an owner whose clock was ahead it would stand before what it answers.
 */
function networkTime(state: Pick<ConversationState, 'at'>, at: number, now: number): number {
  return now - at < JUST_NOW_MS ? Math.max(state.at, now) : at;
}

/** Words by which a contact opts out (D19): the whole text, whatever case and marks around it. */
const OPT_OUT_WORDS: ReadonlySet<string> = new Set(['SAIR', 'PARAR', 'CANCELAR', 'STOP']);
/** Keyboards and copied texts leave them anywhere; no reader sees them. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;
/** `"Sair."`, `*SAIR*` and `~sair~` say what `SAIR` does. */
const MARKS_AROUND = /^[\p{P}\p{Z}\p{Sk}\p{Sm}\s]+|[\p{P}\p{Z}\p{Sk}\p{Sm}\s]+$/gu;
/** A longer text is a sentence, however many marks it has. */
const OPT_OUT_TEXT_MAX_CHARS = 100;

export function isOptOutWord(text: string | null): boolean {
  return OPT_OUT_WORDS.has(bareText(text).toUpperCase());
}

/** The words of a short text, without marks around them; empty for a longer one. */
function bareText(text: string | null): string {
  if (text === null || text.length > OPT_OUT_TEXT_MAX_CHARS) return '';
  return text.normalize('NFKC').replace(INVISIBLE, '').replace(MARKS_AROUND, '');
}

/** The network's own buttons below a marketing template, and what a person types in their place. */
const MARKETING_STOPS: ReadonlySet<string> = new Set(['parar promocoes', 'stop promotions']);

export function isMarketingStop(text: string | null): boolean {
  return MARKETING_STOPS.has(foldText(bareText(text)));
}

/** A message that the network reports. */
interface NetworkFacts extends NetworkName {
  readonly messageId: string;
  readonly eventId: string;
  readonly kind: MessageKind;
  readonly text: string | null;
  readonly media?: InboundMedia | undefined;
  readonly networkId: string;
  /** The network's time of the message, epoch milliseconds. */
  readonly at: number;
  /** The contact as just ensured: the network's profile may have filled its name. */
  readonly contact: ConversationContact;
  /** The message that this one quotes, or reacts to. */
  readonly replyToId: string | null;
  /** A choice, a place or cards. */
  readonly content?: MessageContent | undefined;
  /** Why the network has no media for it. */
  readonly error?: StoredMessage['error'];
}

export interface InboundFacts extends NetworkFacts, Commerce {
  readonly referral?: string | undefined;
}

/** Appends a contact's message: it is unread, reopens a resolved conversation, and is an event. */
export function decideInbound(state: ConversationState, facts: InboundFacts, now: number) {
  const { contact, referral } = facts;
  const fields = {
    direction: 'in',
    author: { kind: 'contact', label: contact.name ?? contact.phone },
    status: 'received',
    ...(referral === undefined ? {} : { referral }),
    ...commerceOf(facts),
    origin: 'contact',
  } as const;
  const opened = isReactionTakenBack(facts) ? state : afterContact(state, facts, now);
  return appendReported(opened, facts, { fields, event: 'message.received', now });
}

function afterContact(state: ConversationState, facts: InboundFacts, now: number) {
  const { quickTurns: _, ...before } = state;
  return { ...before, ...turnsAfterContact(state, now), ...windowAfter(state, facts) };
}

function windowAfter(state: ConversationState, { kind, at }: InboundFacts): WindowFacts {
  return kind === 'reaction' ? leaveUndecided(state, at) : openWindow(state, at);
}

export interface EchoFacts extends NetworkFacts {
  /** How long a person's answer pauses automation. */
  readonly pauseMs: number;
  readonly authorLabel: string;
}

/**
 * Appends a message typed on the connected phone: emits `message.sent`, pauses automation unless it
 * takes a reaction back.
 */
export function decideEcho(state: ConversationState, facts: EchoFacts, now: number): Accepted {
  const fields = {
    direction: 'out',
    author: { kind: 'member', label: facts.authorLabel },
    status: 'sent',
    receipts: { sent: networkTime(state, facts.at, now), delivered: null, read: null },
    origin: 'network',
  } as const;
  const automationPausedUntil = Math.max(state.automationPausedUntil ?? 0, now + facts.pauseMs);
  const paused = isReactionTakenBack(facts) ? state : { ...state, automationPausedUntil };
  return appendReported(paused, facts, { fields, event: 'message.sent', now });
}

/**
 * Whether the report of a reaction of our number is that of one which this service sent. WEBJS
 * reports it under an id that no send was answered with. The message and the emoji decide, unless a
 * person has reacted on the phone since: then the network's report is theirs.
 *
 * @param newestFirst reactions of our number in the conversation
 */
export function isOwnReaction(
  newestFirst: readonly StoredMessage[],
  reported: Pick<StoredMessage, 'text' | 'replyToId'>,
): boolean {
  const { replyToId, text } = reported;
  if (replyToId === null) return false;
  for (const reaction of newestFirst) {
    if (reaction.replyToId !== replyToId) continue;
    if (reaction.origin === 'network') return false;
    if (reaction.status !== 'failed' && isSameEmoji(reaction.text, text)) return true;
  }
  return false;
}

/** The network adds and drops the variation selector. */
function isSameEmoji(one: string | null, other: string | null): boolean {
  return (one ?? '').replaceAll('\uFE0F', '') === (other ?? '').replaceAll('\uFE0F', '');
}

interface Reported {
  readonly fields: Omit<MessageDraft, 'text' | 'createdAt'>;
  readonly event: string;
  readonly now: number;
}

function appendReported(
  state: ConversationState,
  facts: NetworkFacts,
  { fields, event, now }: Reported,
): Accepted {
  const { messageId, eventId, contact, networkId, media, kind, text, replyToId } = facts;
  const { content, error } = facts;
  const createdAt = networkTime(state, facts.at, now);
  const failure = error === undefined ? {} : { error };
  const arrived = createdAt < now ? { arrivedAt: now } : {};
  const said = { kind, text, replyToId, ...(content === undefined ? {} : { content }), ...failure };
  const message = newMessage({ ...said, ...namesOf(facts), createdAt, ...arrived, ...fields });
  const after = append({ ...state, contact, networkId }, message, now);
  const place = isLate(state, createdAt) ? { ownPlace: { at: createdAt, seq: after.seq } } : {};
  const told = { messageId, occurredAt: createdAt, reported: media };
  const data = { ...messageEventData(after, message, told), ...failure };
  const outbox = [{ type: 'event', id: eventId, event, data }] as const;
  return { state: after, message, queued: false, ...place, ...(media ? { media } : {}), outbox };
}

/** The network's code where the contact has stopped marketing messages there. */
const MARKETING_STOPPED_CODE = '131050';

/** Whether the refusal of the message tells that the contact wants no marketing messages. */
export function isMarketingRefusal({ status, error }: StoredMessage): boolean {
  return status === 'failed' && error?.code === MARKETING_STOPPED_CODE;
}

export interface Receipt {
  readonly status: 'sent' | 'delivered' | 'read' | 'failed';
  readonly at: number;
  readonly externalId?: string;
  /** The network's full id, where `externalId` is one segment of it. */
  readonly fullId?: string;
  /** Error of a failure: the network's code and a Portuguese reason. */
  readonly error?: { readonly code: string; readonly message: string };
}

interface ReceiptEvent {
  readonly event: `message.${Receipt['status']}`;
  readonly at: number;
}

export interface ReceiptDecision {
  readonly message: StoredMessage;
  readonly events: readonly ReceiptEvent[];
}

/** Exceeds the number of changes that a message has under one status. */
export const REVISIONS_PER_STATUS = 1_000;

function revisionAfter({ revision }: StoredMessage, status: StoredStatus): number {
  return Math.max(revision + 1, STATUS_RANK[status] * REVISIONS_PER_STATUS);
}

/** Null when the receipt reports nothing new. */
export function decideReceipt(message: StoredMessage, receipt: Receipt): ReceiptDecision | null {
  if (message.direction !== 'out') return null;
  const rises = STATUS_RANK[receipt.status] > STATUS_RANK[message.status];
  if (receipt.status === 'failed') return rises ? fail(message, receipt) : null;
  const receipts = fill(message.receipts, receipt);
  const names = namesAfter(message, receipt);
  const newlySent = message.receipts.sent === null;
  if (!rises && !newlySent && names.externalId === message.externalId) return null;
  const { error: _, ...rest } = message;
  const base = rises ? { ...rest, status: receipt.status } : message;
  const events: ReceiptEvent[] = [];
  if (newlySent) events.push({ event: 'message.sent', at: receipts.sent ?? receipt.at });
  if (rises && receipt.status !== 'sent') {
    const at = receipts[receipt.status] ?? receipt.at;
    events.push({ event: `message.${receipt.status}`, at });
  }
  const revision = revisionAfter(message, base.status);
  return { message: { ...base, revision, ...names, receipts }, events };
}

/** A full id that is new is stored with the other changes. */
function namesAfter(message: StoredMessage, receipt: Receipt) {
  const externalId = message.externalId ?? receipt.externalId ?? null;
  const fullId = message.fullId ?? receipt.fullId;
  return { externalId, ...(fullId === undefined ? {} : { fullId }) };
}

function fail(message: StoredMessage, receipt: Receipt): ReceiptDecision {
  const revision = revisionAfter(message, 'failed');
  const error = receipt.error ?? { code: 'unknown', message: 'A rede recusou a mensagem.' };
  const names = namesAfter(message, receipt);
  return {
    message: { ...message, revision, status: 'failed', ...names, error },
    events: [{ event: 'message.failed', at: receipt.at }],
  };
}

/** The network reports whole seconds: a later step is never shown before an earlier one. */
function fill(known: StoredMessage['receipts'], receipt: Receipt): StoredMessage['receipts'] {
  const reached = STATUS_RANK[receipt.status];
  const sent = known.sent ?? receipt.at;
  const delivered =
    known.delivered ?? (reached >= STATUS_RANK.delivered ? Math.max(receipt.at, sent) : null);
  const read =
    known.read ?? (reached >= STATUS_RANK.read ? Math.max(receipt.at, delivered ?? sent) : null);
  return { sent, delivered, read };
}
