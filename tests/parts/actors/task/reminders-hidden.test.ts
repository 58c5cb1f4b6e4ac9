/** The agenda of reminders: those that cannot be sent hide none of those after them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NONE_COMPLETED } from '../../../../actors/domain/completed-commands.ts';
import type { TaskState } from '../../../../actors/domain/task.ts';
import type { Environment } from '../../../../actors/environment.ts';
import { createKinds } from '../../../../actors/kinds.ts';
import { entityWrite } from '../../../../actors/outbox/versioned-document.ts';
import { TASKS } from '../../../../actors/task/documents.ts';
import { createIds } from '../../../../infra/adapters/ids/ids.ts';
import type { Mail } from '../../../../shared/ports/mailer.ts';
import type { Document, Store } from '../../../../shared/ports/store.ts';
import { partitionOf } from '../../../../shared/wire/subjects.ts';
import { modelStore } from '../../../faults/fencing/model-store.ts';
import { Database } from '../../../faults/simulation/memory/database.ts';
import { SILENT } from '../../../support/engine.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const BROKEN = 'ctc_broken';
const MANY = 1_100;
const MEMBER = { id: 'mbr_1', name: 'Ana', email: 'ana@example.com' };
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
  const byId = async <T extends Document>(collection: string, id: string) => {
    if (id === BROKEN) throw new Error('the document cannot be read');
    return model.byId<T>(collection, id);
  };
  const store: Store = { ...model, byId };
  const member = { _id: 'org', name: 'Loja', timeZone: 'UTC', members: [MEMBER] };
  database.apply({ insert: 'organizations', document: member });
  const add = (id: string, contactId: string | null, at: number): void => {
    const state = taskOf(id, contactId, at);
    const document = { _id: id, version: 0, state, answers: [], completed: NONE_COMPLETED };
    database.apply(entityWrite(TASKS, { ...document, version: 1 }));
  };
  for (let n = 0; n < MANY; n++) add(`task_${n}`, BROKEN, clock.now());
  add('task_fine', null, clock.now() + 1);
  const send = async (mail: Mail) => {
    mails.push(mail);
    return { outcome: 'sent' };
  };
  const environment = {
    ...{ store, clock, log: SILENT, ids: createIds(Buffer.alloc(32, 7)), leaseHeld: () => true },
    bus: { ask: async () => ({ status: 200, body: '{}' }), nudge: quiet, answerAll: quiet },
    mailer: { send },
  } as unknown as Environment;
  const [kind] = createKinds(environment, ['task']);
  for (let number = 0; number < 64; number++) await kind?.acquire?.(number, 1);
  assert.ok(partitionOf('task', 'task_fine') < 64);
  clock.advance(5_000);
  for (let turn = 0; turn < 6_000 && mails.length === 0; turn++) {
    await new Promise((go) => setImmediate(go));
  }
  assert.deepEqual(
    mails.map(({ subject }) => subject.includes('task_fine')),
    [true],
  );
});
