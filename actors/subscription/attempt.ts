/**
 * One attempt of one delivery: claim it, unless its insert did, POST it, and record the outcome.
 *
 * 1. An attempt is journaled before it is made (I3): a crash may spend one. The claim is in the
 *    insert, in the log, or in the delivery.
 * 2. It is made only if the lease holds after the claim was journaled (`documents.ts`, 3).
 * 3. An outcome is written until the store accepts it or the lease ends: a short outage loses no
 *    success.
 * 4. A claim is released when its attempt is not made: it no longer counts.
 * 5. The permit is released as soon as the subscriber accepted the delivery, or after a failure is
 *    recorded.
 */
import { LOG_EVENT } from '../../shared/log-events.ts';
import type { PostOutcome } from '../../shared/ports/outbound.ts';
import type { Write } from '../../shared/ports/store.ts';
import {
  type DeliveryState,
  decideAttempt,
  decideInterrupted,
  decideOutcome,
  isSuccess,
  newDelivery,
  releaseClaim,
} from '../domain/delivery.ts';
import type { Environment } from '../environment.ts';
import { describe } from '../runtime/describe-fault.ts';
import { commit } from './commit.ts';
import type { SubscriptionConfiguration } from './configuration.ts';
import type { DeliveryContext } from './delivery-context.ts';
import { changed, type DeliveryDocument, deliveryWrite, isLater } from './documents.ts';
import type { Permit } from './permit.ts';
import { postDelivery } from './post.ts';

const COMMIT_RETRY_MS = 200;
const BREAKER_EVENTS = { opened: LOG_EVENT.breakerOpened, closed: LOG_EVENT.breakerClosed };

/** The one delivery under way, as its delivery worker knows it. */
export interface AttemptContext
  extends Pick<DeliveryContext, 'environment' | 'epoch' | 'breaker' | 'attemptLog' | 'mayAct'> {
  readonly configuration: SubscriptionConfiguration;
  readonly probe: boolean;
  /** For a claim-on-insert: whether the insert was made, once it is journaled. Null otherwise. */
  readonly inserted: Promise<boolean> | null;
  /** A manual retry may change it during the attempt. */
  readonly current: () => DeliveryDocument;
  readonly change: (next: DeliveryDocument) => void;
  readonly permit: Pick<Permit, 'acquirePost' | 'release'>;
}

/** `not_recorded`: the insert that should claim the delivery failed, or is in doubt. */
export type AttemptEnd = 'not_made' | 'not_recorded' | 'recorded' | 'gone' | 'failing';

/**
 * `gone` and `failing` ask for the subscription to be disabled (410; five days without a success).
 * Throws when the claim could not be written: the agenda then finds the delivery again.
 */
export async function makeAttempt(attempt: AttemptContext): Promise<AttemptEnd> {
  const { environment, configuration, inserted, current } = attempt;
  if (inserted && !(await inserted)) return 'not_recorded';
  const claim = inserted ? claimOf(current()) : await claimNext(attempt);
  if (!claim) return 'not_made';
  if (!(await attempt.permit.acquirePost())) {
    const released = advance(attempt, releaseClaim(current().state, claim.before));
    await commit(environment, [deliveryWrite(released)]);
    claim.supersede();
    return 'not_made';
  }
  if (!attempt.mayAct()) return 'not_made';
  const claimed = current();
  const outcome = await postDelivery(environment, configuration, claimed);
  logAttempt(environment, claimed, outcome);
  const end = await recordOutcome(attempt, outcome);
  claim.supersede();
  return end;
}

interface Claim {
  /** The state before the claim. */
  readonly before: DeliveryState;
  /** For the caller to call when a later state is journaled. */
  readonly supersede: () => void;
}

/** The claim of a delivery that its insert claimed. */
function claimOf({ createdAt }: DeliveryDocument): Claim {
  return { before: newDelivery(createdAt), supersede: () => undefined };
}

/** Null when there is nothing to attempt after all. */
async function claimNext(attempt: AttemptContext): Promise<Claim | null> {
  const { environment, breaker, attemptLog, probe } = attempt;
  if (!(await recordInterrupted(attempt))) return null;
  const { clock, random, settings } = environment;
  const now = clock.now();
  const before = attempt.current().state;
  const decision = decideAttempt(before, {
    now,
    schedule: settings.retrySchedule,
    unit: random.unit(),
  });
  if (decision.decision !== 'attempt') return null;
  const claimed = advance(attempt, decision.delivery);
  const probing = probe ? breaker.claimProbe(now) : null;
  // A page of the log is small: earlier attempts, with their responses, do not fit on it.
  if (!probing && before.attempts.length === 0) {
    return { before, supersede: await attemptLog.append(claimed) };
  }
  await commit(environment, [deliveryWrite(claimed), ...(probing ? [probing] : [])]);
  return { before, supersede: () => undefined };
}

/**
 * Records an attempt that another owner claimed and never recorded. True when the delivery may be
 * attempted.
 */
async function recordInterrupted(attempt: AttemptContext): Promise<boolean> {
  const { environment, current, change } = attempt;
  if (current().state.underWay === null) return true;
  // Its owner may have recorded the outcome after this process read the delivery.
  const stored = await environment.store.byId<DeliveryDocument>('deliveries', current()._id);
  if (stored && isLater(stored.state, current().state)) change(stored);
  const interrupted = decideInterrupted(current().state, environment.clock.now());
  if (!interrupted) return current().state.status === 'pending';
  const written = advance(attempt, interrupted.delivery);
  await commit(environment, [deliveryWrite(written)]);
  return written.state.status === 'pending';
}

async function recordOutcome(attempt: AttemptContext, outcome: PostOutcome): Promise<AttemptEnd> {
  const { environment, breaker, probe, current } = attempt;
  const { clock, random, settings, log } = environment;
  const now = clock.now();
  const retryContext = { now, schedule: settings.retrySchedule, unit: random.unit() };
  const decision = decideOutcome(current().state, outcome, retryContext);
  const deliveryId = current()._id;
  const breakerDecision = breaker.record({ deliveryId, result: resultOf(outcome), probe, now });
  // Recording a success needs no work of the subscriber: the next attempt need not wait for it.
  if (isSuccess(outcome)) attempt.permit.release(true);
  const write = deliveryWrite(advance(attempt, decision.delivery));
  await commitWithRetry(attempt, [
    write,
    ...(breakerDecision.write ? [breakerDecision.write] : []),
  ]);
  const { subscriptionId } = current();
  if (breakerDecision.change) log.warn({ subscriptionId }, BREAKER_EVENTS[breakerDecision.change]);
  if (decision.decision === 'gone') return 'gone';
  return breakerDecision.disable ? 'failing' : 'recorded';
}

function advance({ environment, epoch, current, change }: AttemptContext, next: DeliveryState) {
  const delivery = changed(current(), next, { epoch, now: environment.clock.now() });
  change(delivery);
  return delivery;
}

/** A repeated write changes nothing: the states only rise. */
async function commitWithRetry(
  { environment, mayAct }: AttemptContext,
  writes: readonly Write[],
): Promise<void> {
  for (;;) {
    try {
      return await commit(environment, writes, { deferrable: true });
    } catch (cause) {
      if (!mayAct()) throw cause;
      environment.log.warn({ error: describe(cause) }, 'outcome write failed, retrying');
    }
    await new Promise<void>((resume) => environment.clock.after(COMMIT_RETRY_MS, resume));
  }
}

function resultOf(outcome: PostOutcome): 'succeeded' | 'failed' | 'timed_out' {
  if (isSuccess(outcome)) return 'succeeded';
  return !outcome.ok && outcome.kind === 'timeout' ? 'timed_out' : 'failed';
}

function logAttempt({ log }: Environment, delivery: DeliveryDocument, outcome: PostOutcome): void {
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
