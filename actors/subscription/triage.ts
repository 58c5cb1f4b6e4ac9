/**
 * What becomes of the deliveries that are due: cleared for an attempt, parked, or given up
 * (D39, D40).
 *
 * 1. One judgement of a subscription at a time: what it parks is written before it takes up
 *    anything that was parked.
 * 2. A retry by hand is cleared whatever the breaker or the configuration says.
 */
import { park, undeliverable } from '../domain/delivery.ts';
import type { SubscriptionConfiguration } from './configuration.ts';
import { change, type DeliveryContext, LOW_WATER, writeBack } from './delivery-context.ts';
import { changed, type DeliveryDocument } from './documents.ts';
import { markProbeReady, unparkPage } from './parked.ts';

/** The configuration that it was judged on; null when the subscription has been taken away. */
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
  // It may have begun anew meanwhile.
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
  // The next owner has looked already, or the subscription has begun anew: neither would find it.
  if (!context.mayAct() || breaker.series !== series) return;
  const due = markManualReady(context);
  if (probe) {
    const [first] = due.splice(0, 1);
    if (first) queue.markReady(first, true);
  }
  await parkAll(context, due, series);
}

/** Unless the breaker is open: then it is judged. */
function markDueReady(context: DeliveryContext): void {
  if (context.breaker.open) return;
  for (const delivery of markManualReady(context)) context.queue.markReady(delivery);
}

/** Clears what was asked for by hand; the rest of what is due is to be judged. */
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
