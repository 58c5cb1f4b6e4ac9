/** Nudge of a channel by a message that is to be sent, or is settled. */
import type { Urgency } from '../../../shared/vocabulary.ts';
import type { SendNudge } from '../../model/channel.ts';
import type { EntryDocument, SendAgenda } from '../../model/conversation.ts';

interface Ordered {
  readonly seq: number;
  readonly send?: { readonly seq?: number };
}

/** Place of a message in the sending order of its conversation (D294). */
export function orderOf({ seq, send }: Ordered): number {
  return send?.seq ?? seq;
}

/** Class of a message, by its agenda. */
export function urgencyIn({ urgency }: Pick<SendAgenda, 'urgency'>): Urgency {
  return urgency ?? 'normal';
}

export function nudgeOf({ outbox: _published, ...entry }: EntryDocument): SendNudge {
  const { channelId, conversationId, _id: entryId, after, send } = entry;
  const named = { channelId, conversationId, entryId, seq: orderOf(entry) };
  const at = send?.at ?? after.at;
  return send ? { ...named, at, settled: false, entry } : { ...named, at, settled: true };
}
