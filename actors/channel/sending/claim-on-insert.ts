/**
 * Claim on insert of a message to send, as conversations use it.
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
import type { WriteOutcome } from '../../../shared/ports/store.ts';
import type { EntryDocument, SendAgenda } from '../../model/conversation.ts';

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
