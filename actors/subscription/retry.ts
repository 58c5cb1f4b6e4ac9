/** Retries by hand (D45): one attempt more, now, of what has not succeeded. */
import { decideManualRetry } from '../domain/delivery.ts';
import { type Bench, change } from './bench.ts';
import { commit } from './commit.ts';
import { type DeliveryDocument, deliveryWrite } from './documents.ts';

const REREAD_MS = 25;
const REREADS = 40;

/**
 * Retries what `read` finds. `found` is how many there were; `retried` leaves out those that have
 * succeeded.
 */
export async function retryByHand(
  bench: Bench,
  read: () => Promise<DeliveryDocument[]>,
): Promise<{ readonly found: readonly DeliveryDocument[]; readonly retried: number }> {
  const { world, settled } = bench;
  let found: readonly DeliveryDocument[] = [];
  let outdated: readonly string[] = [];
  const retried: DeliveryDocument[] = [];
  await settled.during(read, (page) => {
    found = page;
    outdated = retryKnown(bench, page, retried);
  });
  for (let tries = 0; outdated.length > 0 && tries < REREADS; tries++) {
    // It has just been changed, and the change is on its way.
    await new Promise<void>((resume) => world.clock.after(REREAD_MS, resume));
    await settled.during(
      () => world.store.find<DeliveryDocument>('deliveries', { _id: { $in: outdated } }),
      (page) => {
        outdated = retryKnown(bench, page, retried);
      },
    );
  }
  await commit(world, retried.map(deliveryWrite));
  return { found, retried: retried.length };
}

/** In hand before it is written: an outcome in between is decided on it. Answers the outdated. */
function retryKnown(
  bench: Bench,
  page: readonly DeliveryDocument[],
  retried: DeliveryDocument[],
): readonly string[] {
  const { world, tray, settled } = bench;
  const now = world.clock.now();
  const outdated: string[] = [];
  for (const read of page) {
    const known = tray.get(read._id) ?? read;
    if (known === read && !settled.isNews(read)) {
      outdated.push(read._id);
      continue;
    }
    const next = decideManualRetry(known.state, now);
    if (!next) continue;
    const delivery = change(bench, known, next);
    retried.push(delivery);
    settled.note(delivery);
    tray.put(delivery, now);
  }
  return outdated;
}
