/** How tasks are stored, with the fields of the reminder agenda. */
import { shelved } from '../../shared/wire/subjects.ts';
import { COUNTED_TASKS } from '../counters/counted-collections.ts';
import type { TaskState } from '../domain/task.ts';
import type { EntityDefinition } from '../outbox/versioned-document.ts';

export const TASKS: EntityDefinition<TaskState> = {
  kind: 'task',
  collection: 'tasks',
  load: (store, id) => store.byId('tasks', id),
  countedCollection: COUNTED_TASKS,
  agenda: ({ id, reminder }) => ({
    ...(reminder ? shelved('task', id) : { partition: undefined, place: undefined }),
    remindAt: reminder?.nextAt,
  }),
};
