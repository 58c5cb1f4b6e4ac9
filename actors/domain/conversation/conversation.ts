/**
 * The conversation: its state and the pure decisions that append to its log (C2.5, C2.6, D9).
 *
 * 1. Every accepted decision appends exactly one entry, `seq` one higher than the last. The entry
 *    contains the state after it: the last entry alone is the truth.
 * 2. A refused command changes nothing and emits nothing (I4).
 * 3. Outbound messages have the next `seq` in the order in which they were accepted (I2).
 */
import { type Failure, failure, invalid } from '../../../shared/failures.ts';
import type { StoredMessage } from '../../../shared/message.ts';
import type {
  ContactCard,
  Interactive,
  InteractiveAnswer,
  Location,
  Reaction,
} from '../../../shared/message-content.ts';
import type { InboundMedia } from '../../../shared/ports/network-event.ts';
import { isSameNumber } from '../../../shared/text/phone-spellings.ts';
import type { ConversationStatus, Origin } from '../../../shared/vocabulary.ts';
import type { SendMessage } from '../../../shared/wire/commands.ts';
import { type OutboxItem, timestamp } from '../../../shared/wire/outbox.ts';
import type { ContactState } from '../contact.ts';
import type { Run, StopReason } from '../flow-run.ts';
import { commerceOf } from './commerce.ts';
import {
  type HistoryFacts,
  historyTime,
  isLate,
  type OwnPlace,
  oneMorePlace,
} from './history-order.ts';
import { reportedFile } from './message-file.ts';
import type { QuickTurns } from './quick-turns.ts';
import type { Settlement } from './settlement.ts';
import type { WindowFacts } from './window.ts';

/** Its phone is empty for a person whom the network identifies by an opaque id only. */
export type ConversationContact = Pick<ContactState, 'id' | 'phone' | 'name'>;

export interface ConversationState extends WindowFacts, HistoryFacts {
  readonly id: string;
  readonly orgId: string;
  readonly channelId: string;
  readonly contact: ConversationContact;
  /** The network's own id of the contact, to which messages are sent. */
  readonly networkId: string | null;
  readonly status: ConversationStatus;
  readonly assignedTo: string | null;
  readonly participants: readonly string[];
  readonly unread: number;
  readonly lastMessagePreview: string;
  /** `seq` of the message that the preview shows; absent if a joined log has the message. */
  readonly lastMessageSeq?: number;
  readonly automationPausedUntil: number | null;
  readonly createdAt: number;
  /** `seq` of the last entry; 0 before the first. */
  readonly seq: number;
  /** Time of the last entry: entries never go back in time. */
  readonly at: number;
  /** The flow under way; set exactly while the status is `in_flow`. */
  readonly run: Run | null;
  /** Number of messages from the contact. */
  readonly received: number;
  /** `seq` of the last message that was queued for the network; 0 before the first. */
  readonly queuedSeq: number;
  /** The older conversation that answers for this one (D142). */
  readonly joinedTo?: string;
  /** Younger conversations whose messages are part of this one, in the order of their joins. */
  readonly joined?: readonly string[];
  /** Absent where the contact takes as long as a person. */
  readonly quickTurns?: QuickTurns;
}

/** A decision to append an entry, with or without a message. */
export interface Appended {
  readonly state: ConversationState;
  readonly message?: StoredMessage;
  /** True for an outbound message that is still to be sent. */
  readonly queued: boolean;
  /** `seq` of the message queued before this one, which is sent first. */
  readonly previousSeq?: number;
  /** Media of the message that is still at the network. */
  readonly media?: InboundMedia;
  readonly outbox: readonly OutboxItem[];
  /** It stops the run before its last step. */
  readonly stopped?: boolean;
  /** Why it stops the run, where it was neither a person nor an opt-out. */
  readonly reason?: StopReason;
  /** The settlement of a scheduled message. */
  readonly settles?: Settlement;
  /** The message's place in the history where it came late. */
  readonly ownPlace?: OwnPlace;
}

export type Accepted = Appended & { readonly message: StoredMessage };

export function newConversation(
  identity: Pick<ConversationState, 'id' | 'orgId' | 'channelId' | 'contact' | 'networkId'>,
  now: number,
): ConversationState {
  return {
    ...identity,
    status: 'open',
    assignedTo: null,
    participants: [],
    unread: 0,
    lastMessageAt: now,
    lastMessagePreview: '',
    automationPausedUntil: null,
    createdAt: now,
    seq: 0,
    at: now,
    messages: 0,
    notes: 0,
    queuedSeq: 0,
    run: null,
    received: 0,
  };
}

const PREVIEW_CHARS = 160;

type Previewed = Pick<StoredMessage, 'text'> & { readonly kind: string };

export function previewOf(message: Previewed): string {
  const text = message.text ?? `[${message.kind}]`;
  if (text.length <= PREVIEW_CHARS) return text;
  return [...text.slice(0, 2 * PREVIEW_CHARS)].slice(0, PREVIEW_CHARS).join('');
}

/** A reaction without its emoji: the network's report that it is taken back. */
export function isReactionTakenBack({ kind, text }: Pick<StoredMessage, 'kind' | 'text'>): boolean {
  return kind === 'reaction' && !text;
}

/** The state after a message. A reaction that is taken back says nothing: it is only on record. */
export function append(
  state: ConversationState,
  message: StoredMessage,
  now: number,
): ConversationState {
  if (isReactionTakenBack(message)) {
    const at = Math.max(state.at, now);
    const after = { ...state, seq: state.seq + 1, at, messages: state.messages + 1 };
    return withPlaceOf(message, state, after);
  }
  const note = message.direction === 'note';
  // A call may have begun the conversation: its first message is the last one, whatever its time.
  const isLast = state.messages === 0 || message.createdAt >= state.lastMessageAt;
  const latest = state.seq === 0 || (!note && isLast);
  const last = {
    lastMessageAt: message.createdAt,
    lastMessagePreview: previewOf(message),
    lastMessageSeq: state.seq + 1,
  };
  const after = {
    ...state,
    ...(latest ? last : {}),
    seq: state.seq + 1,
    at: Math.max(state.at, now),
    unread: message.direction === 'in' ? state.unread + 1 : 0,
    status: message.direction === 'in' && state.status === 'resolved' ? 'open' : state.status,
    messages: state.messages + (note ? 0 : 1),
    notes: state.notes + (note ? 1 : 0),
    received: state.received + (message.direction === 'in' ? 1 : 0),
    ...inboundTime(state, message),
  };
  return withPlaceOf(message, state, after);
}

/** The state after a message, of which the history has it at its place. */
function withPlaceOf(
  { createdAt }: Pick<StoredMessage, 'createdAt'>,
  before: ConversationState,
  after: ConversationState,
): ConversationState {
  if (before.messages + before.notes === 0) {
    const lastMessageAt = Math.min(after.lastMessageAt, createdAt);
    return withHistoryAt({ ...after, lastMessageAt }, createdAt);
  }
  const counted = isLate(before, createdAt) ? { ...after, ...oneMorePlace(before) } : after;
  return withHistoryAt(counted, Math.max(historyTime(before), createdAt));
}

/** The state with a history whose newest entry is of this time. */
export function withHistoryAt(state: ConversationState, at: number): ConversationState {
  if (at > state.lastMessageAt) return { ...state, historyAt: at };
  if (state.historyAt === undefined) return state;
  const { historyAt: _, ...rest } = state;
  return rest;
}

function inboundTime(
  { lastInboundAt = 0 }: ConversationState,
  { direction, createdAt }: StoredMessage,
): Pick<ConversationState, 'lastInboundAt'> {
  return direction === 'in' ? { lastInboundAt: Math.max(lastInboundAt, createdAt) } : {};
}

/** Appends an entry without a message: `state` is the one after it, except `seq` and `at`. */
export function appendEntry(
  state: ConversationState,
  now: number,
  outbox: readonly OutboxItem[] = [],
): Appended {
  const next = { ...state, seq: state.seq + 1, at: Math.max(state.at, now) };
  return { state: next, queued: false, outbox };
}

export type MessageDraft = Partial<StoredMessage> &
  Pick<StoredMessage, 'direction' | 'text' | 'author' | 'status' | 'origin' | 'createdAt'>;

/** A message as it is first recorded. */
export function newMessage(draft: MessageDraft): StoredMessage {
  return {
    revision: 1,
    kind: 'text',
    media: null,
    receipts: { sent: null, delivered: null, read: null },
    externalId: null,
    replyToId: null,
    transcript: null,
    ...draft,
  };
}

/** Appends an internal note: part of the history on request, never sent to the network. */
export function appendNote(
  state: ConversationState,
  note: Pick<StoredMessage, 'text' | 'author' | 'origin' | 'memberId'>,
  now: number,
): Accepted {
  const createdAt = Math.max(state.at, now);
  const message = newMessage({ ...note, direction: 'note', status: 'received', createdAt });
  return { state: append(state, message, now), message, queued: false, outbox: [] };
}

/** What the events of a message show of it. */
type Told = Pick<StoredMessage, 'text' | 'kind' | 'origin' | 'author'> &
  Partial<
    Pick<
      StoredMessage,
      'media' | 'content' | 'replyToId' | 'replacesId' | 'ad' | 'product' | 'order'
    >
  >;

interface EventFacts {
  readonly messageId: string;
  readonly occurredAt: number;
  readonly origin?: Origin;
  /** The message's file, while its network alone has it. */
  readonly reported?: InboundMedia | undefined;
}

/**
 * The fields of the contract's message events, in its order, then the extras. A file has no address
 * yet: it gets one as the event is published.
 */
export function messageEventData(
  state: ConversationState,
  message: Told,
  facts: EventFacts,
): Record<string, unknown> {
  const { messageId, reported } = facts;
  const media = message.media ?? (reported && reportedFile(messageId, reported));
  const { replyToId } = message;
  return {
    messageId,
    conversationId: state.id,
    phone: state.contact.phone,
    text: message.text,
    channelId: state.channelId,
    occurredAt: timestamp(facts.occurredAt),
    contactId: state.contact.id,
    kind: message.kind,
    origin: facts.origin ?? message.origin,
    author: message.author,
    ...(media ? { media } : {}),
    ...(replyToId ? { replyToId } : {}),
    ...shownContent(message),
    ...commerceOf(message),
  };
}

/** Content of a message as the history and the events show it, beside its text (D288). */
interface ShownContent {
  readonly template?: { readonly name: string; readonly language: string };
  readonly interactive?: Interactive | InteractiveAnswer;
  readonly reaction?: Reaction;
  readonly location?: Location;
  readonly contacts?: readonly ContactCard[];
  /** The refused message in whose place this one was sent. */
  readonly replacesId?: string;
}

type Shown = Pick<StoredMessage, 'kind' | 'text'> &
  Partial<Pick<StoredMessage, 'content' | 'replyToId' | 'replacesId'>>;

/** A reaction of either direction names its target by `replyToId`. */
export function shownContent({ kind, text, content, replyToId, replacesId }: Shown): ShownContent {
  const reaction =
    kind === 'reaction' ? { reaction: { messageId: replyToId ?? null, emoji: text ?? '' } } : {};
  const replaces = replacesId === undefined ? {} : { replacesId };
  return { ...(content ? structureOf(content) : {}), ...reaction, ...replaces };
}

function structureOf(content: NonNullable<StoredMessage['content']>): ShownContent {
  switch (content.type) {
    case 'template': {
      const { name, language } = content.template;
      return { template: { name, language } };
    }
    case 'interactive':
      return { interactive: content.interactive };
    case 'answer':
      return { interactive: content.answer };
    case 'location':
      return { location: content.location };
    case 'contacts':
      return { contacts: content.contacts };
    case 'reaction':
      return {};
    default:
      return content satisfies never;
  }
}

export type SendTarget = Pick<
  SendMessage,
  'orgId' | 'channelId' | 'channelScope' | 'byConversation' | 'phone'
>;

/** Why a send to this conversation is refused; null when it may go (C4.9, D16). */
export function refuseTarget(state: ConversationState | null, target: SendTarget): Failure | null {
  if (!target.byConversation) return null;
  if (!state || state.orgId !== target.orgId) return failure('conversation_not_found');
  if (state.channelId !== target.channelId) {
    return target.channelScope
      ? failure('other_channel')
      : invalid({ path: 'conversationId', message: 'A conversa pertence a outro canal.' });
  }
  if (target.phone !== null && !isSameNumber(target.phone, state.contact.phone)) {
    return invalid({ path: 'phone', message: 'O telefone não é o do contato desta conversa.' });
  }
  return null;
}

/** A message to be sent; its text is what a person reads, whatever its content. */
export interface OutboundDraft
  extends Pick<StoredMessage, 'text' | 'kind' | 'media' | 'origin'>,
    Partial<Pick<StoredMessage, 'content' | 'replyToId' | 'fallback' | 'replacesId' | 'bulk'>> {
  readonly authorLabel: string;
}

/** Appends an outbound message; the channel sends the messages in `seq` order. */
export function decideSend(state: ConversationState, draft: OutboundDraft, now: number): Accepted {
  const { authorLabel, ...content } = draft;
  const at = Math.max(state.at, now);
  const message = newMessage({
    direction: 'out',
    ...content,
    author: { kind: 'automation', label: authorLabel },
    status: 'queued',
    createdAt: at,
  });
  const after = append(state, message, at);
  const queued = { ...after, queuedSeq: after.seq };
  return { state: queued, message, queued: true, previousSeq: state.queuedSeq, outbox: [] };
}
