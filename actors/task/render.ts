/** A task as the API shows it. */
import type { Task } from '../../shared/api/task.ts';
import { timestamp } from '../../shared/wire/outbox.ts';
import type { TaskState } from '../domain/task.ts';

/** C2.10: property order is the document's. */
export function renderTask(state: TaskState): Task {
  return {
    id: state.id,
    title: state.title,
    notes: state.notes,
    contactId: state.contactId,
    dealId: state.dealId,
    assigneeId: state.assigneeId,
    dueAt: state.due === null ? null : timestamp(state.due.dueAt),
    dueHasTime: state.due !== null && state.due.time !== null,
    done: state.done,
    doneAt: state.doneAt === null ? null : timestamp(state.doneAt),
    createdAt: timestamp(state.createdAt),
    updatedAt: timestamp(state.updatedAt),
  };
}
