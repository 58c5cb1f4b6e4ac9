/** Document of a task, with the fields of the reminder agenda. */
import { type Shelved, shelved } from '../../shared/wire/subjects.ts';
import { COUNTED_TASKS } from '../counters/counted-collections.ts';
import type { TaskState } from '../domain/task.ts';
import type { EntityDefinition, EntityDocument } from '../outbox/versioned-document.ts';

declare module '../../shared/ports/store.ts' {
  interface Collections {
    readonly tasks: TaskDocument;
  }
}

/** Its partition and the due time of its reminder are absent without a reminder. */
export interface TaskDocument extends EntityDocument<TaskState>, Partial<Shelved> {
  readonly remindAt?: number;
}

export const TASKS: EntityDefinition<TaskState> = {
  kind: 'task',
  collection: 'tasks',
  countedCollection: COUNTED_TASKS,
  agenda: ({ id, reminder }) => ({
    ...(reminder ? shelved('task', id) : { partition: undefined, place: undefined }),
    remindAt: reminder?.nextAt,
  }),
};
