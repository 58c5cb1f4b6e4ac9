/**
 * One attempt of one delivery: claim it, unless its insert did, sign and POST it (C6.1, C6.2), and
 * record the outcome.
 *
 * 1. An attempt is journaled before it is made (I3): a crash may spend one. The claim is in the
 *    insert, in the log, or in the delivery.
 * 2. It is made only if the lease holds after the claim was journaled (`documents.ts`, 3).
 * 3. An outcome is written until the store accepts it or the lease ends: a short outage loses no
 *    success.
 * 4. A claim is released when its attempt is not made: it no longer counts.
 * 5. The permit is released as soon as the subscriber accepted the delivery, or after a failure is
 *    recorded.
 *
 * Claim-on-insert: the write that records a delivery also claims it, which saves one journaled
 * write before its POST. Who is about to insert the delivery offers it to the worker first.
 *
 * 1. A delivery is claimed only if nothing waits before it, there is room, and the breaker is
 *    closed. Any other delivery is inserted unclaimed, and claimed in its turn.
 * 2. It is posted when this very insert is journaled. An insert that was a duplicate, or got no
 *    answer, claims nothing for this attempt: the delivery is read again.
 */
import { LOG_EVENT } from '../../../shared/log-events.ts';
import type { PostOutcome } from '../../../shared/ports/outbound.ts';
import {
  type DeliveryState,
  decideAttempt,
  decideInterrupted,
  decideOutcome,
  isSuccess,
  newClaimed,
  newDelivery,
  releaseClaim,
} from '../../domain/delivery.ts';
import type { Write } from '../../model/collections.ts';
import type { DeliveryDocument } from '../../model/subscription.ts';
import { describe } from '../../runtime/describe-fault.ts';
import { retryWhile, sleep } from '../../runtime/repeat.ts';
import type { SubscriptionConfiguration } from './configuration.ts';
import { change, type DeliveryContext, type DeliveryEnvironment, isUntracked } from './context.ts';
import { changed, commit, deliveryWrite, isLater } from './documents.ts';
import type { Permit } from './permits.ts';

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
  readonly permit: Permit;
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
  const claim: Claim | null = inserted
    ? { before: newDelivery(current().createdAt) }
    : await claimNext(attempt);
  if (!claim) return 'not_made';
  if (!(await attempt.permit.acquirePost())) {
    const released = advance(attempt, releaseClaim(current().state, claim.before));
    await commit(environment, [deliveryWrite(released)]);
    claim.supersede?.();
    return 'not_made';
  }
  if (!attempt.mayAct()) return 'not_made';
  const claimed = current();
  const outcome = await postDelivery(environment, configuration, claimed);
  logAttempt(environment, claimed, outcome);
  const end = await recordOutcome(attempt, outcome);
  claim.supersede?.();
  return end;
}

interface Claim {
  /** The state before the claim. */
  readonly before: DeliveryState;
  /** To be called when a later state is journaled; absent: the claim is on no page of the log. */
  readonly supersede?: () => void;
}

/** For one decision: each has its own random unit. */
function retryContextOf({
  clock,
  random,
  settings,
}: Pick<DeliveryEnvironment, 'clock' | 'random' | 'settings'>) {
  return { now: clock.now(), schedule: settings.retrySchedule, unit: random.unit() };
}

/** Null when there is nothing to attempt after all. */
async function claimNext(attempt: AttemptContext): Promise<Claim | null> {
  const { environment, breaker, attemptLog, probe } = attempt;
  if (!(await recordInterrupted(attempt))) return null;
  const retryContext = retryContextOf(environment);
  const before = attempt.current().state;
  const decision = decideAttempt(before, retryContext);
  if (decision.decision !== 'attempt') return null;
  const claimed = advance(attempt, decision.delivery);
  const probing = probe ? breaker.claimProbe(retryContext.now) : null;
  // A page of the log is small: earlier attempts, with their responses, do not fit on it.
  if (!probing && before.attempts.length === 0) {
    return { before, supersede: await attemptLog.append(claimed) };
  }
  await commit(environment, [deliveryWrite(claimed), ...(probing ? [probing] : [])]);
  return { before };
}

/**
 * Records an attempt that an earlier owner claimed and never recorded. True when the delivery may
 * be attempted.
 */
async function recordInterrupted(attempt: AttemptContext): Promise<boolean> {
  const { environment, current, change } = attempt;
  if (current().state.underWay === null) return true;
  // Its owner may have recorded the outcome after this process read the delivery.
  const stored = await environment.store.byId('deliveries', current()._id);
  if (stored && isLater(stored.state, current().state)) change(stored);
  const interrupted = decideInterrupted(current().state, environment.clock.now());
  if (!interrupted) return current().state.status === 'pending';
  const written = advance(attempt, interrupted.delivery);
  await commit(environment, [deliveryWrite(written)]);
  return written.state.status === 'pending';
}

async function recordOutcome(attempt: AttemptContext, outcome: PostOutcome): Promise<AttemptEnd> {
  const { environment, breaker, probe, current } = attempt;
  const retryContext = retryContextOf(environment);
  const { _id: deliveryId, subscriptionId, state } = current();
  const decision = decideOutcome(state, outcome, retryContext);
  const result = { deliveryId, result: resultOf(outcome), probe, now: retryContext.now };
  const { write, change: breakerChange, disable } = breaker.record(result);
  // Recording a success needs no work of the subscriber: the next attempt need not wait for it.
  if (isSuccess(outcome)) attempt.permit.release(true);
  const recorded = deliveryWrite(advance(attempt, decision.delivery));
  await commitWithRetry(attempt, [recorded, ...(write ? [write] : [])]);
  if (breakerChange) environment.log.warn({ subscriptionId }, BREAKER_EVENTS[breakerChange]);
  if (decision.decision === 'gone') return 'gone';
  return disable ? 'failing' : 'recorded';
}

function advance({ environment, epoch, current, change }: AttemptContext, next: DeliveryState) {
  const delivery = changed(current(), next, { epoch, now: environment.clock.now() });
  change(delivery);
  return delivery;
}

/** A repeated write changes nothing: the states only rise. */
async function commitWithRetry({ environment, mayAct }: AttemptContext, writes: readonly Write[]) {
  for (;;) {
    try {
      return await commit(environment, writes, { deferrable: true });
    } catch (cause) {
      if (!mayAct()) throw cause;
      environment.log.warn({ error: describe(cause) }, 'outcome write failed, retrying');
    }
    await sleep(environment.clock, COMMIT_RETRY_MS);
  }
}

function resultOf(outcome: PostOutcome): 'succeeded' | 'failed' | 'timed_out' {
  if (isSuccess(outcome)) return 'succeeded';
  return !outcome.ok && outcome.kind === 'timeout' ? 'timed_out' : 'failed';
}

function logAttempt(
  { log }: Pick<DeliveryEnvironment, 'log'>,
  delivery: DeliveryDocument,
  outcome: PostOutcome,
): void {
  const { _id: deliveryId, requestId, orgId, subscriptionId, event, state } = delivery;
  const fields = { deliveryId, requestId, orgId, subscriptionId, event, attempt: state.counted };
  const { ok, ms } = outcome;
  const result = ok ? { outcome: outcome.status } : { outcome: outcome.kind, error: outcome.error };
  log.info({ ...fields, ...result, ms }, LOG_EVENT.attempt);
}

function postDelivery(
  environment: Pick<DeliveryEnvironment, 'clock' | 'outbound' | 'settings' | 'vault'>,
  configuration: SubscriptionConfiguration,
  delivery: DeliveryDocument,
): Promise<PostOutcome> {
  const { outbound, vault, clock, settings } = environment;
  const timestamp = Math.floor(clock.now() / 1000);
  const { _id: id, body, event } = delivery;
  const signatures = vault.sign(configuration.secrets, { id, timestamp, body });
  const prefix = settings.eventHeaderPrefix;
  return outbound.post(configuration.entry.url, body, {
    'content-type': 'application/json; charset=utf-8',
    'user-agent': 'Recado-Webhooks/1.0',
    [`${prefix}-Event`]: event,
    [`${prefix}-Delivery`]: id,
    [`${prefix}-Signature`]: signatures.service,
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.standard,
  });
}

const RECOVERY_RETRY = { firstMs: 1_000 };

/** Null while new deliveries need triage first, or the configuration cannot be read. */
export async function admitNew(context: DeliveryContext) {
  const { source, breaker, environment, subscriptionId } = context;
  try {
    const configuration = await source.read();
    if (configuration?.entry.enabled !== true) return null;
    await breaker.loadFor(configuration.entry);
    return breaker.open || breaker.outage.name !== null ? null : configuration;
  } catch (cause) {
    environment.log.warn({ subscriptionId, error: describe(cause) }, 'claim on insert failed');
    return null;
  }
}

/** The delivery as a claim of the worker would leave it. */
export function claimedByInsert(context: DeliveryContext, delivery: DeliveryDocument) {
  return change(context, delivery, newClaimed(retryContextOf(context.environment)));
}

/**
 * Recovers an insert that was refused or got no answer: reads the delivery on record. Only this
 * worker posts under this epoch: a claim of its own that it does not hold led to no POST, and is
 * released.
 */
export async function recoverInDoubtInsert(
  context: DeliveryContext,
  id: string,
  add: (delivery: DeliveryDocument) => void,
): Promise<void> {
  const { environment, revisions, mayAct } = context;
  const retry = { mayAct, wait: RECOVERY_RETRY, failedMessage: 'in-doubt insert recovery failed' };
  await retryWhile(environment, { ...retry, fields: { deliveryId: id } }, async () => {
    const released: DeliveryDocument[] = [];
    await revisions.withRead(
      () => environment.store.byId('deliveries', id),
      (found) => {
        const due = found && unclaimed(context, found);
        if (due) add(due);
        if (due && due !== found) released.push(due);
      },
    );
    await commit(environment, released.map(deliveryWrite));
  });
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
