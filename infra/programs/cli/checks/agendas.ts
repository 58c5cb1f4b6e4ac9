/**
 * Age of the oldest entry of each agenda, by the alarms of docs/operations.md. The check reads the
 * store, not the owners: so an agenda without an owner is reported too.
 */
import type { Collection, Filter } from 'mongodb';
import type { DoctorRow } from '../../../../shared/panel/operation.ts';
import { URGENCIES } from '../../../../shared/vocabulary.ts';
import { EVERY_SHELF } from '../../../../shared/wire/subjects.ts';
import { unpacked } from '../../../adapters/mongo/packing.ts';
import { failed, passed } from './check.ts';
import type { CheckContext } from './check-context.ts';
import { nameOf } from './directory.ts';
import { ago, SHOWN } from './humanize.ts';

/** The alarm on `recado_agenda_oldest_seconds`. */
const ALARM_MS = 300_000;
/** A channel with a rate limit sends a message within this time. */
const MOVES_WITHIN_MS = 1_200;
/** A reply that comes while others wait may be gone soon. */
const LOOK_EVERY_MS = 150;
/** Messages of each class that a look knows again, the oldest. */
const LOOKED_AT_MAX = 500;
/** The longest wait before a reminder is tried again. */
const REMINDER_WAIT_MS = 3_600_000;
const NONE_DUE = { code: 'noneDue', params: {} } as const;

interface QueuedEntry {
  readonly _id: string;
  readonly send: { readonly at: number; readonly channelId: string };
}

/** Messages that wait for their network. A restricted number holds its own back rightly. */
export async function checkSends({ db, directory, now }: CheckContext): Promise<DoctorRow> {
  const filter: Filter<QueuedEntry> = {
    'send.partition': { $in: EVERY_SHELF },
    // Named, the classes are ranges of the agenda's index in the order of time.
    'send.urgency': { $in: [null, 'reply', 'bulk'] },
    send: { $exists: true },
    'send.channelId': { $nin: [...directory.restricted(now)] },
  };
  const first = await db.collection<QueuedEntry>('entries').findOne(filter, {
    sort: { 'send.at': 1 },
    projection: { 'send.at': 1, 'send.channelId': 1 },
  });
  if (first === null) return passed('sends', { code: 'noneQueued', params: {} });
  const channel = nameOf(directory.channels, first.send.channelId);
  const params = { waited: ago(now - first.send.at), channel };
  const waits = { code: 'oldestQueued', params } as const;
  if (now - first.send.at <= ALARM_MS) return passed('sends', waits);
  if (await moves(db.collection<QueuedEntry>('entries'), first)) {
    return passed('sends', waits, { code: 'queueMoves', params: {} });
  }
  const detail = [waits, { code: 'queueStuck', params: {} }] as const;
  return failed('sends', detail, { code: 'seeSends', params: {} });
}

/**
 * Whether any message of the channel goes: the oldest may wait rightly while replies take nearly
 * all turns. An attempt that fails moves nothing, its message waits on.
 */
async function moves(
  entries: Collection<QueuedEntry>,
  { _id, send: { channelId } }: QueuedEntry,
): Promise<boolean> {
  const known = new Set([_id]);
  for (let lookedMs = 0; lookedMs < MOVES_WITHIN_MS; lookedMs += LOOK_EVERY_MS) {
    for (const id of await waitingIn(entries, channelId)) known.add(id);
    await new Promise((resume) => setTimeout(resume, LOOK_EVERY_MS));
    const still = { _id: { $in: [...known] }, send: { $exists: true } };
    if ((await entries.countDocuments(still)) < known.size) return true;
  }
  return false;
}

async function waitingIn(
  entries: Collection<QueuedEntry>,
  channelId: string,
): Promise<readonly string[]> {
  const ids = URGENCIES.map(async (urgency) => {
    // A normal message says nothing of its class.
    const ofClass = urgency === 'normal' ? { $exists: false } : urgency;
    const waiting = { 'send.channelId': channelId, 'send.urgency': ofClass };
    const found = entries.find(
      { ...waiting, 'send.state': 'queued' },
      { sort: { 'send.at': 1 }, limit: LOOKED_AT_MAX, projection: { _id: 1 } },
    );
    return (await found.toArray()).map((each) => each._id);
  });
  return (await Promise.all(ids)).flat();
}

interface DueDelivery {
  readonly _id: string;
  readonly subscriptionId: string;
  readonly state: { readonly nextAttemptAt: number };
}

/** Deliveries that are due and not attempted. */
export async function checkDeliveries({ db, directory, now }: CheckContext): Promise<DoctorRow> {
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
  if (oldest === null) return passed('deliveries', NONE_DUE);
  const subscription = nameOf(directory.subscriptions, oldest.subscriptionId);
  const lateMs = now - oldest.state.nextAttemptAt;
  const detail = { code: 'oldestDue', params: { late: ago(lateMs), subscription } } as const;
  if (lateMs <= ALARM_MS) return passed('deliveries', detail);
  return failed('deliveries', [detail], { code: 'seeAttempts', params: {} });
}

interface TimedEntry {
  readonly _id: string;
  readonly orgId: string;
  readonly timer: { readonly at: number };
}

/** Steps of flows that are due. */
export async function checkTimers({ db, directory, now }: CheckContext): Promise<DoctorRow> {
  const stored = await db.collection<TimedEntry>('entries').findOne(
    {
      'timer.partition': { $in: EVERY_SHELF },
      timer: { $exists: true },
      'timer.at': { $lte: now },
    },
    { sort: { 'timer.at': 1 } },
  );
  const oldest = stored && unpacked('entries', stored);
  if (oldest === null) return passed('timers', { code: 'noStepDue', params: {} });
  const lateMs = now - oldest.timer.at;
  const organization = nameOf(directory.organizations, oldest.orgId);
  const detail = { code: 'oldestStepDue', params: { late: ago(lateMs), organization } } as const;
  if (lateMs <= ALARM_MS) return passed('timers', detail);
  return failed('timers', [detail], { code: 'seeTimers', params: {} });
}

interface Reminding {
  readonly _id: string;
  readonly state: {
    readonly orgId: string;
    readonly reminder: { readonly at: number; readonly attempts: number };
  };
}

/** Reminders that should have gone; a failed one is due later than it should have gone. */
export async function checkReminders({ db, directory, now }: CheckContext): Promise<DoctorRow> {
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
  if (oldest === undefined) return passed('reminders', NONE_DUE);
  const { orgId, reminder } = oldest.state;
  const lateMs = now - reminder.at;
  const { attempts } = reminder;
  const organization = nameOf(directory.organizations, orgId);
  const params = { late: ago(lateMs), organization, attempts };
  const detail = { code: 'oldestReminder', params } as const;
  // A single failed attempt is reported at once: the next one follows only when mails are sent
  // again.
  if (lateMs <= ALARM_MS && attempts < 2) return passed('reminders', detail);
  return failed('reminders', [detail], { code: 'seeReminders', params: {} });
}
