/** The note of a pause, told again by the next owner of the entry that paused: it is there once. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entryDocument } from '../../../actors/conversation/log/documents.ts';
import type { EntryDocument } from '../../../actors/model/conversation.ts';
import { IDEMPOTENCY_RETENTION_MS } from '../../../shared/limits.ts';
import { conversationFixture } from '../../support/actors/domain/message-fixture.ts';
import { Database } from '../simulation/memory/database.ts';
import { modelStore } from './model-store.ts';
import { Owner } from './owners.ts';
import { StillClock } from './still-clock.ts';

test('a note of a pause that is told again, by any owner and a day later, is one', async () => {
  const database = new Database();
  const clock = new StillClock();
  const state = conversationFixture({ seq: 1, at: clock.now() });
  const first = entryDocument('msg_1', { state, outbox: [], queued: false });
  database.apply({ insert: 'entries', document: first });
  const command = { id: 'cmd_1', type: 'note-pause', flowName: 'Menu', lasting: true } as const;
  for (const ms of [0, 31_000, IDEMPOTENCY_RETENTION_MS]) {
    clock.pass(ms);
    const owner = new Owner('conversation', modelStore(database), clock);
    assert.equal((await owner.turn(state.id, command)).status, 200);
  }
  const entries = database.all('entries') as readonly EntryDocument[];
  const [, note, ...others] = entries.toSorted((a, b) => a.seq - b.seq);
  assert.deepEqual(others, []);
  const { direction, author, origin } = note?.message ?? {};
  const expected = ['note', { kind: 'automation', label: 'Menu' }, 'flow'];
  assert.deepEqual([direction, author, origin], expected);
});
