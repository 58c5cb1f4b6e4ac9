/** Nudges and commands from other actors to a channel. */
import type { Command } from '../../shared/ports/bus.ts';
import type { EntryDocument } from '../conversation/documents.ts';
import type { ReadinessReport } from '../domain/network-readiness.ts';

/** Hint that the agenda has changed: a message was queued, or a receipt has completed one. */
export interface SendNudge {
  readonly channelId: string;
  readonly conversationId: string;
  readonly entryId: string;
  readonly seq: number;
  /** When the message was accepted, epoch milliseconds. */
  readonly at: number;
  readonly settled: boolean;
  /** The queued message as it was committed: a sender that sends it at once need not read it. */
  readonly entry?: EntryDocument;
}

/** The channel's settings may have changed: the channel reads them and probes its network. */
export interface Configure extends Command {
  readonly type: 'configure';
  /** The channel reports to its organization, which does not use the answer. */
  readonly tell?: boolean;
}

/** Answer to `configure`: the state of the network; null: nothing new is known yet. */
export interface ProbeAnswer {
  readonly told: ReadinessReport | null;
}
