/**
 * Claim on insert: the insert that records a message also marks it `sending`. This saves one
 * journaled write before the send. The conversation offers the message to the channel sender before
 * it inserts it.
 *
 * 1. A message is claimed only if nothing precedes it and pace and network have room. Otherwise it
 *    is inserted as `queued` and marked in its turn.
 * 2. The send starts when this insert is journaled. After a refusal or a lost answer nothing is
 *    sent. If the entry is on record all the same, its mark is known to be without a send
 *    (`in-doubt`).
 */
import type { EntryDocument } from '../conversation/documents.ts';
import type { BatchContext, ChannelSendAgenda, QueuedEntry } from './batch-context.ts';
import type { ChannelConfiguration } from './configuration.ts';
import { ownIdOf } from './own-id.ts';

/** An entry with a message to send. */
export interface SentEntry extends QueuedEntry {
  readonly send: ChannelSendAgenda;
}

export interface InsertClaim {
  /** The entry to insert. */
  readonly entry: EntryDocument;
  /** The caller always calls it. True: the entry is inserted and journaled. */
  readonly resolve: (inserted: boolean) => void;
}

/** The channel senders of this process, as conversations use them. */
export interface SendClaimer {
  /** Null: insert the entry unchanged. */
  claimOnInsert(entry: SentEntry): InsertClaim | null;
}

export function isToBeSent(entry: EntryDocument): entry is SentEntry {
  return entry.send !== undefined;
}

/** The entry as the mark of a dispatch batch would leave it. */
export function claimedByInsert(
  { epoch, environment }: Pick<BatchContext, 'epoch' | 'environment'>,
  configuration: ChannelConfiguration,
  entry: SentEntry,
): SentEntry {
  const { send } = entry;
  const marked = { attempt: send.attempt + 1, epoch, since: environment.clock.now() };
  const named = ownIdOf(environment, configuration, entry);
  return { ...entry, send: { ...send, state: 'sending', ...marked, ...named } };
}
