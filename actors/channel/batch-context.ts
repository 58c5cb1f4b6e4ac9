/** What one dispatch round works on, and what it makes of it. */
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

/** Holds messages back while the number may begin no conversations. */
interface FirstContactFilter {
  restrict(restriction: Restriction): void;
  /** The messages that may go now; the lanes of the others are judged. */
  admit(sendings: readonly Sending[]): Promise<readonly Sending[]>;
}

/** What a round needs of its desk. */
export interface BatchContext {
  readonly channelId: string;
  readonly epoch: number;
  /** When this owner began, epoch milliseconds. */
  readonly beganAt: number;
  readonly environment: ChannelEnvironment;
  readonly sent: SentIndex;
  readonly unmatched: UnmatchedReceipts;
  readonly uploads: Uploads;
  /** Messages that this desk handed over without having learnt what became of them. */
  readonly inDoubt: Set<string>;
  readonly closed: boolean;
  readonly queues: ConversationQueues;
  readonly inFlight: InFlight;
  readonly readiness: Pick<ReadinessProbe, 'blockChannel' | 'recordSend'>;
  readonly firstContacts: FirstContactFilter;
}

/** What a round makes of one lane. */
export type SendResult =
  /** `byNetwork`: the network answered, so it works. `accepted`: it has the message. */
  | { readonly result: 'done'; readonly byNetwork: boolean; readonly accepted?: true }
  /** To be looked at again: what became of it is not known. `unanswered`: the network told nothing
   * when it was sent. */
  | { readonly result: 'ambiguous'; readonly waitMs: number; readonly unanswered?: true }
  | ({ readonly result: 'later' } & Pick<
      Later,
      'waitMs' | 'scope' | 'channelReason' | 'failure' | 'unprobed'
    >)
  /** A first contact that the number may not make now: it waits in the queue. */
  | { readonly result: 'held'; readonly waitMs: number }
  /** The store could not say: the network has not been asked. */
  | { readonly result: 'retry'; readonly waitMs: number };

export type OnSendResult = (queue: ConversationQueue, result: SendResult) => void;

export interface DispatchBatch {
  readonly configuration: ChannelConfiguration;
  readonly items: readonly { readonly queue: ConversationQueue; readonly message: QueuedMessage }[];
  readonly onResult: OnSendResult;
}

/** A message's place in the agenda, with what only the channel keeps there. */
export interface ChannelSendAgenda extends SendAgenda {
  /** When it was first handed over without an answer that told its fate, epoch milliseconds. */
  readonly doubtSince?: number;
  /** How often the network faulted on this very message. */
  readonly failures?: number;
  /** The network's id under which it is sent; absent where the network makes its ids itself. */
  readonly ownId?: string;
  /** The attempt that repeated it though no look-up could tell: there is one at most. */
  readonly blindAttempt?: number;
}

export interface QueuedEntry extends EntryDocument {
  readonly send?: ChannelSendAgenda;
}

/** One message on its way. */
export interface Sending {
  readonly configuration: ChannelConfiguration;
  readonly onResult: OnSendResult;
  readonly queue: ConversationQueue;
  readonly entry: QueuedEntry;
  readonly send: ChannelSendAgenda;
}

export const STORE_RETRY_MS = 250;
