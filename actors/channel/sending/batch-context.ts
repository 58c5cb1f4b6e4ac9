/** Types of a dispatch batch: its context, its messages, and the result of each send. */
import type { Restriction } from '../../../shared/ports/network-event.ts';
import type { EntryDocument, SendAgenda } from '../../model/conversation.ts';
import type { ChannelConfiguration, ChannelEnvironment } from '../readiness/configuration.ts';
import type { SendEvidence } from '../readiness/send-evidence.ts';
import type { CompletedMessages } from './completed-messages.ts';
import type { ConversationQueue } from './conversation-queue.ts';
import type { ConversationQueues } from './conversation-queues.ts';
import type { SendResult } from './send-result.ts';
import type { SentIndex } from './sent-index.ts';
import type { UnmatchedReceipts } from './unmatched-receipts.ts';
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
  /** By conversation: resolves when the outcome of its send is on record. */
  readonly inFlight: Map<string, Promise<void>>;
  readonly isClosed: () => boolean;
  readonly queues: Pick<ConversationQueues, 'add'>;
  readonly completed: CompletedMessages;
  /** What sends tell of the network. */
  readonly readiness: {
    /** False while the network itself states that the number cannot send. */
    readonly maySend: () => boolean;
    /** The network states that the whole channel cannot send until an operator repairs it. */
    readonly blockChannel: (reason: string) => void;
    readonly recordSend: SendEvidence['record'];
    readonly sendEnded: SendEvidence['sendEnded'];
  };
  /** Holds back what the network does not take from the number. */
  readonly restrictions: {
    /** Whether the account owes the network, as far as is known. */
    readonly isUnpaid: boolean;
    restrict(restriction: Restriction): void;
    acceptedTemplate(): void;
    /** The messages that may be sent now. The queues of the others receive a result. */
    admit(sendings: readonly Sending[]): Promise<readonly Sending[]>;
    requeued(messageId: string | undefined): void;
    ended(messageId: string | undefined, accepted: boolean): void;
  };
  readonly onResult: OnSendResult;
  /** Called when the templates of the business account are worth reading again. */
  readonly onTemplatesChanged: () => Promise<void>;
}

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
