/** Tasks over the real stack (C2.10, C3.4, C4.16, C4.17, C4.18). */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { crmFixtureOf, TEAM } from '../../support/api/crm-fixture.ts';
import { assertRefused, freshPhone, issuePaths } from '../../support/api.ts';
import { useOrganizations, useStack, useSubscriber } from '../../support/stack-hooks.ts';
import { waitUntil } from '../../support/wait-for.ts';

const stack = useStack();
const subscriber = useSubscriber();
const made = useOrganizations(stack, () => {
  const subscriptions = [{ ref: 'all', url: `${subscriber.url}/a`, events: ['*'] }];
  return {
    a: { ...TEAM, subscriptions },
    b: {},
    york: { more: { timeZone: 'America/New_York' } },
    lists: TEAM,
  };
});
const a = crmFixtureOf(stack, made.a);
const b = crmFixtureOf(stack, made.b);
const york = crmFixtureOf(stack, made.york);
const lists = crmFixtureOf(stack, made.lists);

const TASK_FIELDS =
  'id,title,notes,contactId,dealId,assigneeId,dueAt,dueHasTime,done,doneAt,createdAt,updatedAt';

describe('POST /api/v1/tasks (contract section 4)', () => {
  test('creates with 201 in the order of section 2, without a contact', async () => {
    const answer = await a.post('tasks', { title: 'Ligar', extra: 1 });
    assert.equal(answer.status, 201);
    const { data } = answer.json as { data: Record<string, unknown> };
    assert.equal(Object.keys(data).join(), TASK_FIELDS);
    const { id: _, createdAt, updatedAt, ...rest } = data;
    assert.equal(createdAt, updatedAt);
    assert.deepEqual(rest, {
      title: 'Ligar',
      notes: null,
      contactId: null,
      dealId: null,
      assigneeId: null,
      dueAt: null,
      dueHasTime: false,
      done: false,
      doneAt: null,
    });
  });

  test('with contact, phone or deal; a deal’s contact is the task’s, a different one is 422', async () => {
    const { id, phone } = await a.contact();
    const other = await a.contact();
    const deal = await a.deal({ contactId: id });
    assert.equal((await a.task({ contactId: id })).contactId, id);
    assert.equal((await a.task({ phone })).contactId, id);
    const task = await a.task({ dealId: deal.id });
    assert.deepEqual([task.dealId, task.contactId], [deal.id, id]);
    await a.task({ dealId: deal.id, phone });
    const refused = async (body: object) =>
      issuePaths(await a.post('tasks', { title: 'X', ...body })).join();
    assert.equal(await refused({ contactId: id, phone }), 'phone');
    assert.equal(await refused({ dealId: deal.id, contactId: other.id }), 'contactId');
    assert.equal(await refused({ dealId: deal.id, phone: other.phone }), 'phone');
  });

  test('404 for what is not of this organization', async () => {
    const deal = await b.deal();
    const before = (await a.tasks()).total;
    const bodies = [
      { contactId: deal.contact.id },
      { contactId: '' },
      { phone: freshPhone() },
      { dealId: deal.id },
      { dealId: 'deal_unknown' },
    ];
    for (const body of bodies) assertRefused(await a.post('tasks', { title: 'X', ...body }), 404);
    const task = await b.task();
    assertRefused(await a.post(`tasks/${task.id}`, { done: true }), 404);
    assert.equal((await a.tasks()).total, before);
  });

  test('422 tells every field at once', async () => {
    const many = await a.post('tasks', {
      title: 'x'.repeat(161),
      notes: 'x'.repeat(2001),
      dueOn: '2026-02-30',
      dueTime: '24:00',
    });
    assert.deepEqual(issuePaths(many), ['dueOn', 'dueTime', 'notes', 'title']);
    const cases: readonly [Record<string, unknown>, string][] = [
      [{ dueTime: '10:00' }, 'dueTime'],
      [{ dueOn: '2026-12-01', dueTime: '9:00' }, 'dueTime'],
      [{ dueOn: '9999-12-31' }, 'dueOn'],
      [{ assigneeId: 'mbr_unknown' }, 'assigneeId'],
      [{ assigneeId: 'mbr_unknown', dealId: 'deal_unknown' }, 'assigneeId'],
    ];
    for (const [body, path] of cases) {
      assert.deepEqual(issuePaths(await a.post('tasks', { title: 'X', ...body })), [path]);
    }
  });

  test('dueOn and dueTime are in the organization’s zone, clock changes included', async () => {
    const day = await a.task({ dueOn: '2026-12-01' });
    assert.deepEqual([day.dueAt, day.dueHasTime], ['2026-12-02T02:59:59.999Z', false]);
    const time = await a.task({ dueOn: '2026-12-01', dueTime: '18:30' });
    assert.deepEqual([time.dueAt, time.dueHasTime], ['2026-12-01T21:30:00.000Z', true]);
    const due = async (dueOn: string, dueTime: string) =>
      (await york.task({ dueOn, dueTime })).dueAt;
    assert.equal(await due('2027-03-14', '02:30'), '2027-03-14T07:30:00.000Z');
    assert.equal(await due('2026-11-01', '01:30'), '2026-11-01T05:30:00.000Z');
  });
});

describe('POST /api/v1/tasks/{id} (contract sections 3 and 4)', () => {
  test('done and reopened; done again changes nothing and tells nothing', async () => {
    const task = await a.task();
    const done = await a.changeTask(task.id, { done: true });
    assert.ok(done.done && done.doneAt);
    assert.deepEqual(await a.changeTask(task.id, { done: true }), done);
    const open = await a.changeTask(task.id, { done: false });
    assert.deepEqual([open.done, open.doneAt], [false, null]);
    await a.changeTask(task.id, { done: true, title: 'Feito' });
    const about = () => subscriber.at('/a').filter(({ bytes }) => bytes.includes(task.id));
    const told = await waitUntil('events', () => (about().length >= 3 ? about() : null));
    assert.deepEqual(told.map(({ event }) => event).sort(), [
      'task.completed',
      'task.completed',
      'task.created',
    ]);
    const { data } = told.find(({ event }) => event === 'task.created') ?? assert.fail();
    assert.deepEqual(data, { task, occurredAt: task.createdAt, origin: 'api' });
  });

  test('of 30 parallel completions all are 200, and one event is told', async () => {
    const { id } = await a.task();
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => a.post(`tasks/${id}`, { done: true })),
    );
    assert.ok(answers.every(({ status, text }) => status === 200 && text === answers[0]?.text));
    const marker = await a.task();
    await a.changeTask(marker.id, { done: true });
    const about = (what: string) => subscriber.at('/a').filter(({ bytes }) => bytes.includes(what));
    await waitUntil('the events of the next task', () => about(marker.id).length === 2);
    assert.equal(about(id).filter(({ event }) => event === 'task.completed').length, 1);
  });

  test('the day moves and keeps the time, null takes away, and a time needs a day', async () => {
    const { id } = await a.task({ dueOn: '2026-12-01', dueTime: '10:00', notes: 'nota' });
    assert.equal(
      (await a.changeTask(id, { dueOn: '2026-12-02' })).dueAt,
      '2026-12-02T13:00:00.000Z',
    );
    const whole = await a.changeTask(id, { dueTime: null, notes: null });
    assert.deepEqual(
      [whole.dueAt, whole.dueHasTime, whole.notes],
      ['2026-12-03T02:59:59.999Z', false, null],
    );
    assert.deepEqual(issuePaths(await a.post(`tasks/${id}`, { dueOn: null, dueTime: '10:00' })), [
      'dueTime',
    ]);
    assert.equal((await a.changeTask(id, { dueOn: null })).dueAt, null);
    for (const dueTime of ['10:00', null]) {
      assert.deepEqual(issuePaths(await a.post(`tasks/${id}`, { title: 'X', dueTime })), [
        'dueTime',
      ]);
    }
    assert.deepEqual(issuePaths(await a.post(`tasks/${id}`, {})), ['']);
    assert.deepEqual(issuePaths(await a.post(`tasks/${id}`, { assigneeId: 'x' })), ['assigneeId']);
    assert.equal((await a.changeTask(id, { dueOn: '2026-12-05' })).title, 'Ligar');
  });
});

describe('GET /api/v1/tasks (contract section 4)', () => {
  test('by creation, newest first, each filter, pages', async () => {
    const deal = await lists.deal();
    const [ana, bia] = [lists.member('ana'), lists.member('bia')];
    const bodies = [{ dealId: deal.id }, { assigneeId: ana }, { assigneeId: bia }, {}];
    const made = [];
    for (const [n, body] of bodies.entries())
      made.push(await lists.task({ title: `${n}`, ...body }));
    await lists.changeTask(made[0]?.id ?? '', { done: true });
    const titles = async (query: string) =>
      (await lists.tasks(query)).data.map(({ title }) => title).join('');
    assert.equal(await titles(''), '3210');
    assert.equal(await titles('status=done'), '0');
    assert.equal(await titles('status=open'), '321');
    assert.equal(await titles(`assigneeId=${bia}`), '2');
    assert.equal(await titles(`dealId=${deal.id}`), '0');
    assert.equal(await titles(`contactId=${deal.contact.id}&status=open`), '');
    assert.equal(await titles('page=2&limit=3'), '0');
    const page = await lists.tasks('status=open&limit=1');
    assert.deepEqual([page.page, page.limit, page.total], [1, 1, 3]);
    assert.deepEqual(issuePaths(await lists.get('tasks?status=closed')), ['status']);
  });
});
