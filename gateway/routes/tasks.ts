/** GET and POST /api/v1/tasks and /api/v1/tasks/{id} (C4.16, C4.17, C4.18). */

import {
  ChangeTaskBody,
  CreateTaskBody,
  ListTasksAnswer,
  ListTasksQuery,
  type Task,
  TaskAnswer,
} from '../../shared/api/task.ts';
import { contactId } from '../../shared/entity-ids.ts';
import type { ChangeTask, CreateTask } from '../../shared/wire/commands.ts';
import type { ListTasks } from '../../shared/wire/queries.ts';
import { apiRoute, originOf, type Route } from '../route.ts';
import { CONTACT, PAGE_OF_ONE } from './examples.ts';
import { LIST, ONCE } from './sentences.ts';

export const TASK: Task = {
  id: 'task_4Rf6Tg8Yh1Uj3Ik5Ol7Pq9',
  title: 'Ligar para confirmar o pedido',
  notes: null,
  contactId: CONTACT.id,
  dealId: null,
  assigneeId: null,
  dueAt: '2026-12-02T02:59:59.999Z',
  dueHasTime: false,
  done: false,
  doneAt: null,
  createdAt: CONTACT.createdAt,
  updatedAt: CONTACT.updatedAt,
};

const listTasks = apiRoute({
  method: 'GET',
  path: '/api/v1/tasks',
  operationId: 'listTasks',
  summary: 'Lista as tarefas de toda a equipe, da mais nova à mais antiga.',
  description: `A chave vê as tarefas de toda a equipe. ${LIST}`,
  tag: 'Tarefas',
  query: ListTasksQuery,
  answers: {
    200: {
      description: 'Uma página de tarefas.',
      schema: ListTasksAnswer,
      example: { data: [TASK], ...PAGE_OF_ONE },
    },
  },
  plan({ caller, query }) {
    const { page, limit, status, dealId, assigneeId } = query;
    const payload: ListTasks = {
      orgId: caller.orgId,
      page,
      limit,
      ...(status === undefined ? {} : { status }),
      ...(query.contactId === undefined ? {} : { contactId: query.contactId }),
      ...(dealId === undefined ? {} : { dealId }),
      ...(assigneeId === undefined ? {} : { assigneeId }),
    };
    return { to: 'query', resource: 'tasks', payload };
  },
});

const getTask = apiRoute({
  method: 'GET',
  path: '/api/v1/tasks/{id}',
  pathId: { description: 'Id da tarefa.', example: TASK.id },
  operationId: 'getTask',
  summary: 'Uma tarefa, como na lista.',
  description: 'A chave alcança as tarefas de toda a equipe.',
  tag: 'Tarefas',
  answers: { 200: { description: 'A tarefa.', schema: TaskAnswer, example: { data: TASK } } },
  refusals: [404],
  plan({ caller: { orgId }, params }) {
    return { to: 'query', resource: 'own-task', payload: { orgId, id: params.id ?? '' } };
  },
});

const createTask = apiRoute({
  method: 'POST',
  path: '/api/v1/tasks',
  operationId: 'createTask',
  access: 'full',
  summary: 'Cria uma tarefa, com ou sem contato; o responsável é lembrado por e-mail.',
  description:
    '`contactId` e `phone` não vão juntos; com `dealId` o contato é o do negócio. `dueTime` exige ' +
    `\`dueOn\`. Emite \`task.created\`. ${ONCE}`,
  tag: 'Tarefas',
  body: CreateTaskBody,
  bodyExample: { title: 'Ligar para confirmar o pedido', dueOn: '2026-12-01' },
  isAdditive: true,
  answers: {
    201: { description: 'A tarefa foi criada.', schema: TaskAnswer, example: { data: TASK } },
  },
  refusals: [404],
  plan({ caller, ids, body, phone }) {
    const { orgId } = caller;
    const byPhone = phone === null ? null : contactId(ids, orgId, phone);
    const command: CreateTask = {
      id: ids.fresh('task'),
      type: 'create',
      orgId,
      title: body.title,
      notes: body.notes ?? null,
      contactId: body.contactId ?? byPhone,
      ...(body.contactId === undefined && phone !== null ? { phone } : {}),
      contactNamedBy: byPhone === null ? 'contactId' : 'phone',
      dealId: body.dealId ?? null,
      assigneeId: body.assigneeId ?? null,
      dueOn: body.dueOn ?? null,
      dueTime: body.dueTime ?? null,
      origin: originOf(caller),
    };
    return { to: 'actor', address: { kind: 'task', key: command.id }, command };
  },
});

const changeTask = apiRoute({
  method: 'POST',
  path: '/api/v1/tasks/{id}',
  pathId: { description: 'Id da tarefa.', example: TASK.id },
  operationId: 'changeTask',
  access: 'full',
  summary: 'Altera, conclui ou reabre uma tarefa; tudo ou nada.',
  description:
    'Ao menos um campo. `dueOn` nulo remove o prazo; `dueTime` nulo volta ao dia inteiro. ' +
    `Concluir emite \`task.completed\`; reabrir não emite evento. ${ONCE}`,
  tag: 'Tarefas',
  body: ChangeTaskBody,
  fieldDescriptions: {
    done: '`true` conclui, `false` reabre.',
  },
  bodyExample: { done: true },
  answers: {
    200: { description: 'A tarefa alterada.', schema: TaskAnswer, example: { data: TASK } },
  },
  refusals: [404],
  plan({ caller, ids, params, body }) {
    const { done, title, notes, assigneeId, dueOn, dueTime } = body;
    const command: ChangeTask = {
      id: ids.fresh('cmd'),
      type: 'change',
      orgId: caller.orgId,
      ...(done === undefined ? {} : { done }),
      ...(title === undefined ? {} : { title }),
      ...(notes === undefined ? {} : { notes }),
      ...(assigneeId === undefined ? {} : { assigneeId }),
      ...(dueOn === undefined ? {} : { dueOn }),
      ...(dueTime === undefined ? {} : { dueTime }),
      origin: originOf(caller),
    };
    return { to: 'actor', address: { kind: 'task', key: params.id ?? '' }, command };
  },
});

export const TASK_ROUTES: readonly Route[] = [listTasks, getTask, createTask, changeTask];
