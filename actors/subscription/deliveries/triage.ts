/**
 * Triage of due deliveries: each is marked ready, parked, or failed (D39, D40). Parked ones are
 * unparked: one as the probe of an open breaker, or all after it closed, oldest first.
 *
 * 1. One triage of a subscription at a time: it writes what it parks before it unparks anything.
 * 2. A manual retry is marked ready even if the breaker is open or the subscription is disabled.
 */

import { park, undeliverable, unpark } from '../../domain/delivery.ts';
import type { FindOptions, Write } from '../../model/collections.ts';
import type { DeliveryDocument } from '../../model/subscription.ts';
import type { SubscriptionConfiguration } from './configuration.ts';
import { change, type DeliveryContext, isUntracked, writeBack } from './context.ts';
import { changed, commit, deliveryWrite } from './documents.ts';
import { LOW_WATER } from './queue.ts';

/** Deliveries that are unparked at once. */
const PAGE = 200;

/** The configuration that triage used; null when the subscription was removed. */
export async function triageDue(
  context: DeliveryContext,
  probing: boolean,
): Promise<SubscriptionConfiguration | null> {
  const { source, breaker, queue, environment } = context;
  const configuration = await source.readConfirmed();
  if (!configuration) {
    queue.requeueReady({ all: true });
    const failed = queue
      .dequeueDue(environment.clock.now())
      .map((delivery) => change(context, delivery, undeliverable(delivery.state)));
    await writeBack(context, failed);
    return null;
  }
  await breaker.loadFor(configuration.entry);
  if (!context.mayAct()) return configuration;
  if (!configuration.entry.enabled) {
    await parkAll(context, markManualReady(context));
    return configuration;
  }
  if (breaker.open) await triageWhileOpen(context, probing);
  // The breaker may have been reset meanwhile.
  markDueReady(context);
  const series = breaker.open ? null : breaker.outage.toUnpark(environment.clock.monotonic());
  if (series !== null && queue.size < LOW_WATER) {
    await unparkPage(context, series);
    markDueReady(context);
  }
  return configuration;
}

async function triageWhileOpen(context: DeliveryContext, probing: boolean): Promise<void> {
  const { breaker, queue, environment } = context;
  const series = await breaker.recordSeries();
  let probe = !probing && breaker.admission(environment.clock.now()) === 'probe';
  if (probe && (await markProbeReady(context, series))) probe = false;
  // The next owner has read already, or the subscription was enabled again: neither finds them.
  if (!context.mayAct() || breaker.outage.name !== series) return;
  const due = markManualReady(context);
  if (probe) {
    const [first] = due.splice(0, 1);
    if (first) queue.markReady(first, true);
  }
  await parkAll(context, due, series);
}

/** Does nothing while the breaker is open: deliveries then need triage. */
function markDueReady(context: DeliveryContext): void {
  if (context.breaker.open) return;
  for (const delivery of markManualReady(context)) context.queue.markReady(delivery);
}

/** Marks manual retries as ready; returns the other due deliveries. */
function markManualReady({ queue, environment }: DeliveryContext): DeliveryDocument[] {
  return queue.dequeueDue(environment.clock.now()).filter((delivery) => {
    if (delivery.state.byHand === null) return true;
    queue.markReady(delivery);
    return false;
  });
}

async function parkAll(
  context: DeliveryContext,
  deliveries: readonly DeliveryDocument[],
  series?: number,
): Promise<void> {
  const { environment, epoch } = context;
  const now = environment.clock.now();
  const by = { epoch, now, ...(series === undefined ? {} : { series }) };
  const parked = deliveries.map((delivery) => changed(delivery, park(delivery.state), by));
  await writeBack(context, parked);
}

function readParked(
  { environment, subscriptionId }: DeliveryContext,
  series: number,
  options: Pick<FindOptions<'deliveries'>, 'sort' | 'limit'>,
) {
  const filter = { subscriptionId, 'state.series': series };
  return environment.store.find('deliveries', filter, options);
}

/**
 * Marks the parked delivery with the earliest due time as the probe; its claim unparks it. Earlier
 * probes are due later, so that none spends all its attempts on probes. False: none is available.
 */
async function markProbeReady(context: DeliveryContext, series: number): Promise<boolean> {
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
async function unparkPage(context: DeliveryContext, series: number): Promise<void> {
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
      if (page.length > 0) return breaker.outage.foundSome();
      const end = breaker.foundNone();
      if (end) writes.push(end);
    },
  );
  await commit(environment, writes);
}
