/** Reminders: of a task that changes meanwhile, and behind others that cannot be sent. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NONE_COMPLETED } from '../../../../actors/domain/completed-commands.ts';
import type { TaskState } from '../../../../actors/domain/task.ts';
import type { Environment } from '../../../../actors/environment.ts';
import { createKinds } from '../../../../actors/kinds.ts';
import type { TaskDocument } from '../../../../actors/model/task.ts';
import { Relay } from '../../../../actors/outbox/relay.ts';
import { entityWrite } from '../../../../actors/outbox/versioned-document.ts';
import { TASKS } from '../../../../actors/task/documents.ts';
import { ReminderSender } from '../../../../actors/task/reminder-sender.ts';
import { createIds } from '../../../../infra/adapters/ids/ids.ts';
import type { Mail } from '../../../../shared/ports/mailer.ts';
import type { OutboxEvent } from '../../../../shared/wire/outbox.ts';
import { EVERY_PARTITION, shelfFor } from '../../../../shared/wire/subjects.ts';
import { modelStore } from '../../../faults/fencing/model-store.ts';
import { Database } from '../../../faults/simulation/memory/database.ts';
import { SILENT } from '../../../support/engine.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import type { Store, Stored } from '../../../support/plain-store.ts';

const clock = new ManualClock();
const store = modelStore(new Database());
const at = clock.now();

const MEMBER = { id: 'mbr_1', name: 'Ana', email: 'ana@example.com' };
const ORGANIZATION = { _id: 'org', name: 'Loja', timeZone: 'UTC', members: [MEMBER] };

const state = taskOf('task_1', null, at);
const commands = { answers: [], completed: NONE_COMPLETED };
const task: TaskDocument = { _id: state.id, version: 1, state, ...commands };

function environmentOf(store: Store, clock: ManualClock, parts: object): Environment {
  const ids = createIds(Buffer.alloc(32, 7));
  const common = { store, clock, log: SILENT, ids, leaseHeld: () => true };
  return { ...common, ...parts } as unknown as Environment;
}

async function onRecord(): Promise<TaskDocument> {
  const found = await store.byId<TaskDocument>('tasks', task._id);
  assert.ok(found);
  return found;
}

/** As the task's actor does: the event is in the document, and not published yet. */
async function retitle(): Promise<void> {
  const known = await onRecord();
  const version = known.version + 1;
  const outbox = [{ type: 'event', id: 'evt_1', event: 'task.updated', data: {} }] as const;
  const next = { ...known, version, state: { ...known.state, version, title: 'Escrever' } };
  const pending = shelfFor('task', task._id);
  const [written] = await store.commit([entityWrite(TASKS, { ...next, outbox, pending })]);
  assert.equal(written?.ok, true);
}

test('what a task has to tell is told and cleared, and its reminder tried again', async () => {
  const told: OutboxEvent[] = [];
  const record = async (_: unknown, events: readonly OutboxEvent[]) => {
    told.push(...events);
    return true;
  };
  const send = async () => {
    await retitle();
    return { outcome: 'later', reason: 'busy' };
  };
  const environment = environmentOf(store, clock, { mailer: { send } });
  const organization = { insert: 'organizations', document: ORGANIZATION };
  await store.commit([organization, entityWrite(TASKS, task)]);
  const sender = new ReminderSender({ environment, relay: new Relay(environment, { record }) });
  await sender.remind(await onRecord());
  const { outbox, pending, remindAt, state: now } = await onRecord();
  assert.equal(now.title, 'Escrever');
  assert.equal(told.length, 1);
  assert.deepEqual([outbox, pending], [undefined, undefined], 'the agenda finds it again');
  assert.ok(remindAt !== undefined && remindAt > at);
});

const BROKEN = 'ctc_broken';
const MANY = 1_100;
const quiet = (): void => undefined;

function taskOf(id: string, contactId: string | null, at: number): TaskState {
  return {
    ...{ id, orgId: 'org', title: `Ligar ${id}`, notes: null, assigneeId: MEMBER.id },
    ...{ contactId, dealId: null, due: { on: '2026-11-20', time: '12:00', dueAt: at } },
    ...{ done: false, doneAt: null, createdAt: at, updatedAt: at, version: 1 },
    ...{ reminder: { at, assigneeId: MEMBER.id, attempts: 0, nextAt: at }, reminded: [] },
  } as unknown as TaskState;
}

test('reminders that cannot be sent hide none of those after them', async () => {
  const clock = new ManualClock();
  const database = new Database();
  const mails: Mail[] = [];
  const model = modelStore(database);
  const byId = async <T extends Stored>(collection: string, id: string) => {
    if (id === BROKEN) throw new Error('the document cannot be read');
    return model.byId<T>(collection, id);
  };
  const store: Store = { ...model, byId };
  database.apply({ insert: 'organizations', document: ORGANIZATION });
  const add = (id: string, contactId: string | null, at: number): void => {
    const document = { _id: id, version: 1, state: taskOf(id, contactId, at), ...commands };
    database.apply(entityWrite(TASKS, document));
  };
  for (let n = 0; n < MANY; n++) add(`task_${n}`, BROKEN, clock.now());
  add('task_fine', null, clock.now() + 1);
  const send = async (mail: Mail) => {
    mails.push(mail);
    return { outcome: 'sent' };
  };
  const ask = async () => ({ status: 200, body: '{}' });
  const bus = { ask, nudge: quiet, answerAll: quiet };
  const environment = environmentOf(store, clock, { bus, mailer: { send } });
  const [kind] = createKinds(environment, ['task']);
  await Promise.all(EVERY_PARTITION.map((number) => kind?.acquire?.(number, 1)));
  clock.advance(5_000);
  for (let turn = 0; turn < 6_000 && mails.length === 0; turn++) {
    await new Promise((go) => setImmediate(go));
  }
  assert.equal(mails.length, 1);
  assert.ok(mails[0]?.subject.includes('task_fine'));
});
