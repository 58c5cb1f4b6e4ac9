/** GET /api/v1/tasks: by creation, newest first (contract section 4). */
import type { ListTasks } from '../../shared/commands.ts';
import type { Filter } from '../../shared/ports.ts';
import { TASKS, type TaskDocument } from '../task/documents.ts';
import { renderTask } from '../task/render.ts';
import { found, type Query, skipOf } from './answer.ts';

export const listTasks: Query<ListTasks> = async ({ store }, query) => {
  const filter = filterOf(query);
  const { page, limit } = query;
  const [documents, total] = await Promise.all([
    store.find<TaskDocument>(TASKS.collection, filter, {
      sort: { 'state.createdAt': -1, _id: -1 },
      skip: skipOf(query),
      limit,
      project: { state: 1 },
    }),
    store.count(TASKS.collection, filter),
  ]);
  return found({ data: documents.map(({ state }) => renderTask(state)), page, limit, total });
};

function filterOf({ orgId, status, contactId, dealId, assigneeId }: ListTasks): Filter {
  return {
    'state.orgId': orgId,
    ...(status === undefined ? {} : { 'state.done': status === 'done' }),
    ...(contactId === undefined ? {} : { 'state.contactId': contactId }),
    ...(dealId === undefined ? {} : { 'state.dealId': dealId }),
    ...(assigneeId === undefined ? {} : { 'state.assigneeId': assigneeId }),
  };
}
