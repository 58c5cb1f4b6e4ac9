/**
 * Triage of due deliveries: each is marked ready, parked, or failed (D39, D40).
 *
 * 1. One triage of a subscription at a time: it writes what it parks before it unparks anything.
 * 2. A manual retry is marked ready even if the breaker is open or the subscription is disabled.
 */
import { park, undeliverable } from '../domain/delivery.ts';
import type { SubscriptionConfiguration } from './configuration.ts';
import { change, type DeliveryContext, LOW_WATER, writeBack } from './delivery-context.ts';
import { changed, type DeliveryDocument } from './documents.ts';
import { markProbeReady, unparkPage } from './parked.ts';

/** The configuration that triage used; null when the subscription was removed. */
export async function triageDue(
  context: DeliveryContext,
  probing: boolean,
): Promise<SubscriptionConfiguration | null> {
  const { source, breaker, queue, environment } = context;
  const configuration = await source.readConfirmed();
  if (!configuration) {
    queue.requeueReady({ all: true });
    const due = queue.dequeueDue(environment.clock.now());
    await writeBack(
      context,
      due.map((delivery) => change(context, delivery, undeliverable(delivery.state))),
    );
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
  const { seriesToUnpark } = breaker;
  if (seriesToUnpark !== null && queue.size < LOW_WATER) {
    await unparkPage(context, seriesToUnpark);
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
  if (!context.mayAct() || breaker.series !== series) return;
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
  await writeBack(
    context,
    deliveries.map((delivery) => changed(delivery, park(delivery.state), by)),
  );
}
