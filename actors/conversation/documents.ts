/** The conversation in MongoDB: a log of entries, and a snapshot of it for lists. */
import type { StoredMessage } from '../../shared/message.ts';
import type { OutboxItem } from '../../shared/outbox.ts';
import type { Document, Write } from '../../shared/ports.ts';
import { partitionOf } from '../../shared/subjects.ts';
import type { Accepted, ConversationState } from '../domain/conversation.ts';

/** What the channel needs to hand a message to the network; gone once the network has judged. */
export interface SendAgenda {
  /** Of the channel's actor. */
  readonly partition: number;
  readonly channelId: string;
  readonly state: 'queued' | 'sending';
  /** When it was accepted. */
  readonly at: number;
  /** How often it was handed to the network. */
  readonly attempt: number;
  /** Under which epoch and when it went to `sending`. */
  readonly epoch?: number;
  readonly since?: number;
}

export interface EntryDocument extends Document {
  readonly conversationId: string;
  readonly seq: number;
  readonly orgId: string;
  readonly channelId: string;
  readonly externalId?: string;
  readonly message: StoredMessage;
  /** The state after this entry: the last one is the truth. */
  readonly after: ConversationState;
  /** Partition of the conversation while snapshot or outbox may be unfinished. */
  readonly pending?: number;
  readonly outbox?: readonly OutboxItem[];
  readonly send?: SendAgenda;
  /** Compared and raised by every change of the message after it was appended. */
  readonly revision: number;
}

export interface ConversationDocument extends Document {
  readonly orgId: string;
  readonly channelId: string;
  readonly contactId: string;
  readonly appliedSeq: number;
  readonly epoch: number;
  readonly state: ConversationState;
  readonly status: string;
  readonly lastMessageAt: number;
}

/** The index that is the fence of the log. */
export const SEQUENCE_INDEX = 'conversation_seq';

export function entryDocument(id: string, accepted: Accepted): EntryDocument {
  const { state, message, outbox, queued } = accepted;
  return {
    _id: id,
    conversationId: state.id,
    seq: state.seq,
    orgId: state.orgId,
    channelId: state.channelId,
    ...(message.externalId === null ? {} : { externalId: message.externalId }),
    message,
    after: state,
    revision: 1,
    pending: partitionOf('conversation', state.id),
    ...(outbox.length > 0 ? { outbox } : {}),
    ...(queued
      ? {
          send: {
            partition: partitionOf('channel', state.channelId),
            channelId: state.channelId,
            state: 'queued',
            at: state.at,
            attempt: 0,
          },
        }
      : {}),
  };
}

/**
 * The snapshot only ever rises; of two owners that wrote the same `seq`, the later epoch is right.
 * With `upsert` an older write meets the newer document as a duplicate, which is as it should be.
 */
export function snapshotWrite(state: ConversationState, epoch: number): Write {
  return {
    update: 'conversations',
    filter: {
      _id: state.id,
      $or: [
        { appliedSeq: { $lt: state.seq } },
        { appliedSeq: state.seq, epoch: { $lt: epoch } },
      ],
    },
    change: { $set: snapshotFields(state, epoch) },
    upsert: true,
  };
}

/**
 * Changes a message that is in the log already. With `upsert` a stale revision shows as a
 * duplicate instead of silently matching nothing.
 */
export function messageWrite(
  entry: EntryDocument,
  message: StoredMessage,
  outbox: readonly OutboxItem[],
): Write {
  return {
    update: 'entries',
    filter: { _id: entry._id, revision: entry.revision },
    change: {
      $set: {
        message,
        revision: entry.revision + 1,
        ...(message.externalId === null ? {} : { externalId: message.externalId }),
        ...(outbox.length > 0 ? { pending: partitionOf('conversation', entry.conversationId) } : {}),
      },
      $unset: { send: '' },
      ...(outbox.length > 0 ? { $push: { outbox: { $each: outbox } } } : {}),
    },
    upsert: true,
  };
}

/** Replaces whatever an entry that was refused may have left in the snapshot. */
export function snapshotRepair(state: ConversationState, epoch: number): Write {
  return {
    update: 'conversations',
    filter: { _id: state.id, epoch: { $lte: epoch } },
    change: { $set: snapshotFields(state, epoch) },
  };
}

function snapshotFields(state: ConversationState, epoch: number) {
  return {
    orgId: state.orgId,
    channelId: state.channelId,
    contactId: state.contact.id,
    status: state.status,
    lastMessageAt: state.lastMessageAt,
    appliedSeq: state.seq,
    epoch,
    state,
  };
}
