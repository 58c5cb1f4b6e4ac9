/** What waits in the agendas, for `recado top` (D360). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agendaAges, countAgendas } from '../../../../actors/operations/agendas.ts';
import { BACKLOG_COUNTED_MAX } from '../../../../shared/limits.ts';
import { modelStore } from '../../../faults/fencing/model-store.ts';
import { Database } from '../../../faults/simulation/memory/database.ts';

const NOW = 1_800_000_000_000;

function agenda(name: string, waiting: number, oldestDueMs: number, more = false) {
  return { agenda: name, waiting, more, oldestDueMs };
}

test('agendas are counted up to a bound, with the age of their oldest entry', async () => {
  const database = new Database();
  let key = 0;
  const insert = (into: string, document: Readonly<Record<string, unknown>>, count = 1) => {
    for (let at = 0; at < count; at++) {
      const own = { _id: `${into}_${++key}`, conversationId: 'cnv_1', seq: key };
      const { ok } = database.apply({ insert: into, document: { ...document, ...own } });
      assert.ok(ok);
    }
  };
  const at = NOW - 5_000;
  insert('entries', { send: { partition: 3, place: 50, at } }, BACKLOG_COUNTED_MAX + 1);
  const bulk = { partition: 3, place: 50, at: NOW - 9_000, urgency: 'bulk' };
  insert('entries', { send: bulk });
  insert('entries', { timer: { partition: 3, place: 50, at: NOW + 5_000 } });
  insert('entries', { due: { partition: 63, place: 1_023, at: NOW - 1_000 } }, 2);
  const pending = { status: 'pending', nextAttemptAt: NOW - 7_000 };
  insert('deliveries', { partition: 0, place: 0, state: pending });
  insert('deliveries', { partition: 0, place: 0, state: { ...pending, status: 'parked' } });
  const store = modelStore(database);
  assert.deepEqual(await countAgendas(store, NOW), [
    agenda('sends', BACKLOG_COUNTED_MAX, 9_000, true),
    agenda('deliveries', 1, 7_000),
    agenda('scheduled', 2, 1_000),
    agenda('timers', 0, 0),
    agenda('reminders', 0, 0),
  ]);
  const numbersOf = (kind: string) => (kind === 'channel' ? [50] : []);
  const ages = await agendaAges({ store, numbersOf, now: NOW });
  assert.deepEqual([...ages], [['sends', 5_000]], 'a bulk message may wait');
});
