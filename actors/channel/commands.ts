/** What a channel is told by other actors. */
import type { Command } from '../../shared/ports.ts';
import type { EntryDocument } from '../conversation/documents.ts';
import type { ReadinessReport } from '../domain/network-readiness.ts';

/** Hint that the agenda has changed: a message was queued, or the network has judged one. */
export interface SendNudge {
  readonly channelId: string;
  readonly conversationId: string;
  readonly entryId: string;
  readonly seq: number;
  /** When it was accepted, epoch milliseconds. */
  readonly at: number;
  readonly settled: boolean;
  /** Of a queued message, as it was committed: who sends it at once need not read it. */
  readonly entry?: EntryDocument;
}

/** The channel's settings may be others: it reads them, and asks its network. */
export interface Configure extends Command {
  readonly type: 'configure';
  /** It tells its organization, which does not wait for the answer. */
  readonly tell?: boolean;
}

/** Answer to `configure`: what is known of the network now; null: no news of it yet. */
export interface ProbeAnswer {
  readonly told: ReadinessReport | null;
}
