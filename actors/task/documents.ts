/** A task in MongoDB: its record, and what the reminder agenda finds it by. */
import { partitionOf } from '../../shared/subjects.ts';
import type { TaskState } from '../domain/task.ts';
import type { RecordDocument, RecordPlace } from '../outbox/versioned-document.ts';
import { TASK_TALLY } from '../tally/tallied.ts';

export interface TaskDocument extends RecordDocument<TaskState> {
  /** Of the task's actor, and when to look at its reminder; neither without one. */
  readonly partition?: number;
  readonly remindAt?: number;
}

export const TASKS: RecordPlace<TaskState> = {
  kind: 'task',
  collection: 'tasks',
  tally: TASK_TALLY,
  agenda: ({ id, reminder }) => ({
    partition: reminder ? partitionOf('task', id) : undefined,
    remindAt: reminder?.nextAt,
  }),
};
