/**
 * One attempt of one delivery: claim it, unless its insert has, post it, record what came of it.
 *
 * 1. An attempt is journaled before it is made (I3): a crash may spend one. The claim is
 *    in the insert, in the log, or in the delivery.
 * 2. It is made only while the lease stands after the claim was journaled (documents, 3).
 * 3. An outcome is written until the store has taken it: a success is not lost to a hiccup.
 * 4. A claim that is given back was of an attempt that is not made: it counts no more.
 * 5. Its slot is free again as soon as the subscriber has taken the delivery, or when a failure has
 *    been recorded and judged.
 */
import { LOG_EVENT } from '../../shared/log-events.ts';
import type { PostOutcome, Write } from '../../shared/ports.ts';
import {
  type DeliveryState,
  decideAttempt,
  decideOutcome,
  giveBack,
  isSuccess,
  newDelivery,
  settleInterrupted,
} from '../domain/delivery.ts';
import { describe } from '../runtime/mailbox.ts';
import type { World } from '../world.ts';
import type { Bench } from './bench.ts';
import { commit } from './commit.ts';
import type { SubscriptionConfiguration } from './configuration.ts';
import { changed, type DeliveryDocument, deliveryWrite, isLater } from './documents.ts';
import { postDelivery } from './post.ts';
import type { Seat } from './seat.ts';

const REWRITE_MS = 200;
const BREAKER_EVENTS = { opened: LOG_EVENT.breakerOpened, closed: LOG_EVENT.breakerClosed };

/** The one delivery under way, as the desk knows it. */
export interface UnderWay extends Pick<Bench, 'world' | 'epoch' | 'breaker' | 'claims' | 'acting'> {
  readonly configuration: SubscriptionConfiguration;
  readonly probe: boolean;
  /** Of one that its insert claims: whether it did, once that is journaled; null otherwise. */
  readonly inserted: Promise<boolean> | null;
  /** A retry by hand may change it meanwhile. */
  readonly current: () => DeliveryDocument;
  readonly change: (next: DeliveryDocument) => void;
  readonly seat: Pick<Seat, 'post' | 'leave'>;
}

/** `not_recorded`: the insert that was to claim it did not, as far as is known. */
export type AttemptEnd = 'not_made' | 'not_recorded' | 'recorded' | 'gone' | 'failing';

/**
 * `gone` and `failing` ask for the subscription to be disabled (410; five days without a success).
 * Throws when the claim could not be written: then the agenda knows more.
 */
export async function makeAttempt(underWay: UnderWay): Promise<AttemptEnd> {
  const { world, configuration, inserted, current } = underWay;
  if (inserted && !(await inserted)) return 'not_recorded';
  const claim = inserted ? claimOf(current()) : await claimNext(underWay);
  if (!claim) return 'not_made';
  if (!(await underWay.seat.post())) {
    const back = advance(underWay, giveBack(current().state, claim.before));
    await commit(world, [deliveryWrite(back)]);
    claim.covered();
    return 'not_made';
  }
  if (!underWay.acting()) return 'not_made';
  const claimed = current();
  const outcome = await postDelivery(world, configuration, claimed);
  tell(world, claimed, outcome);
  const end = await record(underWay, outcome);
  claim.covered();
  return end;
}

interface Claim {
  /** The delivery without it. */
  readonly before: DeliveryState;
  /** A later state is journaled. */
  readonly covered: () => void;
}

/** Of a delivery that its insert has claimed. */
function claimOf({ createdAt }: DeliveryDocument): Claim {
  return { before: newDelivery(createdAt), covered: () => undefined };
}

/** Null when there is nothing to attempt after all. */
async function claimNext(underWay: UnderWay): Promise<Claim | null> {
  const { world, breaker, claims, probe } = underWay;
  if (!(await writeOffInterrupted(underWay))) return null;
  const { clock, chance, settings } = world;
  const now = clock.now();
  const before = underWay.current().state;
  const decision = decideAttempt(before, {
    now,
    schedule: settings.retrySchedule,
    unit: chance.unit(),
  });
  if (decision.decision !== 'attempt') return null;
  const claimed = advance(underWay, decision.delivery);
  const probing = probe ? breaker.claimProbe(now) : null;
  // A page of the log is small: what was answered before does not fit on it.
  if (!probing && before.attempts.length === 0) {
    return { before, covered: await claims.append(claimed) };
  }
  await commit(world, [deliveryWrite(claimed), ...(probing ? [probing] : [])]);
  return { before, covered: () => undefined };
}

/** Of another owner, claimed and never recorded. True when the delivery may be attempted. */
async function writeOffInterrupted(underWay: UnderWay): Promise<boolean> {
  const { world, current, change } = underWay;
  if (current().state.underWay === null) return true;
  // Its owner may have recorded the outcome after we had read the delivery.
  const stored = await world.store.byId<DeliveryDocument>('deliveries', current()._id);
  if (stored && isLater(stored.state, current().state)) change(stored);
  const settled = settleInterrupted(current().state, world.clock.now());
  if (!settled) return current().state.status === 'pending';
  const written = advance(underWay, settled.delivery);
  await commit(world, [deliveryWrite(written)]);
  return written.state.status === 'pending';
}

async function record(underWay: UnderWay, outcome: PostOutcome): Promise<AttemptEnd> {
  const { world, breaker, probe, current } = underWay;
  const { clock, chance, settings, log } = world;
  const now = clock.now();
  const context = { now, schedule: settings.retrySchedule, unit: chance.unit() };
  const decision = decideOutcome(current().state, outcome, context);
  const deliveryId = current()._id;
  const judged = breaker.record({ deliveryId, result: resultOf(outcome), probe, now });
  // Writing down a success is no work of the subscriber's: the next attempt need not wait for it.
  if (isSuccess(outcome)) underWay.seat.leave(true);
  const write = deliveryWrite(advance(underWay, decision.delivery));
  await writeAtLast(underWay, [write, ...(judged.write ? [judged.write] : [])]);
  const { subscriptionId } = current();
  if (judged.change) log.warn({ subscriptionId }, BREAKER_EVENTS[judged.change]);
  if (decision.decision === 'gone') return 'gone';
  return judged.disable ? 'failing' : 'recorded';
}

function advance({ world, epoch, current, change }: UnderWay, next: DeliveryState) {
  const delivery = changed(current(), next, { epoch, now: world.clock.now() });
  change(delivery);
  return delivery;
}

/** It rises only, so that writing it twice does nothing. */
async function writeAtLast({ world, acting }: UnderWay, writes: readonly Write[]): Promise<void> {
  for (;;) {
    try {
      return await commit(world, writes, { deferrable: true });
    } catch (cause) {
      if (!acting()) throw cause;
      world.log.warn({ error: describe(cause) }, 'an outcome is not written yet');
    }
    await new Promise<void>((resume) => world.clock.after(REWRITE_MS, resume));
  }
}

function resultOf(outcome: PostOutcome): 'succeeded' | 'failed' | 'timed_out' {
  if (isSuccess(outcome)) return 'succeeded';
  return !outcome.ok && outcome.kind === 'timeout' ? 'timed_out' : 'failed';
}

function tell({ log }: World, delivery: DeliveryDocument, outcome: PostOutcome): void {
  log.info(
    {
      deliveryId: delivery._id,
      requestId: delivery.requestId,
      orgId: delivery.orgId,
      subscriptionId: delivery.subscriptionId,
      event: delivery.event,
      attempt: delivery.state.counted,
      outcome: outcome.ok ? outcome.status : outcome.kind,
      ...(outcome.ok ? {} : { error: outcome.error }),
      ms: outcome.ms,
    },
    LOG_EVENT.attempt,
  );
}
