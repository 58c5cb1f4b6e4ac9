/** Rows of contacts, deals and tasks, beside the public ones: what the panel's screens add. */
import * as v from 'valibot';
import { choice, idText, pageEntries, requestObject } from '../../../shared/api/fields.ts';
import { ListPanelContactsQuery } from '../../../shared/api/panel-contact.ts';
import { DUE_TIMES, TASK_STATUSES } from '../../../shared/vocabulary.ts';
import type { ListContacts } from '../../../shared/wire/queries.ts';
import { phoneOfSearch } from '../../phone.ts';
import { type ApiRoute, apiRoute } from '../../route.ts';
import { ANY_ANSWER as answers } from './any-answer.ts';

const getContact = apiRoute({
  method: 'GET',
  path: '/panel/api/contacts/{id}',
  operationId: 'getPanelContact',
  summary: 'Mostra um contato, com as mudanças do seu consentimento.',
  tag: 'Contatos',
  answers,
  plan({ caller, params }) {
    const payload = { orgId: caller.orgId, id: params.id ?? '' };
    return { to: 'query', resource: 'own-contact', payload };
  },
});

const listContacts = apiRoute({
  method: 'GET',
  path: '/panel/api/contacts',
  operationId: 'listPanelContacts',
  summary: 'Lista os contatos, por etiqueta e consentimento.',
  tag: 'Contatos',
  query: ListPanelContactsQuery,
  answers,
  plan({ caller, query: { query, tag, consent, page, limit } }) {
    const queryPhone = query ? phoneOfSearch(query, caller) : null;
    const payload: ListContacts = {
      ...{ orgId: caller.orgId, page, limit },
      ...(query ? { query } : {}),
      ...(queryPhone === null ? {} : { queryPhone }),
      ...(tag === undefined ? {} : { tag }),
      ...(consent === undefined ? {} : { optIn: consent === 'yes' }),
      ...(consent === undefined || consent === 'yes' ? {} : { optOut: consent === 'no' }),
    };
    return { to: 'query', resource: 'contacts', payload };
  },
});

const sumDeals = apiRoute({
  method: 'GET',
  path: '/panel/api/deals/sums',
  operationId: 'sumDeals',
  summary: 'Soma os negócios abertos de um funil, por etapa.',
  tag: 'Negócios',
  query: requestObject({ pipelineId: idText }),
  answers,
  plan({ caller, query }) {
    const payload = { orgId: caller.orgId, pipelineId: query.pipelineId };
    return { to: 'query', resource: 'deal-sums', payload };
  },
});

const listDueTasks = apiRoute({
  method: 'GET',
  path: '/panel/api/tasks',
  operationId: 'listDueTasks',
  summary: 'Lista as tarefas pelo prazo.',
  tag: 'Tarefas',
  query: requestObject({
    due: v.optional(choice(DUE_TIMES)),
    status: v.optional(choice(TASK_STATUSES), 'open'),
    assigneeId: v.optional(idText),
    ...pageEntries,
  }),
  answers,
  plan({ caller, query }) {
    const { due, assigneeId, status, page, limit } = query;
    const payload = {
      ...{ orgId: caller.orgId, timeZone: caller.timeZone, status, page, limit },
      ...(due === undefined ? {} : { due }),
      ...(assigneeId === undefined ? {} : { assigneeId }),
    };
    return { to: 'query', resource: 'due-tasks', payload };
  },
});

export const CRM_ROUTES: readonly ApiRoute[] = [listContacts, getContact, sumDeals, listDueTasks];
