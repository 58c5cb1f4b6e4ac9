/** What an open breaker has set aside, taken up again: one as a probe, or all, oldest first. */
import type { FindOptions, Write } from '../../shared/ports.ts';
import { unpark } from '../domain/delivery.ts';
import { type Bench, change } from './bench.ts';
import { commit } from './commit.ts';
import { type DeliveryDocument, deliveryWrite } from './documents.ts';

const PAGE = 200;

function readParked({ world, subscriptionId }: Bench, series: number, options: FindOptions) {
  const filter = { subscriptionId, 'state.series': series };
  return world.store.find<DeliveryDocument>('deliveries', filter, options);
}

function isOurs({ tray, settled }: Bench, delivery: DeliveryDocument): boolean {
  return !tray.get(delivery._id) && settled.isNews(delivery);
}

/**
 * Clears the one that has been due for longest to be the probe; its claim takes it up. One that was
 * a probe before is due later, so that no delivery spends all its attempts on probes. False: there
 * is none.
 */
export async function clearProbe(bench: Bench, series: number): Promise<boolean> {
  let cleared = false;
  await bench.settled.during(
    () => readParked(bench, series, { sort: { 'state.nextAttemptAt': 1 }, limit: 1 }),
    ([oldest]) => {
      if (!oldest || !isOurs(bench, oldest)) return;
      const now = bench.world.clock.now();
      // It was due when it was parked.
      const due = { ...unpark(oldest.state, now), nextAttemptAt: now };
      bench.tray.clear(change(bench, oldest, due), true);
      cleared = true;
    },
  );
  return cleared;
}

/** Makes the oldest so many due again. */
export async function takeUpPage(bench: Bench, series: number): Promise<void> {
  const writes: Write[] = [];
  const { breaker, tray, world } = bench;
  await bench.settled.during(
    () => readParked(bench, series, { sort: { createdAt: 1, _id: 1 }, limit: PAGE }),
    (page) => {
      const now = world.clock.now();
      for (const delivery of page) {
        if (!isOurs(bench, delivery)) continue;
        const next = change(bench, delivery, unpark(delivery.state, now));
        writes.push(deliveryWrite(next));
        tray.put(next, now);
      }
      if (page.length > 0) return breaker.foundSome();
      const end = breaker.foundNone();
      if (end) writes.push(end);
    },
  );
  await commit(world, writes);
}
