/** A task in MongoDB: its record, and what the reminder agenda finds it by. */
import { partitionOf } from '../../shared/wire/subjects.ts';
import { COUNTED_TASKS } from '../counters/counted-collections.ts';
import type { TaskState } from '../domain/task.ts';
import type { EntityDefinition, EntityDocument } from '../outbox/versioned-document.ts';

export interface TaskDocument extends EntityDocument<TaskState> {
  /** Of the task's actor, and when to look at its reminder; neither without one. */
  readonly partition?: number;
  readonly remindAt?: number;
}

export const TASKS: EntityDefinition<TaskState> = {
  kind: 'task',
  collection: 'tasks',
  countedCollection: COUNTED_TASKS,
  agenda: ({ id, reminder }) => ({
    partition: reminder ? partitionOf('task', id) : undefined,
    remindAt: reminder?.nextAt,
  }),
};
