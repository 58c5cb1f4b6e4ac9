/** What a channel is told by other actors. */
import type { EntryDocument } from '../conversation/documents.ts';

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

/** Answer to `configure`: what the network says now. */
export interface ProbeAnswer {
  readonly ready: boolean | 'unknown';
  readonly reason?: string;
}
