/** A delivery as it is first recorded. */

import { deliveryId } from '../../../shared/entity-ids.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import type { Ids } from '../../../shared/ports/ids.ts';
import { shelved } from '../../../shared/wire/subjects.ts';
import { newDelivery, subscribes } from '../../domain/delivery.ts';
import { hears, type LiveStream } from '../../domain/organization/streams.ts';
import type { PublishedEvent } from '../../domain/published-event.ts';
import type { DeliveryDocument, DeliveryRecord } from '../../model/subscription.ts';

/** The state of a delivery when it is first recorded. */
export function recordedState(now: number, status: 'pending' | 'parked'): DeliveryRecord {
  return { epoch: 0, revision: 1, ...newDelivery(now, status) };
}

export interface RecordingEnvironment {
  readonly ids: Ids;
  readonly clock: Clock;
}

/** The owner and the subscription of a delivery, and its event. */
export interface Recorded {
  readonly orgId: string;
  readonly subscriptionId: string;
  readonly event: PublishedEvent;
}

/** The delivery of an event, with a derived id: a repeat records no second one. */
export function recordedDelivery(
  { ids, clock }: RecordingEnvironment,
  { orgId, subscriptionId, event: { id, event, requestId, data } }: Recorded,
  status: 'pending' | 'parked' = 'pending',
): DeliveryDocument {
  const now = clock.now();
  return {
    _id: deliveryId(ids, id, subscriptionId),
    ...{ orgId, subscriptionId, ...shelved('subscription', subscriptionId), event },
    ...(requestId === undefined ? {} : { requestId }),
    createdAt: now,
    body: JSON.stringify({ event, data }),
    state: recordedState(now, status),
  };
}

/** Whether the stream gets the event. */
export function isFor(
  stream: LiveStream,
  { event, data }: Pick<PublishedEvent, 'event' | 'data'>,
): boolean {
  return subscribes(stream.events, event) && hears(stream, event, data);
}
