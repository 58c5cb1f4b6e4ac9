/** Until when a queued message may be sent (I32). */
import { QUEUED_MESSAGE_MAX_AGE_MS } from '../../../shared/limits.ts';
import type { EntryDocument, SendAgenda } from '../../model/conversation.ts';

interface Waiting {
  readonly entry: Pick<EntryDocument, 'message'>;
  readonly send: Pick<SendAgenda, 'at'>;
}

/** Epoch milliseconds after which it is not sent. A bulk message has an end of its own. */
export function expiryOf({ entry, send }: Waiting): number {
  return entry.message?.bulk?.expiresAt ?? send.at + QUEUED_MESSAGE_MAX_AGE_MS;
}
