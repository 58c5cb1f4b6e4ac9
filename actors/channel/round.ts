/** What one dispatch round works on, and what it makes of it. */
import type { Restriction } from '../../shared/network.ts';
import type { EntryDocument, SendAgenda } from '../conversation/documents.ts';
import type { Later } from './backoff.ts';
import type { ChannelConfiguration, DeskWorld } from './configuration.ts';
import type { EarlyReceipts } from './early-receipts.ts';
import type { HandingOver } from './handing-over.ts';
import type { Lane, Lanes, Queued } from './lanes.ts';
import type { ReadinessWatch } from './readiness-watch.ts';
import type { SentIndex } from './sent-index.ts';
import type { Uploads } from './uploads.ts';

/** Holds messages back while the number may begin no conversations. */
interface FirstContactGate {
  restrict(told: Restriction): void;
  /** The messages that may go now; the lanes of the others are judged. */
  admit(sendings: readonly Sending[]): Promise<readonly Sending[]>;
}

/** What a round needs of its desk. */
export interface RoundDesk {
  readonly channelId: string;
  readonly epoch: number;
  /** When this owner began, epoch milliseconds. */
  readonly beganAt: number;
  readonly world: DeskWorld;
  readonly sent: SentIndex;
  readonly early: EarlyReceipts;
  readonly uploads: Uploads;
  /** Messages that this desk handed over without having learnt what became of them. */
  readonly inDoubt: Set<string>;
  readonly closed: boolean;
  readonly lanes: Lanes;
  readonly handing: HandingOver;
  readonly readiness: Pick<ReadinessWatch, 'refuseAll' | 'sent'>;
  readonly firstContacts: FirstContactGate;
}

/** What a round makes of one lane. */
export type Judged =
  /** `byNetwork`: the network answered, so it works. `accepted`: it has the message. */
  | { readonly judged: 'done'; readonly byNetwork: boolean; readonly accepted?: true }
  /** To be looked at again: what became of it is not known. `unanswered`: the network told nothing
   * when it was sent. */
  | { readonly judged: 'ambiguous'; readonly waitMs: number; readonly unanswered?: true }
  | ({ readonly judged: 'later' } & Pick<
      Later,
      'waitMs' | 'scope' | 'channelReason' | 'failure' | 'unprobed'
    >)
  /** A first contact that the number may not make now: it waits in the queue. */
  | { readonly judged: 'held'; readonly waitMs: number }
  /** The store could not say: the network has not been asked. */
  | { readonly judged: 'retry'; readonly waitMs: number };

export type Judge = (lane: Lane, how: Judged) => void;

export interface Round {
  readonly configuration: ChannelConfiguration;
  readonly taken: readonly { readonly lane: Lane; readonly queued: Queued }[];
  readonly judge: Judge;
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
  readonly judge: Judge;
  readonly lane: Lane;
  readonly entry: QueuedEntry;
  readonly send: ChannelSendAgenda;
}

export const STORE_RETRY_MS = 250;
