/**
 * A delivery that is claimed by the very write that records it: one journaled write less before
 * its POST. The organization's owner offers it to the desk before it inserts it.
 *
 * 1. Only where its turn is now: nothing waits in front of it, there is room, the breaker is
 *    closed. Otherwise it is inserted unclaimed, and claimed when its turn comes.
 * 2. It is posted when this very insert is journaled. Refused as a duplicate, or with its answer
 *    lost, the insert claims nothing for this attempt: what is on record then is looked at anew.
 */
import { giveBack, newClaimed, newDelivery } from '../domain/delivery.ts';
import { describe } from '../runtime/mailbox.ts';
import { type Bench, change } from './bench.ts';
import { commit } from './commit.ts';
import type { SubscriptionConfiguration } from './configuration.ts';
import { type DeliveryDocument, deliveryWrite } from './documents.ts';

const LOOK_AGAIN_MS = 1_000;

export interface Reservation {
  /** As it is to be inserted. */
  readonly delivery: DeliveryDocument;
  /** To be told in any case. True: it has been inserted, and that is journaled. */
  readonly settle: (inserted: boolean) => void;
}

/** The desks of this process, for those who record deliveries. */
export interface Reservations {
  /** Null: it is to be inserted as it is. */
  reserve(delivery: DeliveryDocument): Promise<Reservation | null>;
}

/** Null while new deliveries are to be judged first, as far as the subscription is concerned. */
export async function openToNew({
  source,
  breaker,
  world,
  subscriptionId,
}: Bench): Promise<SubscriptionConfiguration | null> {
  try {
    const configuration = await source.current();
    if (configuration?.entry.enabled !== true) return null;
    await breaker.loadFor(configuration.entry);
    return breaker.open || breaker.series !== null ? null : configuration;
  } catch (cause) {
    world.log.warn({ subscriptionId, error: describe(cause) }, 'a delivery is not claimed at once');
    return null;
  }
}

/** It may be inserted once more: what was published is published again after a failure. */
export function isUnknown({ tray, settled }: Bench, delivery: DeliveryDocument): boolean {
  return tray.get(delivery._id) === undefined && settled.isNews(delivery);
}

/** As the desk's own claim would have left it. */
export function claimedByInsert(bench: Bench, delivery: DeliveryDocument): DeliveryDocument {
  const { clock, chance, settings } = bench.world;
  const context = { now: clock.now(), schedule: settings.retrySchedule, unit: chance.unit() };
  return change(bench, delivery, newClaimed(context));
}

/**
 * What is on record after all, of a delivery whose insert was refused or whose answer was lost.
 * Whoever posts under this epoch is this desk, so that a claim of its own that it has not in hand
 * was of no POST: it is given back.
 */
export async function lookAgain(
  bench: Bench,
  id: string,
  add: (delivery: DeliveryDocument) => void,
): Promise<void> {
  const { world, settled } = bench;
  while (bench.acting()) {
    try {
      const given: DeliveryDocument[] = [];
      await settled.during(
        () => world.store.byId<DeliveryDocument>('deliveries', id),
        (found) => {
          const due = found && unclaimed(bench, found);
          if (due) add(due);
          if (due && due !== found) given.push(due);
        },
      );
      return await commit(world, given.map(deliveryWrite));
    } catch (cause) {
      world.log.warn({ deliveryId: id, error: describe(cause) }, 'an insert is still in doubt');
    }
    await new Promise<void>((resume) => world.clock.after(LOOK_AGAIN_MS, resume));
  }
}

/** Null when it is in better hands, or no news. */
function unclaimed(bench: Bench, found: DeliveryDocument): DeliveryDocument | null {
  const { state, createdAt } = found;
  if (!isUnknown(bench, found) || state.status !== 'pending') return null;
  if (state.epoch !== bench.epoch || state.underWay === null)
    return state.epoch === 0 ? found : null;
  if (state.counted !== 1 || state.attempts.length > 0) return null;
  return change(bench, found, giveBack(state, newDelivery(createdAt)));
}
