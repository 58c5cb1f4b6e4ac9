/** Result of each change of a task, compared as a whole (C3.4, D27). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  decideChange,
  decideCreate,
  type TaskChange,
  type TaskState,
} from '../../../../actors/domain/task.ts';

const NOW = Date.UTC(2026, 10, 20, 12, 0, 0);
const at = (now = NOW, timeZone = 'America/Sao_Paulo') => ({
  now,
  timeZone,
  isMember: (id: string) => id === 'ana',
});

function created(): TaskState {
  const task = {
    ...{ id: 'task_1', orgId: 'org_1', title: 'Ligar', notes: 'nota', assigneeId: 'ana' },
    ...{ dueOn: '2026-11-21', dueTime: '10:30' },
  };
  const subject = { contactId: 'ctc_1', contactNamedBy: 'contactId', deal: null } as const;
  const decision = decideCreate(task, subject, at());
  assert.ok('accepted' in decision);
  return decision.accepted;
}

function changed(change: TaskChange, state = created(), circumstances = at(NOW + 5)) {
  const decision = decideChange(state, change, circumstances);
  assert.ok('accepted' in decision, JSON.stringify(decision));
  return decision;
}

const DUE = Date.parse('2026-11-21T13:30:00Z');

test('a task that is created is open, with its deadline and its reminder', () => {
  assert.deepEqual(created(), {
    ...{ id: 'task_1', orgId: 'org_1', title: 'Ligar', notes: 'nota', assigneeId: 'ana' },
    ...{ contactId: 'ctc_1', dealId: null, done: false, doneAt: null, reminded: [] },
    due: { on: '2026-11-21', time: '10:30', dueAt: DUE, remindAt: DUE },
    reminder: { at: DUE, assigneeId: 'ana', attempts: 0, nextAt: DUE },
    ...{ createdAt: NOW, updatedAt: NOW, version: 1 },
  });
});

test('each change is one version further, tells nothing but a completion, and touches only itself', () => {
  const state = created();
  const next = { ...state, version: 2, updatedAt: NOW + 5 };
  const table: readonly (readonly [TaskChange, Partial<TaskState>, readonly string[]])[] = [
    [{ title: 'Visitar' }, { title: 'Visitar' }, []],
    [{ notes: null }, { notes: null }, []],
    [{ assigneeId: null }, { assigneeId: null, reminder: null }, []],
    [{ dueOn: null }, { due: null, reminder: null }, []],
    [{ done: true }, { done: true, doneAt: NOW + 5, reminder: null }, ['task.completed']],
  ];
  for (const [change, fields, events] of table) {
    assert.deepEqual(changed(change), { accepted: { ...next, ...fields }, events });
  }
  const same = {
    title: 'Ligar',
    notes: 'nota',
    assigneeId: 'ana',
    dueOn: '2026-11-21',
    done: false,
  };
  assert.equal(changed(same, state).accepted, state);
});

test('a task that is done stays so while it is changed, and tells its completion once', () => {
  const done = changed({ done: true }).accepted;
  const later = changed({ title: 'Visitar' }, done, at(NOW + 9));
  assert.deepEqual([later.accepted.doneAt, later.accepted.version], [NOW + 5, 3]);
  assert.deepEqual(later.events, []);
  const again = changed({ done: true, title: 'Outra' }, done, at(NOW + 9));
  assert.deepEqual([again.accepted.doneAt, again.events], [NOW + 5, []]);
  assert.equal(changed({ done: false }, done, at(NOW + 9)).accepted.doneAt, null);
});

test('a deadline that is said again stays at its moment, whatever the zone is now', () => {
  const moved = at(NOW + 5, 'Asia/Tokyo');
  assert.equal(
    changed({ title: 'X', dueOn: '2026-11-21' }, created(), moved).accepted.due?.dueAt,
    DUE,
  );
  const due = changed({ dueTime: '11:00' }, created(), moved).accepted.due;
  assert.equal(due?.dueAt, Date.parse('2026-11-21T02:00:00Z'));
});

test('time goes forward, and one wrong thing is enough to refuse', () => {
  assert.equal(changed({ title: 'X' }, created(), at(NOW - 9)).accepted.updatedAt, NOW);
  const refused = decideChange(created(), { title: 'X', assigneeId: 'zoe' }, at());
  assert.ok('refused' in refused);
  assert.deepEqual(
    refused.refused.issues?.map(({ path }) => path),
    ['assigneeId'],
  );
});
