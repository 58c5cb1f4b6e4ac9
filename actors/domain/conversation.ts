/**
 * The conversation: its state and the pure decisions that append to its log.
 *
 * 1. Every accepted decision appends exactly one entry, `seq` one higher than the last. The entry
 *    contains the state after it: the last entry alone is the truth.
 * 2. A refused command changes nothing and emits nothing (I4).
 * 3. Outbound messages have the next `seq` in the order in which they were accepted (I2).
 *
 * C2.5, C2.6, D9.
 */
import { type Failure, failure, invalid } from '../../shared/failures.ts';
import type { StoredMedia, StoredMessage } from '../../shared/message.ts';
import type { InboundMedia } from '../../shared/ports/network.ts';
import type { ConversationStatus, MessageKind, Origin } from '../../shared/vocabulary.ts';
import { type OutboxItem, timestamp } from '../../shared/wire/outbox.ts';
import type { Run } from './flow/run.ts';
import type { Joined } from './joined.ts';
import { type NetworkName, namesOf } from './network-name.ts';
import { networkTime } from './network-time.ts';
import { previewOf } from './preview.ts';

export interface ConversationContact {
  readonly id: string;
  /** Canonical digits; empty for a person whom the network identifies by an opaque id only. */
  readonly phone: string;
  readonly name: string | null;
}

export interface ConversationState extends Joined {
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
  readonly lastMessageAt: number;
  readonly lastMessagePreview: string;
  /** `seq` of the message that the preview shows; absent in states of earlier releases. */
  readonly lastMessageSeq?: number;
  readonly automationPausedUntil: number | null;
  readonly createdAt: number;
  /** `seq` of the last entry; 0 before the first. */
  readonly seq: number;
  /** Time of the last entry: entries never go back in time. */
  readonly at: number;
  readonly messages: number;
  readonly notes: number;
  /** The flow under way; set exactly while the status is `in_flow`. */
  readonly run: Run | null;
  /** Number of messages from the contact. */
  readonly received: number;
  /** `seq` of the last message that was queued for the network; 0 before the first. */
  readonly queuedSeq: number;
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
}

export interface Accepted extends Appended {
  readonly message: StoredMessage;
}

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

/** The state after a message. */
export function append(
  state: ConversationState,
  message: StoredMessage,
  now: number,
): ConversationState {
  const note = message.direction === 'note';
  const latest = state.seq === 0 || (!note && message.createdAt >= state.lastMessageAt);
  const last = {
    lastMessageAt: message.createdAt,
    lastMessagePreview: previewOf(message),
    lastMessageSeq: state.seq + 1,
  };
  return {
    ...state,
    ...(latest ? last : {}),
    seq: state.seq + 1,
    at: Math.max(state.at, now),
    unread: message.direction === 'in' ? state.unread + 1 : 0,
    status: message.direction === 'in' && state.status === 'resolved' ? 'open' : state.status,
    messages: state.messages + (note ? 0 : 1),
    notes: state.notes + (note ? 1 : 0),
    received: state.received + (message.direction === 'in' ? 1 : 0),
  };
}

/** The fields of the contract's message events, in its order, then the extras. */
export function messageEventData(
  state: ConversationState,
  message: Pick<StoredMessage, 'text' | 'kind' | 'origin'>,
  facts: { messageId: string; occurredAt: number; origin?: Origin },
): Record<string, unknown> {
  return {
    messageId: facts.messageId,
    conversationId: state.id,
    phone: state.contact.phone,
    text: message.text,
    channelId: state.channelId,
    occurredAt: timestamp(facts.occurredAt),
    contactId: state.contact.id,
    kind: message.kind,
    origin: facts.origin ?? message.origin,
  };
}

export interface SendTarget {
  readonly orgId: string;
  readonly channelId: string;
  readonly channelScope: boolean;
  readonly byConversation: boolean;
  readonly phone: string | null;
}

/** Why a send to this conversation is refused; null when it may go (C4.9, D16). */
export function refuseTarget(state: ConversationState | null, target: SendTarget): Failure | null {
  if (!target.byConversation) return null;
  if (!state || state.orgId !== target.orgId) return failure('conversation_not_found');
  if (state.channelId !== target.channelId) {
    return target.channelScope
      ? failure('other_channel')
      : invalid({ path: 'conversationId', message: 'A conversa pertence a outro canal.' });
  }
  if (target.phone !== null && target.phone !== state.contact.phone) {
    return invalid({ path: 'phone', message: 'O telefone não é o do contato desta conversa.' });
  }
  return null;
}

export interface OutboundDraft {
  readonly text: string | null;
  readonly kind: MessageKind;
  readonly media: StoredMedia | null;
  readonly authorLabel: string;
  readonly origin: Origin;
}

/** Appends an outbound message; the channel sends the messages in `seq` order. */
export function decideSend(state: ConversationState, draft: OutboundDraft, now: number): Accepted {
  const at = Math.max(state.at, now);
  const message: StoredMessage = {
    revision: 1,
    direction: 'out',
    kind: draft.kind,
    text: draft.text,
    media: draft.media,
    author: { kind: 'automation', label: draft.authorLabel },
    status: 'queued',
    receipts: { sent: null, delivered: null, read: null },
    externalId: null,
    replyToId: null,
    transcript: null,
    origin: draft.origin,
    createdAt: at,
  };
  const after = append(state, message, at);
  return {
    state: { ...after, queuedSeq: after.seq },
    message,
    queued: true,
    previousSeq: state.queuedSeq,
    outbox: [],
  };
}

export interface InboundFacts extends NetworkName {
  readonly messageId: string;
  readonly eventId: string;
  readonly kind: MessageKind;
  readonly text: string | null;
  readonly media?: InboundMedia | undefined;
  readonly replyToId: string | null;
  readonly referral?: string | undefined;
  readonly networkId: string;
  /** The network's time of the message, epoch milliseconds. */
  readonly at: number;
  /** The contact as just ensured: the network's profile may have filled its name. */
  readonly contact: ConversationContact;
}

/** Appends a contact's message: it is unread, reopens a resolved conversation, and is an event. */
export function decideInbound(
  state: ConversationState,
  facts: InboundFacts,
  now: number,
): Accepted {
  const message: StoredMessage = {
    revision: 1,
    direction: 'in',
    kind: facts.kind,
    text: facts.text,
    media: null,
    author: { kind: 'contact', label: facts.contact.name ?? facts.contact.phone },
    status: 'received',
    receipts: { sent: null, delivered: null, read: null },
    ...namesOf(facts),
    replyToId: facts.replyToId,
    ...(facts.referral === undefined ? {} : { referral: facts.referral }),
    transcript: null,
    origin: 'contact',
    createdAt: networkTime(facts.at, now),
  };
  const known = { ...state, contact: facts.contact, networkId: facts.networkId };
  const after = append(known, message, now);
  const data = messageEventData(after, message, {
    messageId: facts.messageId,
    occurredAt: message.createdAt,
  });
  return {
    state: after,
    message,
    queued: false,
    ...(facts.media ? { media: facts.media } : {}),
    outbox: [{ type: 'event', id: facts.eventId, event: 'message.received', data }],
  };
}

export interface EchoFacts extends Omit<InboundFacts, 'replyToId' | 'referral'> {
  /** How long a person's answer pauses automation. */
  readonly pauseMs: number;
  readonly authorLabel: string;
}

/** Appends a message typed on the connected phone: emits `message.sent`, pauses automation. */
export function decideEcho(state: ConversationState, facts: EchoFacts, now: number): Accepted {
  const createdAt = networkTime(facts.at, now);
  const message: StoredMessage = {
    revision: 1,
    direction: 'out',
    kind: facts.kind,
    text: facts.text,
    media: null,
    author: { kind: 'member', label: facts.authorLabel },
    status: 'sent',
    receipts: { sent: createdAt, delivered: null, read: null },
    ...namesOf(facts),
    replyToId: null,
    transcript: null,
    origin: 'network',
    createdAt,
  };
  const known = { ...state, contact: facts.contact, networkId: facts.networkId };
  const after = {
    ...append(known, message, now),
    automationPausedUntil: Math.max(state.automationPausedUntil ?? 0, now + facts.pauseMs),
  };
  const data = messageEventData(after, message, {
    messageId: facts.messageId,
    occurredAt: createdAt,
  });
  return {
    state: after,
    message,
    queued: false,
    ...(facts.media ? { media: facts.media } : {}),
    outbox: [{ type: 'event', id: facts.eventId, event: 'message.sent', data }],
  };
}
