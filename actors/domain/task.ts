/**
 * Decisions about a task (C3.4, C4.18): open, done, its deadline in the organization's time zone
 * (C4.17, D27), and its reminder (C4.17.1, D28).
 *
 * 1. A change is decided on the state before it, whole or not at all.
 * 2. `task.completed` is emitted when an open task is done, not when that is repeated. A change
 *    without effect leaves `updatedAt`.
 * 3. A time stays when only the day changes; without a day there is no time.
 * 4. A task of a deal has the deal's contact.
 * 5. A task has at most one armed reminder. A change of day, time, assignee or `done` arms it again
 *    or disarms it: a stale reminder is never sent.
 * 6. A durable claim precedes the mail. A claim without a recorded outcome was interrupted: the
 *    mail is sent again under the same id.
 * 7. Sent reminders stay recorded: the same time and assignee are not reminded twice.
 * 8. A reminder is given up at the age of `REMINDER_MAX_AGE_MS`.
 */
import { CRM_SENTENCES } from '../../shared/api/deal.ts';
import { type Failure, type Issue, invalid } from '../../shared/failures.ts';
import { REMINDER_CLAIM_MS, REMINDER_MAX_AGE_MS } from '../../shared/limits.ts';
import { dueAt, type LocalDue, remindAt } from '../../shared/time/calendar.ts';
import type { ChangeTask, CreateTask } from '../../shared/wire/commands.ts';
import { isSame } from './is-same.ts';

export interface Due extends LocalDue {
  /** Epoch milliseconds, in the zone that the organization had when the deadline was set. */
  readonly dueAt: number;
  readonly remindAt: number;
}

type Settable = 'title' | 'notes' | 'assigneeId' | 'dueOn' | 'dueTime';

export type NewTask = Pick<CreateTask, 'id' | 'orgId' | Settable>;

export interface TaskState extends ReminderFields, Omit<NewTask, 'dueOn' | 'dueTime'> {
  readonly contactId: string | null;
  readonly dealId: string | null;
  readonly due: Due | null;
  readonly doneAt: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly version: number;
}

/** Contact and deal of a new task, as far as the caller named them and they exist. */
export interface TaskSubject extends Pick<CreateTask, 'contactId' | 'contactNamedBy'> {
  readonly deal: { readonly id: string; readonly contactId: string } | null;
}

/** An absent property stays as it is, null clears it. */
export type TaskChange = Pick<ChangeTask, 'done' | Settable>;

/** Facts of the organization. */
export interface TaskCircumstances {
  readonly now: number;
  /** IANA name. */
  readonly timeZone: string;
  readonly isMember: (id: string) => boolean;
}

export type TaskEvent = 'task.created' | 'task.completed';

export type TaskDecision =
  | { readonly refused: Failure }
  /** With the state as it was, there is nothing to commit. */
  | { readonly accepted: TaskState; readonly events: readonly TaskEvent[] };

export function decideCreate(
  { dueOn, dueTime, ...task }: NewTask,
  { contactId, contactNamedBy, deal }: TaskSubject,
  circumstances: TaskCircumstances,
): TaskDecision {
  const issues = checkAssignee(task.assigneeId, circumstances);
  if (deal && contactId !== null && contactId !== deal.contactId) {
    issues.push({ path: contactNamedBy, message: CRM_SENTENCES.otherContact });
  }
  if (issues.length > 0) return { refused: invalid(...issues) };
  const { now, timeZone } = circumstances;
  const begun: TaskState = {
    ...task,
    contactId: deal?.contactId ?? contactId,
    dealId: deal?.id ?? null,
    due: dueOn === null ? null : resolve({ on: dueOn, time: dueTime }, timeZone),
    done: false,
    doneAt: null,
    reminder: null,
    reminded: [],
    createdAt: now,
    updatedAt: now,
    version: 1,
  };
  const accepted = { ...begun, reminder: armReminder(begun, now) };
  return { accepted, events: ['task.created'] };
}

export function decideChange(
  state: TaskState,
  change: TaskChange,
  circumstances: TaskCircumstances,
): TaskDecision {
  const issues = checkAssignee(change.assigneeId ?? null, circumstances);
  const local = changeDue(state.due, change);
  if (local === 'no-day') issues.push({ path: 'dueTime', message: CRM_SENTENCES.timeWithoutDay });
  if (issues.length > 0 || local === 'no-day') return { refused: invalid(...issues) };
  const { title, notes, assigneeId, done } = change;
  const now = Math.max(circumstances.now, state.updatedAt);
  const completed = done === true && !state.done;
  const isSameDue = local?.on === state.due?.on && local?.time === state.due?.time;
  const named: TaskState = {
    ...state,
    title: title ?? state.title,
    notes: notes === undefined ? state.notes : notes,
    assigneeId: assigneeId === undefined ? state.assigneeId : assigneeId,
    due: isSameDue ? state.due : local && resolve(local, circumstances.timeZone),
    done: done ?? state.done,
    doneAt: completed ? now : done === false ? null : state.doneAt,
  };
  if (isSame(state, named)) return { accepted: state, events: [] };
  const reminder = armReminder(named, circumstances.now);
  const accepted = { ...named, reminder, updatedAt: now, version: state.version + 1 };
  return { accepted, events: completed ? ['task.completed'] : [] };
}

function checkAssignee(assigneeId: string | null, { isMember }: TaskCircumstances): Issue[] {
  if (assigneeId === null || isMember(assigneeId)) return [];
  return [{ path: 'assigneeId', message: CRM_SENTENCES.notMember }];
}

/** The deadline after the change; `no-day` where a time is named without a day. */
function changeDue(due: Due | null, { dueOn, dueTime }: TaskChange): LocalDue | null | 'no-day' {
  if (dueOn === null) return dueTime == null ? null : 'no-day';
  const on = dueOn ?? due?.on;
  if (on === undefined) return dueTime === undefined ? null : 'no-day';
  return { on, time: dueTime === undefined ? (due?.time ?? null) : dueTime };
}

function resolve(due: LocalDue, timeZone: string): Due {
  return { ...due, dueAt: dueAt(due, timeZone), remindAt: remindAt(due, timeZone) };
}

/** Times are epoch milliseconds. */
export interface Reminder {
  /** Time at which it is due. */
  readonly at: number;
  readonly assigneeId: string;
  /** Claimed attempts; each is counted before the mail is sent. */
  readonly attempts: number;
  /** Time of its next check: `at`, the end of a claim, or the next try. */
  readonly nextAt: number;
}

/** The properties of a task on which its reminder depends. */
export interface ReminderFields {
  readonly done: boolean;
  readonly assigneeId: string | null;
  readonly due: { readonly remindAt: number } | null;
  readonly reminder: Reminder | null;
  /** Times and assignees of sent reminders, newest last. */
  readonly reminded: readonly string[];
}

const REMINDED_MAX = 20;
const RETRY_WAITS_MS = [10_000, 60_000, 300_000, 900_000, 1_800_000, 3_600_000];
const LAST_WAIT_MS = 3_600_000;

/** The reminder that the task should have now, or null. */
export function armReminder(task: ReminderFields, now: number): Reminder | null {
  const { done, assigneeId, due, reminder, reminded } = task;
  if (done || assigneeId === null || due === null) return null;
  const wanted = { at: due.remindAt, assigneeId };
  if (reminder && nameOf(reminder) === nameOf(wanted)) return reminder;
  if (reminded.includes(nameOf(wanted)) || isTooLate(wanted, now)) return null;
  return { ...wanted, attempts: 0, nextAt: wanted.at };
}

export type ClaimDecision =
  | { readonly decision: 'wait' }
  | { readonly decision: 'give-up' }
  | { readonly decision: 'send'; readonly reminder: Reminder };

/** Decides whether the reminder is sent now; the returned `reminder` is committed before. */
export function decideClaim(reminder: Reminder | null, now: number): ClaimDecision {
  if (!reminder || reminder.nextAt > now) return { decision: 'wait' };
  if (isTooLate(reminder, now)) return { decision: 'give-up' };
  const attempts = reminder.attempts + 1;
  const nextAt = now + REMINDER_CLAIM_MS;
  return { decision: 'send', reminder: { ...reminder, attempts, nextAt } };
}

/** The task after the outcome of a claim. `refused` is final, `later` is tried again. */
export function applyReminderOutcome<Task extends Pick<ReminderFields, 'reminder' | 'reminded'>>(
  task: Task,
  sent: Reminder,
  { outcome, now }: { readonly outcome: 'sent' | 'refused' | 'later'; readonly now: number },
): Task {
  const current = task.reminder && nameOf(task.reminder) === nameOf(sent) ? task.reminder : null;
  if (outcome === 'later') {
    // A reminder that was armed again, or claimed by another sender, is not changed here.
    if (current?.attempts !== sent.attempts) return task;
    const nextAt = now + (RETRY_WAITS_MS[sent.attempts - 1] ?? LAST_WAIT_MS);
    return { ...task, reminder: { ...current, nextAt } };
  }
  const reminded = [...task.reminded, nameOf(sent)].slice(-REMINDED_MAX);
  return { ...task, reminded, reminder: current ? null : task.reminder };
}

function isTooLate({ at }: { readonly at: number }, now: number): boolean {
  return now - at >= REMINDER_MAX_AGE_MS;
}

function nameOf({ at, assigneeId }: { readonly at: number; readonly assigneeId: string }): string {
  return `${at}.${assigneeId}`;
}
