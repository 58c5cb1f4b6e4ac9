/** Caches that the channels of a process share. */
import type { Clock } from '../../shared/ports/clock.ts';
import { InboundCalls } from './receiving/inbound-calls.ts';
import { type ContactCache, createContactCache } from './receiving/resolve-contact.ts';
import { createWatermarks, type Watermarks } from './sending/completed-messages.ts';
import { createSentNames, type SentNames } from './sending/sent-index.ts';

export interface ChannelCaches {
  readonly watermarks: Watermarks;
  readonly sent: SentNames;
  readonly contacts: ContactCache;
  readonly inboundCalls: InboundCalls;
}

/** Most statuses of a message arrive within seconds; a later one costs a read. */
const SENT_RETENTION_MS = 30_000;

export function createChannelCaches(clock: Pick<Clock, 'after' | 'now'>): ChannelCaches {
  const sent = createSentNames();
  const age = (): void => {
    sent.age();
    clock.after(SENT_RETENTION_MS, age);
  };
  clock.after(SENT_RETENTION_MS, age);
  const inboundCalls = new InboundCalls(clock);
  return { watermarks: createWatermarks(), sent, contacts: createContactCache(), inboundCalls };
}
