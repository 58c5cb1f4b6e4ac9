/**
 * Claim-on-insert: the write that records a delivery also claims it, which saves one journaled
 * write before its POST. The organization's owner offers the delivery to the worker before the
 * insert.
 *
 * 1. A delivery is claimed only if nothing waits before it, there is room, and the breaker is
 *    closed. Any other delivery is inserted unclaimed, and claimed in its turn.
 * 2. It is posted when this very insert is journaled. An insert that was a duplicate, or got no
 *    answer, claims nothing for this attempt: the delivery is read again.
 */
import { newClaimed, newDelivery, releaseClaim } from '../domain/delivery.ts';
import { describe } from '../runtime/describe-fault.ts';
import { commit } from './commit.ts';
import type { SubscriptionConfiguration } from './configuration.ts';
import { change, type DeliveryContext } from './delivery-context.ts';
import { type DeliveryDocument, deliveryWrite } from './documents.ts';

const RECOVERY_RETRY_MS = 1_000;

export interface ClaimOnInsert {
  /** The document to insert, which contains the claim. */
  readonly delivery: DeliveryDocument;
  /** The caller must call it in any case. True: the insert was made and is journaled. */
  readonly resolveInsert: (inserted: boolean) => void;
}

/** The delivery workers of this process, for the code that records deliveries. */
export interface DeliveryClaimer {
  /** Null: the delivery is to be inserted unclaimed. */
  claimOnInsert(delivery: DeliveryDocument): Promise<ClaimOnInsert | null>;
}

/** Null while new deliveries need triage first, or the configuration cannot be read. */
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

/**
 * Whether the worker neither holds it nor remembers a later state. A repeated publish may insert
 * the same delivery again.
 */
export function isUntracked(
  { queue, revisions }: DeliveryContext,
  delivery: DeliveryDocument,
): boolean {
  return queue.get(delivery._id) === undefined && revisions.isNewer(delivery);
}

/** The delivery as a claim of the worker would leave it. */
export function claimedByInsert(
  context: DeliveryContext,
  delivery: DeliveryDocument,
): DeliveryDocument {
  const { clock, random, settings } = context.environment;
  const retryContext = { now: clock.now(), schedule: settings.retrySchedule, unit: random.unit() };
  return change(context, delivery, newClaimed(retryContext));
}

/**
 * Recovers an insert that was refused or got no answer: reads the delivery on record. Only this
 * worker posts under this epoch. So a claim of its own that it does not hold never led to a POST,
 * and is released.
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

/** Null when it is held here, not pending, or already changed by another write. */
function unclaimed(context: DeliveryContext, found: DeliveryDocument): DeliveryDocument | null {
  const { state, createdAt } = found;
  if (!isUntracked(context, found) || state.status !== 'pending') return null;
  if (state.epoch !== context.epoch || state.underWay === null)
    return state.epoch === 0 ? found : null;
  if (state.counted !== 1 || state.attempts.length > 0) return null;
  return change(context, found, releaseClaim(state, newDelivery(createdAt)));
}
