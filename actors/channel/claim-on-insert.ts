/**
 * A message that is marked `sending` by the very insert that records it: one journaled write less
 * before it goes to the network. The conversation offers it to the desk before it appends it.
 *
 * 1. Only where its turn is now: nothing has to go before it, pace and network have room. Otherwise
 *    it is inserted `queued`, and marked when its turn comes.
 * 2. It goes to the network when this very insert is journaled. Where the insert was refused, or
 *    its answer lost, nothing goes: what is on record then is found as what this desk marked and
 *    never handed over (`doubt`).
 */
import type { EntryDocument } from '../conversation/documents.ts';
import type { BatchContext, ChannelSendAgenda, QueuedEntry } from './batch-context.ts';
import type { ChannelConfiguration } from './configuration.ts';
import { ownIdOf } from './own-id.ts';

/** A message that is to be sent. */
export interface SentEntry extends QueuedEntry {
  readonly send: ChannelSendAgenda;
}

export interface InsertClaim {
  /** As it is to be inserted. */
  readonly entry: EntryDocument;
  /** To be told in any case. True: it has been inserted, and that is journaled. */
  readonly resolve: (inserted: boolean) => void;
}

/** The desks of this process, for those who record messages. */
export interface SendClaimer {
  /** Null: it is to be inserted as it is. */
  claimOnInsert(entry: SentEntry): InsertClaim | null;
}

export function isToBeSent(entry: EntryDocument): entry is SentEntry {
  return entry.send !== undefined;
}

/** As the desk's own mark would have left it. */
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
