/** Subscribers that do not accept their deliveries: pending retries, and parked deliveries. */
import type { DoctorRow } from '../../../../shared/panel/operation.ts';
import type { Finding } from '../../../../shared/problems/findings.ts';
import { EVERY_SHELF } from '../../../../shared/wire/subjects.ts';
import { unpacked } from '../../../adapters/mongo/packing.ts';
import { failed, passed } from './check.ts';
import type { CheckContext } from './check-context.ts';
import { nameOf } from './directory.ts';
import { ago, namedFindings, SHOWN } from './humanize.ts';

/** One failed attempt is normal; a minute of failures is reported. */
const FAILING_MS = 60_000;
/** Failures that no retry repairs. */
const LASTING = /^tls: |^dns: |^blocked_address: |^status (400|401|403|404|410|422)$/;
const COUNTED_MAX = 10_000;
const BREAKERS_MAX = 100;

interface Attempted {
  readonly _id: string;
  readonly subscriptionId: string;
  readonly createdAt: number;
  readonly state: { readonly attempts: readonly { at: number; error: string | null }[] };
}

/** Deliveries with failed attempts that wait for the next one. */
export async function checkSubscribers({ db, directory, now }: CheckContext): Promise<DoctorRow> {
  const pending = await db
    .collection<Attempted>('deliveries')
    .find(
      { 'state.status': 'pending', partition: { $in: EVERY_SHELF } },
      { projection: { body: 0 }, sort: { 'state.nextAttemptAt': 1 }, limit: SHOWN },
    )
    .toArray();
  const waiting = pending
    .map((each) => unpacked('deliveries', each))
    .filter(({ state }) => state.attempts.length > 0);
  if (waiting.length === 0) return passed('subscribers', { code: 'noneFailed', params: {} });
  const failing = [...Map.groupBy(waiting, (each) => each.subscriptionId)].map(([id, deliveries]) =>
    failureOf(nameOf(directory.subscriptions, id), deliveries, now),
  );
  const detail = namedFindings(failing.map(({ finding }) => finding));
  if (!failing.some(({ lasting }) => lasting)) return passed('subscribers', ...detail);
  return failed('subscribers', detail, { code: 'mendSubscriber', params: {} });
}

function failureOf(subscription: string, deliveries: readonly Attempted[], now: number) {
  const attempts = deliveries.flatMap(({ state }) => state.attempts);
  const last = attempts.reduce((a, b) => (b.at > a.at ? b : a));
  const since = Math.min(...attempts.map(({ at }) => at));
  const { error } = last;
  const count = deliveries.length;
  const lasting = LASTING.test(error ?? '') || now - since > FAILING_MS;
  const params = { subscription, count, isLeast: count === SHOWN, error };
  return { lasting, finding: { code: 'deliveriesWait', params } as const };
}

interface Breaker {
  readonly _id: string;
  readonly state: {
    readonly series: number | null;
    readonly breaker: { readonly open: { readonly since: number } | null };
  };
}

/** Deliveries that an open breaker or a disabled subscription has set aside. */
export async function checkParked(context: CheckContext): Promise<DoctorRow> {
  const { db, directory } = context;
  const breakers = await db
    .collection<Breaker>('breakers')
    .find(
      { partition: { $in: EVERY_SHELF }, 'state.active': true },
      { projection: { 'state.series': 1, 'state.breaker.open': 1 } },
    )
    .limit(BREAKERS_MAX)
    .toArray();
  const open = breakers.filter(({ state }) => state.series !== null);
  const counted = await Promise.all(open.map((each) => parkedBy(context, each)));
  const disabled = directory.subscribed.flatMap(
    ({ org, ref, enabled, disabledReason: reason }): readonly Finding[] => {
      if (enabled || reason === null) return [];
      return [{ code: 'disabled', params: { subscription: `${org}/${ref}`, reason } }];
    },
  );
  const findings = [...counted.filter((finding) => finding !== null), ...disabled];
  if (findings.length === 0) return passed('parked', { code: 'noneParked', params: {} });
  return failed('parked', namedFindings(findings), { code: 'enableSubscriber', params: {} });
}

async function parkedBy(
  { db, directory, now }: CheckContext,
  { _id, state }: Breaker,
): Promise<Finding | null> {
  const filter = { subscriptionId: _id, 'state.series': state.series };
  const deliveries = db.collection<{ readonly createdAt: number }>('deliveries');
  const options = { sort: { createdAt: 1 }, projection: { createdAt: 1 } } as const;
  const [count, oldest] = await Promise.all([
    deliveries.countDocuments(filter, { limit: COUNTED_MAX }),
    deliveries.findOne(filter, options),
  ]);
  if (oldest === null) return null;
  const isTakenUp = state.breaker.open === null;
  const subscription = nameOf(directory.subscriptions, _id);
  const counts = { subscription, count, isLeast: count === COUNTED_MAX };
  const params = { ...counts, isTakenUp, oldest: ago(now - oldest.createdAt) };
  return { code: 'parked', params };
}
