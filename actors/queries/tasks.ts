/** GET /api/v1/tasks: by creation, newest first (C4.16); and one task. */
import { failure, renderFailure } from '../../shared/failures.ts';
import { answerOf } from '../../shared/wire/answer.ts';
import type { ListTasks } from '../../shared/wire/queries.ts';
import { anyOf, idsOfContact } from '../contact/read-contact.ts';
import { COUNTED_TASKS } from '../counters/counted-collections.ts';
import type { Filter, PathOf } from '../model/collections.ts';
import type { TaskDocument } from '../model/task.ts';
import { renderTask } from '../task/render.ts';
import type { Query } from './lists/answer.ts';
import { type Lists, listIndex, pageOf } from './lists/page.ts';
import { answerPage, type Listing } from './lists/parts.ts';

const ORG = 'state.orgId';
const DONE = 'state.done';

export const TASKS: Listing<ListTasks, Pick<TaskDocument, '_id' | 'state'>> = {
  rest: 'tasks-rest',
  read: (store, ids) => store.find('tasks', ids, { project: { state: 1 } }),
  show: async (_world, _query, documents) => documents.map(({ state }) => renderTask(state)),
};

export function listTasks(lists: Lists): Query<'tasks'> {
  return async ({ store }, query) => {
    const { page, limit, contactId, dealId } = query;
    const ids = contactId === undefined ? [] : await idsOfContact(store, contactId);
    const filter = filterOf(query, ids);
    const listed = await pageOf(lists, {
      countedCollection: COUNTED_TASKS,
      filter,
      // The indexes have `done` before the order: a list of both values merges two scans.
      indexedFilter:
        (contactId ?? dealId) === undefined
          ? { 'state.done': { $in: [false, true] }, ...filter }
          : filter,
      by: 'state.createdAt',
      index: listIndex(indexedBy(query), 'state.createdAt'),
      page,
      limit,
    });
    return answerPage(lists, TASKS, { query, ...listed });
  };
}

export const findOwnTask: Query<'own-task'> = async ({ store }, { orgId, id }) => {
  const task = await store.byId('tasks', id);
  if (task?.state.orgId !== orgId) return renderFailure(failure('task_not_found'));
  return answerOf({ data: renderTask(task.state) });
};

/** Fields of the index that leaves the fewest tasks. */
function indexedBy({ dealId, contactId, assigneeId }: ListTasks): readonly PathOf<'tasks'>[] {
  if (dealId !== undefined) return [ORG, 'state.dealId'];
  if (contactId !== undefined) return [ORG, 'state.contactId'];
  return assigneeId === undefined ? [ORG, DONE] : [ORG, 'state.assigneeId', DONE];
}

function filterOf(
  { orgId, status, dealId, assigneeId }: ListTasks,
  contactIds: readonly string[],
): Filter<'tasks'> {
  return {
    'state.orgId': orgId,
    ...(status === undefined ? {} : { 'state.done': status === 'done' }),
    ...(contactIds.length === 0 ? {} : { 'state.contactId': anyOf(contactIds) }),
    ...(dealId === undefined ? {} : { 'state.dealId': dealId }),
    ...(assigneeId === undefined ? {} : { 'state.assigneeId': assigneeId }),
  };
}
