/**
 * A member's reply whose turn was lost after its commit: a repeat is answered when its snapshot is
 * due, so that a list asked for afterwards has it.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entryDocument } from '../../../actors/conversation/log/documents.ts';
import {
  conversationFixture,
  outboundFixture,
} from '../../support/actors/domain/message-fixture.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { Database } from '../simulation/memory/database.ts';
import { environmentOf, kindOf } from './environment.ts';
import { conversationsIn } from './leased-conversations.ts';
import { modelStore } from './model-store.ts';

const EPOCH = 1;

test('a repeated reply is answered when its snapshot is due', async () => {
  const store = modelStore(new Database());
  const clock = new ManualClock();
  const kind = kindOf('conversation', environmentOf({ store, clock }));
  await kind.acquire(5, EPOCH);
  const [id = ''] = conversationsIn(5, 1);
  const state = { ...conversationFixture({ id }), seq: 1, at: clock.now() };
  const written = { state, message: outboundFixture(), outbox: [], queued: false };
  await store.commit([{ insert: 'entries', document: entryDocument('cmd_1', written) }]);
  const reply = { id: 'cmd_1', type: 'reply', member: 'mem_1', text: 'Olá' } as const;
  const context = { deadline: clock.now() + 8_000, repeat: true, epoch: EPOCH };
  const answer = await kind.open(id, EPOCH, false).turn(reply, context);
  assert.equal(answer.status, 200);
  await kind.flush?.(5);
  assert.equal((await store.byId('conversations', id))?.snapshot.seq, 1);
});
