/** Events of tasks, by the commands of `POST /api/v1/tasks` and `POST /api/v1/tasks/{id}`. */
import { type Task, TaskAnswer } from '../../../../shared/api/task.ts';
import { readAnswer } from '../service/answer.ts';
import { operatorAs } from '../service/operator.ts';
import { ensureContact } from './contacts.ts';
import type { Made, Provocation } from './provocation.ts';

export async function createTask(provocation: Provocation): Promise<Made> {
  return madeOf(await create(provocation));
}

export async function completeTask(provocation: Provocation): Promise<Made> {
  const task = await create(provocation);
  const { service, target } = provocation;
  const answer = await service.ask(
    { kind: 'task', key: task.id },
    {
      ...{ type: 'change', orgId: target.orgId, done: true },
      ...{ origin: 'panel', ...operatorAs('changeTask') },
    },
  );
  return madeOf(readAnswer(TaskAnswer, answer).data);
}

function madeOf({ id, contactId }: Task): Made {
  return { taskId: id, ...(contactId === null ? {} : { contactId }) };
}

/** Without an assignee, so that nobody is reminded. */
async function create({ service, target, text }: Provocation): Promise<Task> {
  const contact = await ensureContact(service, target);
  const id = service.ids.fresh('task');
  const answer = await service.ask(
    { kind: 'task', key: id },
    {
      ...{ id, type: 'create', orgId: target.orgId, title: text, notes: null },
      ...{ contactId: contact.id, contactNamedBy: 'contactId', dealId: null },
      ...{ assigneeId: null, dueOn: null, dueTime: null },
      ...{ origin: 'panel', ...operatorAs('createTask') },
    },
  );
  return readAnswer(TaskAnswer, answer).data;
}
