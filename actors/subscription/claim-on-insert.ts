/**
 * A delivery that is claimed by the very write that records it: one journaled write less before
 * its POST. The organization's owner offers it to the desk before it inserts it.
 *
 * 1. Only where its turn is now: nothing waits in front of it, there is room, the breaker is
 *    closed. Otherwise it is inserted unclaimed, and claimed when its turn comes.
 * 2. It is posted when this very insert is journaled. Refused as a duplicate, or with its answer
 *    lost, the insert claims nothing for this attempt: what is on record then is looked at anew.
 */
import { newClaimed, newDelivery, releaseClaim } from '../domain/delivery.ts';
import { describe } from '../runtime/mailbox.ts';
import { commit } from './commit.ts';
import type { SubscriptionConfiguration } from './configuration.ts';
import { change, type DeliveryContext } from './delivery-context.ts';
import { type DeliveryDocument, deliveryWrite } from './documents.ts';

const RECOVERY_RETRY_MS = 1_000;

export interface ClaimOnInsert {
  /** As it is to be inserted. */
  readonly delivery: DeliveryDocument;
  /** To be told in any case. True: it has been inserted, and that is journaled. */
  readonly resolveInsert: (inserted: boolean) => void;
}

/** The desks of this process, for those who record deliveries. */
export interface DeliveryClaimer {
  /** Null: it is to be inserted as it is. */
  claimOnInsert(delivery: DeliveryDocument): Promise<ClaimOnInsert | null>;
}

/** Null while new deliveries are to be judged first, as far as the subscription is concerned. */
export async function admitNew({
  source,
  breaker,
  environment,
  subscriptionId,
}: DeliveryContext): Promise<SubscriptionConfiguration | null> {
  try {
    const configuration = await source.read();
    if (configuration?.entry.enabled !== true) return null;
    await breaker.loadFor(configuration.entry);
    return breaker.open || breaker.series !== null ? null : configuration;
  } catch (cause) {
    environment.log.warn({ subscriptionId, error: describe(cause) }, 'claim on insert failed');
    return null;
  }
}

/** It may be inserted once more: what was published is published again after a failure. */
export function isUntracked(
  { queue, revisions }: DeliveryContext,
  delivery: DeliveryDocument,
): boolean {
  return queue.get(delivery._id) === undefined && revisions.isNewer(delivery);
}

/** As the desk's own claim would have left it. */
export function claimedByInsert(
  context: DeliveryContext,
  delivery: DeliveryDocument,
): DeliveryDocument {
  const { clock, random, settings } = context.environment;
  const retryContext = { now: clock.now(), schedule: settings.retrySchedule, unit: random.unit() };
  return change(context, delivery, newClaimed(retryContext));
}

/**
 * What is on record after all, of a delivery whose insert was refused or whose answer was lost.
 * Whoever posts under this epoch is this desk, so that a claim of its own that it has not in hand
 * was of no POST: it is given back.
 */
export async function recoverInDoubtInsert(
  context: DeliveryContext,
  id: string,
  add: (delivery: DeliveryDocument) => void,
): Promise<void> {
  const { environment, revisions } = context;
  while (context.mayAct()) {
    try {
      const released: DeliveryDocument[] = [];
      await revisions.withRead(
        () => environment.store.byId<DeliveryDocument>('deliveries', id),
        (found) => {
          const due = found && unclaimed(context, found);
          if (due) add(due);
          if (due && due !== found) released.push(due);
        },
      );
      return await commit(environment, released.map(deliveryWrite));
    } catch (cause) {
      environment.log.warn(
        { deliveryId: id, error: describe(cause) },
        'in-doubt insert recovery failed',
      );
    }
    await new Promise<void>((resume) => environment.clock.after(RECOVERY_RETRY_MS, resume));
  }
}

/** Null when it is in better hands, or no news. */
function unclaimed(context: DeliveryContext, found: DeliveryDocument): DeliveryDocument | null {
  const { state, createdAt } = found;
  if (!isUntracked(context, found) || state.status !== 'pending') return null;
  if (state.epoch !== context.epoch || state.underWay === null)
    return state.epoch === 0 ? found : null;
  if (state.counted !== 1 || state.attempts.length > 0) return null;
  return change(context, found, releaseClaim(state, newDelivery(createdAt)));
}
