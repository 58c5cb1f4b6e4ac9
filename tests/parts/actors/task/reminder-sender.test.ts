/** A task that changes while its reminder is on its way (actors/task/reminder-sender). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NONE_COMPLETED } from '../../../../actors/domain/completed-commands.ts';
import type { TaskState } from '../../../../actors/domain/task.ts';
import type { Environment } from '../../../../actors/environment.ts';
import { Relay } from '../../../../actors/outbox/relay.ts';
import { entityWrite } from '../../../../actors/outbox/versioned-document.ts';
import { TASKS, type TaskDocument } from '../../../../actors/task/documents.ts';
import { ReminderSender } from '../../../../actors/task/reminder-sender.ts';
import { createIds } from '../../../../infra/adapters/ids/ids.ts';
import type { Command } from '../../../../shared/ports/bus.ts';
import { partitionOf } from '../../../../shared/wire/subjects.ts';
import { modelStore } from '../../../faults/fencing/model-store.ts';
import { Database } from '../../../faults/simulation/memory/database.ts';
import { SILENT } from '../../../support/engine.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const clock = new ManualClock();
const store = modelStore(new Database());
const at = clock.now();

const MEMBER = { id: 'mbr_1', name: 'Ana', email: 'ana@example.com' };
const ORGANIZATION = { _id: 'org', name: 'Loja', timeZone: 'UTC', members: [MEMBER] };

const state = {
  ...{ id: 'task_1', orgId: 'org', title: 'Ligar', notes: null, assigneeId: MEMBER.id },
  ...{ contactId: null, dealId: null, due: { on: '2026-11-20', time: '12:00', dueAt: at } },
  ...{ done: false, doneAt: null, createdAt: at, updatedAt: at, version: 1 },
  ...{ reminder: { at, assigneeId: MEMBER.id, attempts: 0, nextAt: at }, reminded: [] },
} as unknown as TaskState;
const commands = { answers: [], completed: NONE_COMPLETED };
const task: TaskDocument = { _id: state.id, version: 1, state, ...commands };

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
  const pending = partitionOf('task', task._id);
  const [written] = await store.commit([entityWrite(TASKS, { ...next, outbox, pending })]);
  assert.equal(written?.ok, true);
}

test('what a task has to tell is told and cleared, and its reminder tried again', async () => {
  const told: Command[] = [];
  const environment = {
    ...{ store, clock, log: SILENT, ids: createIds(Buffer.alloc(32, 7)), leaseHeld: () => true },
    bus: {
      ask: async (_: unknown, command: Command) => {
        told.push(command);
        return { status: 200, body: '{}' };
      },
    },
    mailer: {
      send: async () => {
        await retitle();
        return { outcome: 'later', reason: 'busy' };
      },
    },
  } as unknown as Environment;
  await store.commit([
    { insert: 'organizations', document: ORGANIZATION },
    entityWrite(TASKS, task),
  ]);
  await new ReminderSender({ environment: environment, relay: new Relay(environment) }).remind(
    await onRecord(),
  );
  const { outbox, pending, remindAt, state: now } = await onRecord();
  assert.equal(now.title, 'Escrever');
  assert.equal(told.length, 1);
  assert.deepEqual([outbox, pending], [undefined, undefined], 'the agenda finds it again');
  assert.ok(remindAt !== undefined && remindAt > at);
});
