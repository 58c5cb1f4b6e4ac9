/** Fixture of the tests of deals and tasks: an organization with a team, and plain calls. */
import assert from 'node:assert/strict';
import * as v from 'valibot';
import { UpsertContactAnswer } from '../../../shared/api/contact.ts';
import { type Deal, DealAnswer, ListDealsAnswer } from '../../../shared/api/deal.ts';
import { ListPipelinesAnswer, type Pipeline } from '../../../shared/api/pipeline.ts';
import { ListTasksAnswer, type Task, TaskAnswer } from '../../../shared/api/task.ts';
import { type Answer, freshPhone } from '../api.ts';
import { named } from '../applied.ts';
import type { Organization, OrganizationOptions } from '../organization.ts';
import type { Stack } from '../stack.ts';

export const TEAM: Pick<OrganizationOptions, 'more'> = {
  more: {
    members: [
      { ref: 'ana', name: 'Ana Souza', email: 'ana@example.com' },
      { ref: 'bia', name: 'Bia Lima', email: 'bia@example.com' },
      { ref: 'mute', name: 'Sem Correio' },
    ],
  },
};

type Body = Readonly<Record<string, unknown>>;

export interface CrmFixture {
  readonly member: (ref: string) => string;
  get(path: string): Promise<Answer>;
  post(path: string, body: Body): Promise<Answer>;
  /** A new contact's id and phone. */
  contact(name?: string): Promise<{ readonly id: string; readonly phone: string }>;
  pipeline(): Promise<Pipeline>;
  /** A deal of a new contact unless the body names one; it has to be accepted. */
  deal(body?: Body): Promise<Deal>;
  changeDeal(id: string, body: Body): Promise<Deal>;
  deals(query?: string): Promise<v.InferOutput<typeof ListDealsAnswer>>;
  task(body?: Body): Promise<Task>;
  changeTask(id: string, body: Body): Promise<Task>;
  tasks(query?: string): Promise<v.InferOutput<typeof ListTasksAnswer>>;
}

export function crmFixtureOf(stack: Stack, org: Organization): CrmFixture {
  const get = (path: string) => stack.call('GET', `/api/v1/${path}`, { key: org.key });
  const post = (path: string, body: Body) =>
    stack.call('POST', `/api/v1/${path}`, { key: org.key, body });
  const contact = async (name = 'Maria') => {
    const answer = await post('contacts', { phone: freshPhone(), name });
    return v.parse(UpsertContactAnswer, answer.json).data;
  };
  const named201 = async (path: string, body: Body) => accepted(await post(path, body), 201);
  return {
    member: (ref) => named(org.applied.members, ref),
    get,
    post,
    contact,
    pipeline: async () => {
      const [only, ...more] = v.parse(ListPipelinesAnswer, (await get('pipelines')).json).data;
      assert.ok(only && more.length === 0, 'one pipeline');
      return only;
    },
    deal: async (body = {}) => {
      const whose =
        'contactId' in body || 'phone' in body ? {} : { phone: (await contact()).phone };
      const json = await named201('deals', { title: 'Plano', ...whose, ...body });
      return v.parse(DealAnswer, json).data;
    },
    changeDeal: async (id, body) =>
      v.parse(DealAnswer, accepted(await post(`deals/${id}`, body), 200)).data,
    deals: async (query = '') =>
      v.parse(ListDealsAnswer, accepted(await get(`deals?${query}`), 200)),
    task: async (body = {}) =>
      v.parse(TaskAnswer, await named201('tasks', { title: 'Ligar', ...body })).data,
    changeTask: async (id, body) =>
      v.parse(TaskAnswer, accepted(await post(`tasks/${id}`, body), 200)).data,
    tasks: async (query = '') =>
      v.parse(ListTasksAnswer, accepted(await get(`tasks?${query}`), 200)),
  };
}

function accepted(answer: Answer, status: number): unknown {
  assert.equal(answer.status, status, answer.text);
  return answer.json;
}
