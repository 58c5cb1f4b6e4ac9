/**
 * Reminder of a task: when it is due, the claim that precedes its mail, and when it expires.
 *
 * 1. A task has at most one armed reminder. A change of day, time, assignee or `done` arms it again
 *    or disarms it: a stale reminder is never sent.
 * 2. A durable claim precedes the mail. A claim without a recorded outcome was interrupted: the
 *    mail is sent again under the same id.
 * 3. Sent reminders stay recorded: the same time and assignee are not reminded twice.
 * 4. A reminder is given up at the age of `REMINDER_MAX_AGE_MS`.
 *
 * C4.17.1, D28.
 */
import { REMINDER_CLAIM_MS, REMINDER_MAX_AGE_MS } from '../../shared/limits.ts';

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

const REMINDED_KEPT_MAX = 20;
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
  const reminded = [...task.reminded, nameOf(sent)].slice(-REMINDED_KEPT_MAX);
  return { ...task, reminded, reminder: current ? null : task.reminder };
}

function isTooLate({ at }: { readonly at: number }, now: number): boolean {
  return now - at >= REMINDER_MAX_AGE_MS;
}

function nameOf({ at, assigneeId }: { readonly at: number; readonly assigneeId: string }): string {
  return `${at}.${assigneeId}`;
}
