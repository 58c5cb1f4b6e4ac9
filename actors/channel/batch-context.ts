/** Types of a dispatch batch: its context, its messages, and the result of each send. */
import type { SendOutcome } from '../../shared/ports/network.ts';
import type { Restriction } from '../../shared/ports/network-event.ts';
import type { EntryDocument, SendAgenda } from '../model/conversation.ts';
import type { SentIndex } from './channel-caches.ts';
import type { ChannelConfiguration, ChannelEnvironment } from './configuration.ts';
import type { ConversationQueue, ConversationQueues } from './conversation-queues.ts';
import type { NumberBreaker } from './number-breaker.ts';
import type { RateLimiter } from './rate-limiter.ts';
import type { ReadinessProbe } from './readiness-probe.ts';
import type { UnmatchedReceipts } from './reports.ts';
import type { Uploads } from './uploads.ts';

/** The part of a channel sender that a dispatch batch uses. */
export interface BatchContext {
  readonly channelId: string;
  readonly epoch: number;
  /** When this owner's tenure began, epoch milliseconds. */
  readonly beganAt: number;
  readonly environment: ChannelEnvironment;
  readonly sent: SentIndex;
  readonly unmatched: UnmatchedReceipts;
  readonly uploads: Uploads;
  /** Messages that this sender transmitted and whose outcome it does not know. */
  readonly inDoubt: Set<string>;
  readonly closed: boolean;
  readonly queues: ConversationQueues;
  readonly breaker: NumberBreaker;
  readonly rateLimiter: RateLimiter;
  readonly readiness: Pick<ReadinessProbe, 'blockChannel' | 'recordSend' | 'sendEnded'>;
  /** Holds first contacts back while the network restricts the number. */
  readonly firstContacts: {
    restrict(restriction: Restriction): void;
    /** The messages that may be sent now. The queues of the others receive a result. */
    admit(sendings: readonly Sending[]): Promise<readonly Sending[]>;
    requeued(messageId: string | undefined): void;
    ended(messageId: string | undefined, accepted: boolean): void;
  };
  readonly onResult: OnSendResult;
  /** Called when memory has room again for messages that the store holds. */
  readonly onNeedsRefill: () => void;
  /** Called when the templates of the business account are worth reading again. */
  readonly onTemplatesChanged: () => Promise<void>;
}

export type Later = Extract<SendOutcome, { outcome: 'later' }>;

/** The result of one send for its conversation queue. */
export type SendResult =
  /** `byNetwork`: the network answered, so it works. `accepted`: the network has the message. */
  | { readonly result: 'done'; readonly byNetwork: boolean; readonly accepted?: true }
  /**
   * The outcome is unknown, and the message is read again. `unanswered`: the network did not answer
   * the send.
   */
  | { readonly result: 'ambiguous'; readonly waitMs: number; readonly unanswered?: true }
  | { readonly result: 'later'; readonly later: Later }
  /** A first contact that the number may not begin now: it waits in the queue. */
  | { readonly result: 'held'; readonly waitMs: number }
  /** The store failed: nothing was sent to the network. */
  | { readonly result: 'retry'; readonly waitMs: number };

export type OnSendResult = (queue: ConversationQueue, result: SendResult) => void;

/** One message of a dispatch batch. */
export interface Sending {
  readonly configuration: ChannelConfiguration;
  readonly queue: ConversationQueue;
  readonly entry: EntryDocument;
  /** The entry's agenda, as this attempt leaves it. */
  readonly send: SendAgenda;
}

export const STORE_RETRY_MS = 250;
