/**
 * Door of channels: nudges and commands from other actors, and the claim on insert.
 *
 * The insert that records a message also marks it `sending`. This saves one journaled write before
 * the send. The conversation's log runs this sequence:
 *
 * 1. `claimOnInsert` adds the message to its queue as in flight, if nothing precedes it and pace
 *    and network have room. Otherwise the log inserts the message as `queued`, and a dispatch batch
 *    marks it in its turn.
 * 2. `insertAndSend` runs the insert. The send starts when the insert is journaled.
 * 3. After a refusal or a lost answer the message leaves its queue, and nothing is sent. If the
 *    entry is on record all the same, its mark is known to be without a send (`in-doubt`).
 */
import type { Command } from '../../shared/ports/bus.ts';
import type { Presence } from '../../shared/ports/network.ts';
import type { WriteOutcome } from '../../shared/ports/store.ts';
import type { EntryDocument, SendAgenda } from '../conversation/api.ts';
import type { ReadinessReport } from '../domain/network-readiness.ts';

/** An entry with a message to send. */
export interface SentEntry extends EntryDocument {
  readonly send: SendAgenda;
}

export type Inserted = WriteOutcome | undefined;

export interface InsertClaim {
  /** The entry to insert, with the mark of its first attempt. */
  readonly entry: EntryDocument;
  /** Runs the insert, and then starts the send or ends the claim. */
  insertAndSend(insert: () => Promise<Inserted>): Promise<Inserted>;
}

/** The channel senders of this process, as conversations use them. */
export interface SendClaimer {
  claimOnInsert(entry: SentEntry): InsertClaim | null;
}

export function isToBeSent(entry: EntryDocument): entry is SentEntry {
  return entry.send !== undefined;
}

declare module '../../shared/wire/command-map.ts' {
  interface ChannelCommands {
    readonly configure: Exchange<Configure, ProbeAnswer>;
    readonly 'show-presence': Exchange<ShowPresence, Acknowledged>;
  }
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

/** Place of a message in the sending order of its conversation (D294). */
export function orderOf({ seq, send }: Pick<EntryDocument, 'seq' | 'send'>): number {
  return send?.seq ?? seq;
}

export function nudgeOf({ outbox: _published, ...entry }: EntryDocument): SendNudge {
  const { channelId, conversationId, _id: entryId, after, send } = entry;
  const named = { channelId, conversationId, entryId, seq: orderOf(entry) };
  const at = send?.at ?? after.at;
  return send ? { ...named, at, settled: false, entry } : { ...named, at, settled: true };
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
  readonly told: ReadinessReport | null;
}
