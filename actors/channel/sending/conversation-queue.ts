/** The queue of one conversation: its messages in order of `seq`, and why they wait. */
import type { Urgency } from '../../../shared/vocabulary.ts';
import type { EntryDocument } from '../../model/conversation.ts';
import type { Hold } from './send-result.ts';

export interface QueuedMessage {
  readonly entryId: string;
  readonly seq: number;
  readonly urgency: Urgency;
  /** The entry as it was committed, until the message is first dequeued. */
  readonly fresh?: EntryDocument;
}

export interface ConversationQueue {
  readonly conversationId: string;
  readonly messages: QueuedMessage[];
  urgency: Urgency;
  /** Of its messages. */
  replies: number;
  normals: number;
  busy: boolean;
  /** Monotonic milliseconds. */
  notBefore: number;
  /** The number's reason to wait: it rejects messages, or may not send what this one is. */
  held: Held | null;
  /** The contact has written since the queue was created. */
  contactWrote: boolean;
  /** Consecutive rejections of one kind: of this pair alone, or of the number. */
  backoffs: number;
  backoffsOfPair: boolean;
}

export type Held = 'by number' | Hold;

export interface Dequeued {
  readonly queue: ConversationQueue;
  readonly message: QueuedMessage;
}

export function queueOf(conversationId: string, urgency: Urgency): ConversationQueue {
  return {
    conversationId,
    messages: [],
    urgency,
    replies: 0,
    normals: 0,
    busy: false,
    notBefore: 0,
    held: null,
    contactWrote: false,
    backoffs: 0,
    backoffsOfPair: false,
  };
}

/** A message added meanwhile may precede the one that was in flight. */
export function sortBySeq({ messages }: ConversationQueue): void {
  messages.sort((a, b) => a.seq - b.seq);
}
