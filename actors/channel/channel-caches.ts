/** Caches that the channel senders of a process share. */
import type { Clock } from '../../shared/ports/clock.ts';
import { createWatermarks, type Watermarks } from './conversation-queues.ts';
import { type ContactCache, createContactCache } from './resolve-contact.ts';
import { type SentNames, sentNames } from './sent-index.ts';

export interface ChannelCaches {
  readonly watermarks: Watermarks;
  readonly sent: SentNames;
  readonly contacts: ContactCache;
}

/** Most statuses of a message arrive within seconds; a later one costs a read. */
const SENT_KEPT_MS = 30_000;

export function createChannelCaches(clock: Pick<Clock, 'after'>): ChannelCaches {
  const sent = sentNames();
  const ageLater = (): void => {
    clock.after(SENT_KEPT_MS, () => {
      sent.age();
      ageLater();
    });
  };
  ageLater();
  return { watermarks: createWatermarks(), sent, contacts: createContactCache() };
}
