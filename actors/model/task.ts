/** Document of a task, with the fields of the reminder agenda. */
import type { Shelved } from '../../shared/wire/subjects.ts';
import type { TaskState } from '../domain/task.ts';
import type { EntityDocument } from './entity.ts';

/** Its partition and the due time of its reminder are absent without a reminder. */
export interface TaskDocument extends EntityDocument<TaskState>, Partial<Shelved> {
  readonly remindAt?: number;
}
