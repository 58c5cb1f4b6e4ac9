/**
 * Age of the oldest entry of each agenda, by the alarms of docs/operations.md. The check reads the
 * store, not the owners: so an agenda without an owner is reported too.
 */
import type { Filter } from 'mongodb';
import { EVERY_SHELF } from '../../../../shared/wire/subjects.ts';
import { unpacked } from '../../../adapters/mongo/packing.ts';
import { type Check, fail, pass } from './check.ts';
import type { CheckContext } from './check-context.ts';
import { nameOf } from './directory.ts';
import { ago, SHOWN } from './humanize.ts';

/** The alarm on `recado_agenda_oldest_seconds`. */
const ALARM_MS = 300_000;
/** A queue with a rate limit has another oldest entry after this time. */
const MOVES_WITHIN_MS = 1_200;
/** The longest wait before a reminder is tried again. */
const REMINDER_WAIT_MS = 3_600_000;

interface QueuedEntry {
  readonly _id: string;
  readonly send: { readonly at: number; readonly channelId: string };
}

/** Messages that wait for their network. A restricted number holds its own back rightly. */
export async function checkSends({ db, directory, now }: CheckContext): Promise<Check> {
  const filter: Filter<QueuedEntry> = {
    'send.partition': { $in: EVERY_SHELF },
    send: { $exists: true },
    'send.channelId': { $nin: [...directory.restricted(now)] },
  };
  const oldest = () =>
    db.collection<QueuedEntry>('entries').findOne(filter, {
      sort: { 'send.at': 1 },
      projection: { 'send.at': 1, 'send.channelId': 1 },
    });
  const first = await oldest();
  if (first === null) return pass('sends', 'no message is queued');
  const name = nameOf(directory.channels, first.send.channelId);
  const waits = `the oldest queued message has waited ${ago(now - first.send.at)} (${name})`;
  if (now - first.send.at <= ALARM_MS) return pass('sends', waits);
  await new Promise((resume) => setTimeout(resume, MOVES_WITHIN_MS));
  const next = await oldest();
  if (next === null || next._id !== first._id) return pass('sends', `${waits}; its queue moves`);
  const remedy = 'See the row "networks", and lines "send" in the log of the actors.';
  return fail('sends', `${waits}; its queue does not move`, remedy);
}

interface DueDelivery {
  readonly _id: string;
  readonly subscriptionId: string;
  readonly state: { readonly nextAttemptAt: number };
}

/** Deliveries that are due and not attempted. */
export async function checkDeliveries({ db, directory, now }: CheckContext): Promise<Check> {
  const oldest = await db.collection<DueDelivery>('deliveries').findOne(
    {
      'state.status': 'pending',
      partition: { $in: EVERY_SHELF },
      'state.nextAttemptAt': { $lte: now },
    },
    {
      sort: { 'state.nextAttemptAt': 1 },
      projection: { subscriptionId: 1, 'state.nextAttemptAt': 1 },
    },
  );
  if (oldest === null) return pass('deliveries', 'none is due');
  const name = nameOf(directory.subscriptions, oldest.subscriptionId);
  const lateMs = now - oldest.state.nextAttemptAt;
  const detail = `the oldest one has been due for ${ago(lateMs)} (${name})`;
  if (lateMs <= ALARM_MS) return pass('deliveries', detail);
  return fail('deliveries', detail, 'See lines "attempt" in the log of the actors: slow answers?');
}

interface TimedEntry {
  readonly _id: string;
  readonly orgId: string;
  readonly timer: { readonly at: number };
}

/** Steps of flows that are due. */
export async function checkTimers({ db, directory, now }: CheckContext): Promise<Check> {
  const stored = await db.collection<TimedEntry>('entries').findOne(
    {
      'timer.partition': { $in: EVERY_SHELF },
      timer: { $exists: true },
      'timer.at': { $lte: now },
    },
    { sort: { 'timer.at': 1 } },
  );
  const oldest = stored && unpacked('entries', stored);
  if (oldest === null) return pass('timers', 'no step of a flow is due');
  const lateMs = now - oldest.timer.at;
  const name = nameOf(directory.organizations, oldest.orgId);
  const detail = `the oldest step of a flow has been due for ${ago(lateMs)} (${name})`;
  if (lateMs <= ALARM_MS) return pass('timers', detail);
  const remedy = 'See lines "timer of a flow" in the log of the actors.';
  return fail('timers', detail, remedy);
}

interface Reminding {
  readonly _id: string;
  readonly state: {
    readonly orgId: string;
    readonly reminder: { readonly at: number; readonly attempts: number };
  };
}

/** Reminders that should have gone; a failed one is due later than it should have gone. */
export async function checkReminders({ db, directory, now }: CheckContext): Promise<Check> {
  const late = await db
    .collection<Reminding>('tasks')
    .find(
      {
        partition: { $in: EVERY_SHELF },
        remindAt: { $lte: now + REMINDER_WAIT_MS },
        'state.reminder.at': { $lte: now },
      },
      { projection: { 'state.orgId': 1, 'state.reminder': 1 } },
    )
    .sort({ remindAt: 1 })
    .limit(SHOWN)
    .toArray();
  const [oldest] = late.toSorted((a, b) => a.state.reminder.at - b.state.reminder.at);
  if (oldest === undefined) return pass('reminders', 'none is due');
  const { orgId, reminder } = oldest.state;
  const lateMs = now - reminder.at;
  const { attempts } = reminder;
  const tried = attempts === 0 ? '' : `, after ${attempts} attempts`;
  const detail = `the oldest one is ${ago(lateMs)} late (${nameOf(directory.organizations, orgId)}${tried})`;
  // A single failed attempt is reported at once: the next one follows only when mails are sent
  // again.
  if (lateMs <= ALARM_MS && attempts < 2) return pass('reminders', detail);
  return fail('reminders', detail, 'See the row "mail", and lines "reminder" of the actors.');
}
