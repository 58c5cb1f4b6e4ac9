/** Manual retries (D45): one attempt more, now, of deliveries that have not succeeded. */
import { decideManualRetry } from '../../domain/delivery.ts';
import type { DeliveryDocument } from '../../model/subscription.ts';
import { sleep } from '../../runtime/repeat.ts';
import { change, type DeliveryContext } from './context.ts';
import { commit, deliveryWrite } from './documents.ts';

const REREAD_MS = 25;
const REREADS = 40;

/** Retries the deliveries that `read` finds; `retried` counts those that have not succeeded. */
export async function retryByHand(
  context: DeliveryContext,
  read: () => Promise<DeliveryDocument[]>,
): Promise<{ readonly found: readonly DeliveryDocument[]; readonly retried: number }> {
  const { environment, revisions } = context;
  let found: readonly DeliveryDocument[] = [];
  let outdated: readonly string[] = [];
  const retried: DeliveryDocument[] = [];
  await revisions.withRead(read, (page) => {
    found = page;
    outdated = retryKnown(context, page, retried);
  });
  for (let tries = 0; outdated.length > 0 && tries < REREADS; tries++) {
    // The delivery was just changed, and the store does not show the change yet.
    await sleep(environment.clock, REREAD_MS);
    await revisions.withRead(
      () => environment.store.find('deliveries', { _id: { $in: outdated } }),
      (page) => {
        outdated = retryKnown(context, page, retried);
      },
    );
  }
  await commit(environment, retried.map(deliveryWrite));
  return { found, retried: retried.length };
}

/** Changes memory before the store: an outcome in between builds on it. Ids of stale reads. */
function retryKnown(
  context: DeliveryContext,
  page: readonly DeliveryDocument[],
  retried: DeliveryDocument[],
): readonly string[] {
  const { environment, queue, revisions } = context;
  const now = environment.clock.now();
  const outdated: string[] = [];
  for (const read of page) {
    const known = queue.get(read._id) ?? read;
    if (known === read && !revisions.isNewer(read)) {
      outdated.push(read._id);
      continue;
    }
    const next = decideManualRetry(known.state, now);
    if (!next) continue;
    const delivery = change(context, known, next);
    retried.push(delivery);
    revisions.remember(delivery);
    queue.put(delivery, now);
  }
  return outdated;
}
