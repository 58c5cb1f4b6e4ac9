/** What one dispatch round works on, and what it makes of it. */
import type { EntryDocument, SendAgenda } from '../conversation/documents.ts';
import type { Later } from './backoff.ts';
import type { ChannelConfiguration, DeskWorld } from './configuration.ts';
import type { EarlyReceipts } from './early-receipts.ts';
import type { HandingOver } from './handing-over.ts';
import type { Lane, Lanes, Queued } from './lanes.ts';
import type { ReadinessWatch } from './readiness-watch.ts';
import type { SentIndex } from './sent-index.ts';
import type { Uploads } from './uploads.ts';

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
  readonly readiness: Pick<ReadinessWatch, 'refuseAll'>;
}

/** What a round makes of one lane. */
export type Judged =
  /** `byNetwork`: the network answered, so it works. */
  | { readonly judged: 'done'; readonly byNetwork: boolean }
  /** To be looked at again: what became of it is not known. */
  | { readonly judged: 'ambiguous'; readonly waitMs: number }
  | ({ readonly judged: 'later' } & Pick<Later, 'waitMs' | 'scope' | 'channelReason' | 'failure'>)
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
