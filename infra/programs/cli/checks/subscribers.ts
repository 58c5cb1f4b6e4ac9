/** Subscribers that do not accept their deliveries: pending retries, and parked deliveries. */

import { EVERY_SHELF } from '../../../../shared/wire/subjects.ts';
import { unpacked } from '../../../adapters/mongo/packing.ts';
import { type Check, fail, pass } from './check.ts';
import type { CheckContext } from './check-context.ts';
import { nameOf } from './directory.ts';
import { ago, named, SHOWN } from './humanize.ts';

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
export async function checkSubscribers({ db, directory, now }: CheckContext): Promise<Check> {
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
  if (waiting.length === 0) return pass('subscribers', 'none has failed its last attempt');
  const failing = [...Map.groupBy(waiting, (each) => each.subscriptionId)].map(([id, deliveries]) =>
    failureOf(nameOf(directory.subscriptions, id), deliveries, now),
  );
  const detail = named(failing.map(({ sentence }) => sentence));
  if (!failing.some(({ lasting }) => lasting)) return pass('subscribers', detail);
  return fail(
    'subscribers',
    detail,
    'Mend the subscriber, then "recado deliveries retry"; "deliveries list" shows the attempts.',
  );
}

function failureOf(name: string, deliveries: readonly Attempted[], now: number) {
  const attempts = deliveries.flatMap(({ state }) => state.attempts);
  const last = attempts.reduce((a, b) => (b.at > a.at ? b : a));
  const since = Math.min(...attempts.map(({ at }) => at));
  const error = last.error ?? 'answered';
  const count = `${deliveries.length}${deliveries.length === SHOWN ? ' or more' : ''}`;
  const wait = deliveries.length === 1 ? 'delivery waits' : 'deliveries wait';
  const lasting = LASTING.test(error) || now - since > FAILING_MS;
  return { lasting, sentence: `${name}: ${count} ${wait} for a retry (${error})` };
}

interface Breaker {
  readonly _id: string;
  readonly state: {
    readonly series: number | null;
    readonly breaker: { readonly open: { readonly since: number } | null };
  };
}

/** Deliveries that an open breaker or a disabled subscription has set aside. */
export async function checkParked(context: CheckContext): Promise<Check> {
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
  const disabled = directory.subscribed.filter(({ enabled, disabledReason }) => {
    return !enabled && disabledReason !== null;
  });
  const sentences = [
    ...counted.filter((sentence) => sentence !== null),
    ...disabled.map(({ org, ref, disabledReason }) => {
      return `${org}/${ref} is disabled (${disabledReason}): its deliveries are parked`;
    }),
  ];
  if (sentences.length === 0) return pass('parked', 'no delivery is parked by the service');
  const remedy =
    'Mend the subscriber: a breaker closes by the first success; "recado subscriptions enable".';
  return fail('parked', named(sentences), remedy);
}

async function parkedBy(
  { db, directory, now }: CheckContext,
  { _id, state }: Breaker,
): Promise<string | null> {
  const filter = { subscriptionId: _id, 'state.series': state.series };
  const deliveries = db.collection<{ readonly createdAt: number }>('deliveries');
  const options = { sort: { createdAt: 1 }, projection: { createdAt: 1 } } as const;
  const [count, oldest] = await Promise.all([
    deliveries.countDocuments(filter, { limit: COUNTED_MAX }),
    deliveries.findOne(filter, options),
  ]);
  if (oldest === null) return null;
  const many = count === COUNTED_MAX ? `${count} or more` : `${count}`;
  const what = state.breaker.open === null ? 'are being taken up again' : 'are parked';
  const name = nameOf(directory.subscriptions, _id);
  return `${name}: ${many} ${what}, the oldest for ${ago(now - oldest.createdAt)}`;
}
