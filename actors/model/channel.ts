/** Commands and nudges to channels, and the documents of what they keep. */
import type { Command } from '../../shared/ports/bus.ts';
import type { Presence } from '../../shared/ports/network.ts';
import type { Document } from '../../shared/ports/store.ts';
import type { Acknowledged, Exchange } from '../../shared/wire/command-map.ts';
import type { Changes } from '../domain/conversation/message-change.ts';
import type { Receipt } from '../domain/conversation/network-message.ts';
import type { ReadinessReport } from '../domain/network-readiness.ts';
import type { EntryDocument } from './conversation.ts';

export interface AskedOfChannels {
  readonly configure: Exchange<Configure, ProbeAnswer>;
  readonly 'show-presence': Exchange<ShowPresence, Acknowledged>;
}

/** The channel's settings may have changed: the channel reads them and probes its network. */
export interface Configure extends Command {
  readonly type: 'configure';
  /** The channel reports to its organization, which does not use the answer. */
  readonly tell?: boolean;
}

/** Shows the contact that its messages were read, or that an answer is being written. */
export interface ShowPresence extends Command {
  readonly type: 'show-presence';
  readonly presence: Presence;
  /** Epoch milliseconds after which it is not shown: it would mislead. */
  readonly until?: number;
}

/** Answer to `configure`: the state of the network; null: nothing new is known yet. */
export interface ProbeAnswer {
  readonly report: ReadinessReport | null;
}

/** Hint that the agenda has changed: a message was queued, or a receipt has completed one. */
export interface SendNudge {
  readonly channelId: string;
  readonly conversationId: string;
  readonly entryId: string;
  /** Its place in the sending order. */
  readonly seq: number;
  /** When the message was accepted, epoch milliseconds. */
  readonly at: number;
  readonly settled: boolean;
  /** The queued message as it was committed: a sender that sends it at once need not read it. */
  readonly entry?: EntryDocument;
}

export interface UploadDocument extends Document {
  readonly uploadId: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

export interface ReadBackDocument extends Document {
  /** Epoch milliseconds before which all events are committed. */
  readonly upTo: number;
}

/** Receipts of a message, or its changes: kept until it is on record. */
export interface UnmatchedDocument extends Document, Changes {
  readonly receipts?: readonly Receipt[];
  readonly at: number;
}
