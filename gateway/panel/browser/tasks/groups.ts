/** Groups of open tasks by their due day: pure. */
import type { Task } from '../../../../shared/api/task.ts';

export type Group = 'late' | 'today' | 'later' | 'undated';

export const GROUPS: readonly Group[] = ['late', 'today', 'later', 'undated'];

export interface Today {
  /** Epoch milliseconds. */
  readonly now: number;
  /** `YYYY-MM-DD`, in the organization's time zone. */
  readonly day: string;
  readonly dayOf: (at: string) => string;
}

/** A task with a time is late after it, one with a day only after that day. */
export function groupOf({ dueAt, dueHasTime }: Task, { now, day, dayOf }: Today): Group {
  if (dueAt === null) return 'undated';
  const due = dayOf(dueAt);
  if (due < day || (dueHasTime && Date.parse(dueAt) < now)) return 'late';
  return due === day ? 'today' : 'later';
}
