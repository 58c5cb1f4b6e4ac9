/**
 * What becomes of the deliveries that are due: cleared for an attempt, parked, or given up
 * (D39, D40).
 *
 * 1. One judgement of a subscription at a time: what it parks is written before it takes up
 *    anything that was parked.
 * 2. A retry by hand is cleared whatever the breaker or the configuration says.
 */
import { park, undeliverable } from '../domain/delivery.ts';
import { type Bench, change, LOW_WATER, setAside } from './bench.ts';
import type { SubscriptionConfiguration } from './configuration.ts';
import { changed, type DeliveryDocument } from './documents.ts';
import { clearProbe, takeUpPage } from './parked.ts';

/** The configuration that it was judged on; null when the subscription has been taken away. */
export async function judgeDue(
  bench: Bench,
  probing: boolean,
): Promise<SubscriptionConfiguration | null> {
  const { source, breaker, tray, world } = bench;
  const configuration = await source.settled();
  if (!configuration) {
    tray.recall({ all: true });
    const due = tray.takeDue(world.clock.now());
    await setAside(
      bench,
      due.map((delivery) => change(bench, delivery, undeliverable(delivery.state))),
    );
    return null;
  }
  await breaker.loadFor(configuration.entry);
  if (!bench.acting()) return configuration;
  if (!configuration.entry.enabled) {
    await parkAll(bench, clearByHand(bench));
    return configuration;
  }
  if (breaker.open) await judgeWhileOpen(bench, probing);
  // It may have begun anew meanwhile.
  clearAllDue(bench);
  const { returning } = breaker;
  if (returning !== null && tray.held < LOW_WATER) {
    await takeUpPage(bench, returning);
    clearAllDue(bench);
  }
  return configuration;
}

async function judgeWhileOpen(bench: Bench, probing: boolean): Promise<void> {
  const { breaker, tray, world } = bench;
  const series = await breaker.namedSeries();
  let probe = !probing && breaker.admission(world.clock.now()) === 'probe';
  if (probe && (await clearProbe(bench, series))) probe = false;
  // The next owner has looked already, or the subscription has begun anew: neither would find it.
  if (!bench.acting() || breaker.series !== series) return;
  const due = clearByHand(bench);
  if (probe) {
    const [first] = due.splice(0, 1);
    if (first) tray.clear(first, true);
  }
  await parkAll(bench, due, series);
}

/** Unless the breaker is open: then it is judged. */
function clearAllDue(bench: Bench): void {
  if (bench.breaker.open) return;
  for (const delivery of clearByHand(bench)) bench.tray.clear(delivery);
}

/** Clears what was asked for by hand; the rest of what is due is to be judged. */
function clearByHand({ tray, world }: Bench): DeliveryDocument[] {
  return tray.takeDue(world.clock.now()).filter((delivery) => {
    if (delivery.state.byHand === null) return true;
    tray.clear(delivery);
    return false;
  });
}

async function parkAll(
  bench: Bench,
  deliveries: readonly DeliveryDocument[],
  series?: number,
): Promise<void> {
  const { world, epoch } = bench;
  const now = world.clock.now();
  const by = { epoch, now, ...(series === undefined ? {} : { series }) };
  await setAside(
    bench,
    deliveries.map((delivery) => changed(delivery, park(delivery.state), by)),
  );
}
