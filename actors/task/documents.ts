/** Document of a task, with the fields of the reminder agenda. */
import { partitionOf } from '../../shared/wire/subjects.ts';
import { COUNTED_TASKS } from '../counters/counted-collections.ts';
import type { TaskState } from '../domain/task.ts';
import type { EntityDefinition, EntityDocument } from '../outbox/versioned-document.ts';

declare module '../../shared/ports/store.ts' {
  interface Collections {
    readonly tasks: TaskDocument;
  }
}

export interface TaskDocument extends EntityDocument<TaskState> {
  /** Partition of the task's actor, and due time of its reminder; absent without a reminder. */
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
