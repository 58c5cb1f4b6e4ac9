/**
 * Decisions about a task: open, done, and its deadline in the organization's time zone.
 *
 * 1. A change is decided on the state before it, whole or not at all.
 * 2. `task.completed` is emitted when an open task is done, not when that is repeated. A change
 *    without effect leaves `updatedAt`.
 * 3. A time stays when only the day changes; without a day there is no time.
 * 4. A task of a deal has the deal's contact.
 *
 * C3.4, C4.17, C4.18, D27.
 */

import { CRM_SENTENCES } from '../../shared/api/deal.ts';
import { type Failure, type Issue, invalid } from '../../shared/failures.ts';
import { dueAt, type LocalDue, remindAt } from '../../shared/time/calendar.ts';
import { armReminder, type ReminderFields } from './reminder.ts';

export interface Due extends LocalDue {
  /** Epoch milliseconds, in the zone that the organization had when the deadline was set. */
  readonly dueAt: number;
  readonly remindAt: number;
}

export interface TaskState extends ReminderFields {
  readonly id: string;
  readonly orgId: string;
  readonly title: string;
  readonly notes: string | null;
  readonly contactId: string | null;
  readonly dealId: string | null;
  readonly assigneeId: string | null;
  readonly due: Due | null;
  readonly done: boolean;
  readonly doneAt: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly version: number;
}

export interface NewTask {
  readonly id: string;
  readonly orgId: string;
  readonly title: string;
  readonly notes: string | null;
  readonly assigneeId: string | null;
  readonly dueOn: string | null;
  readonly dueTime: string | null;
}

/** Contact and deal of a new task, as far as the caller named them and they exist. */
export interface TaskSubject {
  readonly contactId: string | null;
  readonly contactNamedBy: 'contactId' | 'phone';
  readonly deal: { readonly id: string; readonly contactId: string } | null;
}

/** An absent property stays as it is, null clears it. */
export interface TaskChange {
  readonly done?: boolean;
  readonly title?: string;
  readonly notes?: string | null;
  readonly assigneeId?: string | null;
  readonly dueOn?: string | null;
  readonly dueTime?: string | null;
}

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
  const named: TaskState = {
    ...state,
    title: title ?? state.title,
    notes: notes === undefined ? state.notes : notes,
    assigneeId: assigneeId === undefined ? state.assigneeId : assigneeId,
    due: isSameDue(local, state.due) ? state.due : local && resolve(local, circumstances.timeZone),
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

function isSameDue(a: LocalDue | null, b: LocalDue | null): boolean {
  return a?.on === b?.on && a?.time === b?.time;
}

function isSame(a: TaskState, b: TaskState): boolean {
  return (
    a.title === b.title &&
    a.notes === b.notes &&
    a.assigneeId === b.assigneeId &&
    a.due === b.due &&
    a.done === b.done
  );
}
