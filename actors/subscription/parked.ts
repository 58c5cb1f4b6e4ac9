/**
 * Unparks deliveries: one as the probe of an open breaker, or all after it closed, oldest first.
 */
import type { FindOptions, Write } from '../../shared/ports/store.ts';
import { unpark } from '../domain/delivery.ts';
import { commit } from './commit.ts';
import { change, type DeliveryContext } from './delivery-context.ts';
import { type DeliveryDocument, deliveryWrite } from './documents.ts';

const PAGE = 200;

function readParked(
  { environment, subscriptionId }: DeliveryContext,
  series: number,
  options: FindOptions,
) {
  const filter = { subscriptionId, 'state.series': series };
  return environment.store.find<DeliveryDocument>('deliveries', filter, options);
}

function isUntracked({ queue, revisions }: DeliveryContext, delivery: DeliveryDocument): boolean {
  return !queue.get(delivery._id) && revisions.isNewer(delivery);
}

/**
 * Marks the parked delivery with the earliest due time as the probe; its claim unparks it. A
 * delivery that was a probe is due later, so that none spends all its attempts on probes. False:
 * none is available.
 */
export async function markProbeReady(context: DeliveryContext, series: number): Promise<boolean> {
  let found = false;
  await context.revisions.withRead(
    () => readParked(context, series, { sort: { 'state.nextAttemptAt': 1 }, limit: 1 }),
    ([oldest]) => {
      if (!oldest || !isUntracked(context, oldest)) return;
      const now = context.environment.clock.now();
      // The delivery was due when it was parked.
      const due = { ...unpark(oldest.state, now), nextAttemptAt: now };
      context.queue.markReady(change(context, oldest, due), true);
      found = true;
    },
  );
  return found;
}

/** Makes one page due again, oldest first. */
export async function unparkPage(context: DeliveryContext, series: number): Promise<void> {
  const writes: Write[] = [];
  const { breaker, queue, environment } = context;
  await context.revisions.withRead(
    () => readParked(context, series, { sort: { createdAt: 1, _id: 1 }, limit: PAGE }),
    (page) => {
      const now = environment.clock.now();
      for (const delivery of page) {
        if (!isUntracked(context, delivery)) continue;
        const next = change(context, delivery, unpark(delivery.state, now));
        writes.push(deliveryWrite(next));
        queue.put(next, now);
      }
      if (page.length > 0) return breaker.foundSome();
      const end = breaker.foundNone();
      if (end) writes.push(end);
    },
  );
  await commit(environment, writes);
}
