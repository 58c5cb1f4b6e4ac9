/**
 * Tasks by their due time, for the panel. The time is part of the index: a page and its total read
 * no task that they do not show.
 */
import type { SizedDocument } from '../../shared/ports/sized-document.ts';
import { endOfDay } from '../../shared/time/calendar.ts';
import type { DueTime } from '../../shared/vocabulary.ts';
import type { ListDueTasks } from '../../shared/wire/panel-queries.ts';
import type { Filter, Order } from '../model/collections.ts';
import type { TaskDocument } from '../model/task.ts';
import { type Query, skipOf } from './lists/answer.ts';
import type { Lists } from './lists/page.ts';
import { answerPage, ROWS } from './lists/parts.ts';
import { TASKS } from './tasks.ts';

const DUE = 'state.due.dueAt';
const INDEX: Order<'tasks'> = {
  ...{ 'state.orgId': 1, 'state.done': 1, [DUE]: 1, 'state.createdAt': -1, _id: -1 },
  'state.assigneeId': 1,
};
const EARLIEST_FIRST = { [DUE]: 1, 'state.createdAt': -1, _id: -1 } as const;
const LATEST_FIRST = { [DUE]: -1, 'state.createdAt': 1, _id: 1 } as const;
const ANY_TIME = { $gte: Number.NEGATIVE_INFINITY };

/** Of the due time. */
type Due = Filter<'tasks'>[typeof DUE] & {};

export function listDueTasks(lists: Lists): Query<'due-tasks'> {
  return async ({ store, clock }, query) => {
    const { limit, status } = query;
    const filters = timesOf(query, clock.now()).map((time) => filterOf(query, time));
    const counts = await Promise.all(filters.map((filter) => store.count('tasks', filter, INDEX)));
    const sort = status === 'done' ? LATEST_FIRST : EARLIEST_FIRST;
    const rows: SizedDocument<TaskDocument>[] = [];
    let skip = skipOf(query);
    for (const [at, filter] of filters.entries()) {
      if (rows.length === limit) break;
      const options = { ...ROWS, sort, skip, limit: limit - rows.length, index: INDEX };
      rows.push(...(await store.find('tasks', filter, options)));
      skip = Math.max(0, skip - (counts[at] ?? 0));
    }
    const total = counts.reduce((sum, count) => sum + count, 0);
    return answerPage(lists, TASKS, { query, rows, total });
  };
}

function filterOf({ orgId, status, assigneeId }: ListDueTasks, time: Due): Filter<'tasks'> {
  return {
    ...{ 'state.orgId': orgId, 'state.done': status === 'done', [DUE]: time },
    ...(assigneeId === undefined ? {} : { 'state.assigneeId': assigneeId }),
  };
}

/** Where no time is asked for, tasks without one come last. */
function timesOf({ due, timeZone }: ListDueTasks, now: number): readonly Due[] {
  const tomorrow = endOfDay(now, timeZone);
  const times: Readonly<Record<DueTime, Due>> = {
    late: { $lt: now },
    today: { $gte: now, $lt: tomorrow },
    later: { $gte: tomorrow },
    none: { $not: ANY_TIME },
  };
  return due === undefined ? [ANY_TIME, times.none] : [times[due]];
}
