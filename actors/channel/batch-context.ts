/** Types of a dispatch batch: its input, its context, and the result of each send. */
import type { Restriction } from '../../shared/ports/network.ts';
import type { EntryDocument, SendAgenda } from '../conversation/documents.ts';
import type { Later } from './backoff.ts';
import type { ChannelConfiguration, ChannelEnvironment } from './configuration.ts';
import type {
  ConversationQueue,
  ConversationQueues,
  QueuedMessage,
} from './conversation-queues.ts';
import type { InFlight } from './in-flight.ts';
import type { ReadinessProbe } from './readiness-probe.ts';
import type { SentIndex } from './sent-index.ts';
import type { UnmatchedReceipts } from './unmatched-receipts.ts';
import type { Uploads } from './uploads.ts';

/** Holds first contacts back while the network restricts the number. */
interface FirstContactFilter {
  restrict(restriction: Restriction): void;
  /** The messages that may be sent now. The queues of the others receive a result. */
  admit(sendings: readonly Sending[]): Promise<readonly Sending[]>;
}

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
  readonly inFlight: InFlight;
  readonly readiness: Pick<ReadinessProbe, 'blockChannel' | 'recordSend'>;
  readonly firstContacts: FirstContactFilter;
}

/** The result of one send for its conversation queue. */
export type SendResult =
  /** `byNetwork`: the network answered, so it works. `accepted`: the network has the message. */
  | { readonly result: 'done'; readonly byNetwork: boolean; readonly accepted?: true }
  /**
   * The outcome is unknown, and the message is read again. `unanswered`: the network did not answer
   * the send.
   */
  | { readonly result: 'ambiguous'; readonly waitMs: number; readonly unanswered?: true }
  | ({ readonly result: 'later' } & Pick<
      Later,
      'waitMs' | 'scope' | 'channelReason' | 'failure' | 'unprobed'
    >)
  /** A first contact that the number may not begin now: it waits in the queue. */
  | { readonly result: 'held'; readonly waitMs: number }
  /** The store failed: nothing was sent to the network. */
  | { readonly result: 'retry'; readonly waitMs: number };

export type OnSendResult = (queue: ConversationQueue, result: SendResult) => void;

export interface DispatchBatch {
  readonly configuration: ChannelConfiguration;
  readonly items: readonly { readonly queue: ConversationQueue; readonly message: QueuedMessage }[];
  readonly onResult: OnSendResult;
}

/** The send agenda of a message, with the fields that only the channel uses. */
export interface ChannelSendAgenda extends SendAgenda {
  /** When it was first transmitted without a conclusive answer, epoch milliseconds. */
  readonly doubtSince?: number;
  /** How often the network failed on this very message. */
  readonly failures?: number;
  /** The network's id under which it is sent; absent where the network makes its own ids. */
  readonly ownId?: string;
  /** The attempt that repeated it though no look-up was conclusive: one at most. */
  readonly blindAttempt?: number;
}

export interface QueuedEntry extends EntryDocument {
  readonly send?: ChannelSendAgenda;
}

/** One message of a dispatch batch. */
export interface Sending {
  readonly configuration: ChannelConfiguration;
  readonly onResult: OnSendResult;
  readonly queue: ConversationQueue;
  readonly entry: QueuedEntry;
  readonly send: ChannelSendAgenda;
}

export const STORE_RETRY_MS = 250;
