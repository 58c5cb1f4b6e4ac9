/** Pages of an event stream, as they are read and pushed. */
import { EVENT_STREAM_PAGE_MAX_CHARS } from '../../../shared/limits.ts';
import type { StreamedDelivery } from '../../../shared/wire/stream-commands.ts';
import type { DeliveryDocument } from '../../model/subscription.ts';

/** A delivery as its connection gets it. */
export function streamed({ _id: id, event, body, state }: DeliveryDocument): StreamedDelivery {
  return { id, event, body, position: state.position ?? 0 };
}

/** The first ones whose bodies fit a page; one always does. */
export function withinChars(deliveries: readonly StreamedDelivery[]): readonly StreamedDelivery[] {
  let chars = 0;
  const beyond = deliveries.findIndex(({ body }) => {
    chars += body.length;
    return chars > EVENT_STREAM_PAGE_MAX_CHARS;
  });
  return beyond < 0 ? deliveries : deliveries.slice(0, Math.max(1, beyond));
}
