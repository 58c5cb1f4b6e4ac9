/** The task, its changes, its deadline and its reminder (C3.4, D27, D28). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  applyReminderOutcome,
  armReminder,
  decideChange,
  decideClaim,
  decideCreate,
  type NewTask,
  type TaskChange,
  type TaskState,
  type TaskSubject,
} from '../../../../actors/domain/task.ts';
import { REMINDER_CLAIM_MS, REMINDER_MAX_AGE_MS } from '../../../../shared/limits.ts';
import { withRuns } from '../../../support/property.ts';

const NOW = Date.UTC(2026, 10, 20, 12, 0, 0);
const NOBODY: TaskSubject = { contactId: null, contactNamedBy: 'contactId', deal: null };
const PLAIN: NewTask = {
  ...{ id: 'task_1', orgId: 'org_1', title: 'Ligar', notes: null },
  ...{ assigneeId: null, dueOn: null, dueTime: null },
};
const circumstances = (now = NOW, timeZone = 'America/Sao_Paulo') => ({
  ...{ now, timeZone },
  isMember: (id: string) => id === 'ana' || id === 'bia',
});

function created(task: Partial<NewTask> = {}, subject = NOBODY, now = NOW): TaskState {
  const decision = decideCreate({ ...PLAIN, ...task }, subject, circumstances(now));
  assert.ok('accepted' in decision, JSON.stringify(decision));
  assert.deepEqual(decision.events, ['task.created']);
  return decision.accepted;
}

function accept(state: TaskState, change: TaskChange, now = NOW) {
  const decision = decideChange(state, change, circumstances(now));
  assert.ok('accepted' in decision, JSON.stringify(decision));
  return decision;
}

function refusedAt(state: TaskState, change: TaskChange): string | undefined {
  const decision = decideChange(state, change, circumstances());
  assert.ok('refused' in decision);
  return decision.refused.issues?.map(({ path }) => path).join();
}

test('section 3, Task: every row of the table', () => {
  const open = created();
  assert.equal(open.done, false);
  const done = accept(open, { done: true }, NOW + 1);
  assert.deepEqual([done.accepted.done, done.accepted.doneAt], [true, NOW + 1]);
  assert.deepEqual(done.events, ['task.completed']);
  const again = accept(done.accepted, { done: true }, NOW + 2);
  assert.equal(again.accepted, done.accepted);
  assert.deepEqual(again.events, []);
  const reopened = accept(done.accepted, { done: false }, NOW + 3);
  assert.deepEqual([reopened.accepted.done, reopened.accepted.doneAt], [false, null]);
  assert.deepEqual(reopened.events, []);
});

test('section 4, POST /tasks/{id}: the day, the time, and a time without a day', () => {
  const day = created({ dueOn: '2026-11-21' });
  const timed = accept(day, { dueTime: '10:30' }).accepted;
  assert.deepEqual([timed.due?.on, timed.due?.time], ['2026-11-21', '10:30']);
  const moved = accept(timed, { dueOn: '2026-11-22' }).accepted;
  assert.deepEqual([moved.due?.on, moved.due?.time], ['2026-11-22', '10:30']);
  const whole = accept(moved, { dueTime: null }).accepted;
  assert.deepEqual([whole.due?.on, whole.due?.time], ['2026-11-22', null]);
  assert.equal(accept(timed, { dueOn: null }).accepted.due, null);
  assert.equal(accept(timed, { dueOn: null, dueTime: null }).accepted.due, null);
  assert.equal(refusedAt(created(), { dueTime: '10:30' }), 'dueTime');
  assert.equal(refusedAt(created(), { dueTime: null }), 'dueTime');
  assert.equal(refusedAt(timed, { dueOn: null, dueTime: '10:30' }), 'dueTime');
  assert.equal(refusedAt(created(), { dueTime: '10:30', assigneeId: 'x' }), 'assigneeId,dueTime');
});

test("section 4, POST /tasks: a deal's task is about the deal's contact, a different one is 422", () => {
  const deal = { id: 'deal_1', contactId: 'ctc_1' };
  const task = created({}, { contactId: null, contactNamedBy: 'contactId', deal });
  assert.deepEqual([task.dealId, task.contactId], ['deal_1', 'ctc_1']);
  created({}, { contactId: 'ctc_1', contactNamedBy: 'phone', deal });
  const other: TaskSubject = { contactId: 'ctc_2', contactNamedBy: 'phone', deal };
  const decision = decideCreate(PLAIN, other, circumstances());
  assert.ok('refused' in decision && decision.refused.issues?.[0]?.path === 'phone');
});

const changeArb: fc.Arbitrary<TaskChange> = fc.record(
  {
    done: fc.boolean(),
    title: fc.constantFrom('Ligar', 'Visitar'),
    notes: fc.constantFrom(null, 'nota'),
    assigneeId: fc.constantFrom(null, 'ana', 'bia', 'stranger'),
    dueOn: fc.constantFrom(null, '2026-11-20', '2026-11-21', '2026-11-25'),
    dueTime: fc.constantFrom(null, '08:00', '15:00'),
  },
  { requiredKeys: [] },
);

test('decisions, Tasks: exactly an open task with assignee and day has a reminder, never sent twice', () => {
  withRuns(5_000)([fc.array(changeArb, { maxLength: 12 })], (changes) => {
    let state = created();
    const sent: string[] = [];
    for (const [at, change] of changes.entries()) {
      const now = NOW + at * 3_600_000;
      const decision = decideChange(state, change, circumstances(now));
      if ('refused' in decision) continue;
      state = decision.accepted;
      const { reminder, due, assigneeId, done } = state;
      if (reminder) {
        assert.ok(!done && due !== null);
        assert.deepEqual([reminder.at, reminder.assigneeId], [due.remindAt, assigneeId]);
      }
      const claim = decideClaim(reminder, now);
      if (claim.decision !== 'send') continue;
      assert.ok(now - claim.reminder.at < REMINDER_MAX_AGE_MS);
      sent.push(`${claim.reminder.at} ${claim.reminder.assigneeId}`);
      state = applyReminderOutcome(state, claim.reminder, { outcome: 'sent', now });
      assert.equal(state.reminder, null);
    }
    assert.equal(new Set(sent).size, sent.length);
  });
});

/** The claim of a reminder that is due. */
function claimed(reminder: TaskState['reminder'], now: number) {
  const claim = decideClaim(reminder, now);
  assert.ok(claim.decision === 'send');
  return claim.reminder;
}

const REMIND_AT = Date.UTC(2026, 10, 20, 13);
const ON_TIME = created({ assigneeId: 'ana', dueOn: '2026-11-20', dueTime: '10:00' });

test('decisions, Tasks: a reminder late by less than 24 h is sent, later never', () => {
  const at = REMIND_AT;
  assert.equal(ON_TIME.reminder?.at, at);
  assert.equal(decideClaim(ON_TIME.reminder, at - 1).decision, 'wait');
  assert.equal(decideClaim(ON_TIME.reminder, at).decision, 'send');
  assert.equal(decideClaim(ON_TIME.reminder, at + REMINDER_MAX_AGE_MS - 1).decision, 'send');
  assert.equal(decideClaim(ON_TIME.reminder, at + REMINDER_MAX_AGE_MS).decision, 'give-up');
  assert.equal(armReminder({ ...ON_TIME, reminder: null }, at + REMINDER_MAX_AGE_MS), null);
});

test('the claim of a reminder is not taken twice while it stands, and is sent again once it was interrupted', () => {
  const first = claimed(ON_TIME.reminder, REMIND_AT);
  assert.equal(decideClaim(first, REMIND_AT + REMINDER_CLAIM_MS - 1).decision, 'wait');
  const again = claimed(first, REMIND_AT + REMINDER_CLAIM_MS);
  assert.deepEqual([again.at, again.attempts], [REMIND_AT, 2]);
});

test('a reminder that could not go is tried again later; one for a task that changed is forgotten', () => {
  const now = REMIND_AT + 5;
  const reminder = claimed(ON_TIME.reminder, REMIND_AT);
  const task = { ...ON_TIME, reminder };
  const later = applyReminderOutcome(task, reminder, { outcome: 'later', now });
  assert.deepEqual([later.reminder?.attempts, later.reminder?.nextAt], [1, now + 10_000]);
  const moved = accept(task, { dueTime: '11:00' }).accepted;
  const settled = applyReminderOutcome(moved, reminder, { outcome: 'sent', now });
  assert.equal(settled.reminder?.at, REMIND_AT + 3_600_000, 'the new time is still to come');
  const back = accept(settled, { dueTime: '10:00' }).accepted;
  assert.equal(back.reminder, null, 'and the old one has been');
});

test('only the last claim settles a reminder that could not go; one that went is settled by any', () => {
  const first = claimed(ON_TIME.reminder, REMIND_AT);
  const second = claimed(first, REMIND_AT + REMINDER_CLAIM_MS);
  const task = { ...ON_TIME, reminder: second };
  const now = REMIND_AT + REMINDER_CLAIM_MS + 5;
  const later = applyReminderOutcome(task, first, { outcome: 'later', now });
  assert.equal(later, task, 'the second claim stands');
  assert.equal(decideClaim(later.reminder, now + 10_000).decision, 'wait');
  const own = applyReminderOutcome(task, second, { outcome: 'later', now });
  assert.deepEqual([own.reminder?.attempts, own.reminder?.nextAt], [2, now + 60_000]);
  for (const outcome of ['sent', 'refused'] as const) {
    const settled: TaskState = applyReminderOutcome(task, first, { outcome, now });
    assert.equal(settled.reminder, null);
    assert.equal(armReminder(settled, now), null, 'the same time and assignee once only');
  }
});

test('decisions, Tasks: retry schedule of a reminder: it waits 10 s, 1, 5, 15 and 30 min, then an hour each', () => {
  let task = ON_TIME;
  let now = REMIND_AT;
  const waits: number[] = [];
  for (let attempt = 1; attempt <= 8; attempt++) {
    const reminder = claimed(task.reminder, now);
    assert.equal(reminder.attempts, attempt);
    task = applyReminderOutcome({ ...task, reminder }, reminder, { outcome: 'later', now });
    const next = task.reminder?.nextAt ?? assert.fail();
    waits.push((next - now) / 1_000);
    now = next;
  }
  assert.deepEqual(waits, [10, 60, 300, 900, 1_800, 3_600, 3_600, 3_600]);
});

test('a change that leaves time and assignee leaves the claim of the reminder, too', () => {
  const reminder = claimed(ON_TIME.reminder, REMIND_AT);
  const renamed = accept({ ...ON_TIME, reminder }, { title: 'Visitar' }, REMIND_AT + 1);
  assert.deepEqual(renamed.accepted.reminder, reminder);
});

test('of the reminders that were sent the newest 20 stay known', () => {
  let task: TaskState = ON_TIME;
  const sent = Array.from({ length: 25 }, (_, n) => {
    return { at: NOW + n * 60_000, assigneeId: 'ana', attempts: 1, nextAt: NOW };
  });
  for (const reminder of sent) {
    task = applyReminderOutcome({ ...task, reminder }, reminder, { outcome: 'sent', now: NOW });
  }
  for (const [n, { at }] of sent.entries()) {
    const isKnown = armReminder({ ...task, due: { remindAt: at } }, NOW) === null;
    assert.equal(isKnown, n >= 5, `${n}`);
  }
});

const PLANNED = created(
  { notes: 'nota', assigneeId: 'ana', dueOn: '2026-11-21', dueTime: '10:30' },
  { contactId: 'ctc_1', contactNamedBy: 'contactId', deal: null },
);
const DUE = Date.parse('2026-11-21T13:30:00Z');

test('a task that is created is open, with its deadline and its reminder', () => {
  assert.deepEqual(PLANNED, {
    ...{ id: 'task_1', orgId: 'org_1', title: 'Ligar', notes: 'nota', assigneeId: 'ana' },
    ...{ contactId: 'ctc_1', dealId: null, done: false, doneAt: null, reminded: [] },
    due: { on: '2026-11-21', time: '10:30', dueAt: DUE, remindAt: DUE },
    reminder: { at: DUE, assigneeId: 'ana', attempts: 0, nextAt: DUE },
    ...{ createdAt: NOW, updatedAt: NOW, version: 1 },
  });
});

test('each change is one version further, tells nothing but a completion, and touches only itself', () => {
  const next = { ...PLANNED, version: 2, updatedAt: NOW + 5 };
  const table: readonly (readonly [TaskChange, Partial<TaskState>, readonly string[]])[] = [
    [{ title: 'Visitar' }, { title: 'Visitar' }, []],
    [{ notes: null }, { notes: null }, []],
    [{ assigneeId: null }, { assigneeId: null, reminder: null }, []],
    [{ dueOn: null }, { due: null, reminder: null }, []],
    [{ done: true }, { done: true, doneAt: NOW + 5, reminder: null }, ['task.completed']],
  ];
  for (const [change, fields, events] of table) {
    assert.deepEqual(accept(PLANNED, change, NOW + 5), {
      accepted: { ...next, ...fields },
      events,
    });
  }
  const said = { title: 'Ligar', notes: 'nota', assigneeId: 'ana', dueOn: '2026-11-21' };
  assert.equal(accept(PLANNED, { ...said, done: false }).accepted, PLANNED);
});

test('a deadline that is said again stays at its moment, whatever the zone is now', () => {
  const dueAfter = (change: TaskChange) => {
    const decision = decideChange(PLANNED, change, circumstances(NOW, 'Asia/Tokyo'));
    return 'accepted' in decision ? decision.accepted.due?.dueAt : null;
  };
  assert.equal(dueAfter({ title: 'X', dueOn: '2026-11-21' }), DUE);
  assert.equal(dueAfter({ dueTime: '11:00' }), Date.parse('2026-11-21T02:00:00Z'));
});

test('the time of a task goes forward, and one wrong thing is enough to refuse a change', () => {
  assert.equal(accept(PLANNED, { title: 'X' }, NOW - 9).accepted.updatedAt, NOW);
  assert.equal(refusedAt(PLANNED, { title: 'X', assigneeId: 'zoe' }), 'assigneeId');
});

test('a task that is done stays so while it is changed, and tells its completion once', () => {
  const done = accept(PLANNED, { done: true }, NOW + 5).accepted;
  for (const [change, doneAt] of [
    [{ title: 'Visitar' }, NOW + 5],
    [{ done: true, title: 'Outra' }, NOW + 5],
    [{ done: false }, null],
  ] as const) {
    const { accepted, events } = accept(done, change, NOW + 9);
    assert.deepEqual([accepted.doneAt, accepted.version, events], [doneAt, 3, []]);
  }
});
