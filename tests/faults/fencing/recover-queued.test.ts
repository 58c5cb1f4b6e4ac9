/**
 * Messages queued by an owner that ended right after it had answered sends. Every conversation is
 * on the lists of the next owner, for any order of its partitions and any number of queued
 * messages.
 */

import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { entryDocument } from '../../../actors/conversation/log/documents.ts';
import type { EntryDocument } from '../../../actors/model/conversation.ts';
import { journalBarrier } from '../../../actors/runtime/journal-barrier.ts';
import type { Bulk } from '../../../shared/message.ts';
import {
  conversationFixture,
  outboundFixture,
} from '../../support/actors/domain/message-fixture.ts';
import { fileEngine } from '../../support/engine.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { environmentOf, kindOf, OK } from './environment.ts';
import { conversationsIn } from './leased-conversations.ts';
import { watched } from './model-store.ts';
import { settle } from './settle.ts';

const EPOCH = 2;

const engine = fileEngine();
let clock: ManualClock;

beforeEach(async () => {
  clock = new ManualClock();
  for (const name of ['entries', 'conversations'])
    await engine.mongo.db.collection(name).deleteMany();
});

/** The conversations of a process that has just started. */
function conversations({ store = engine.store, ask = async () => OK } = {}) {
  return kindOf('conversation', environmentOf({ store, clock, bus: { ask } }));
}

function queued(conversationId: string, bulk?: Bulk): EntryDocument {
  const state = { ...conversationFixture({ id: conversationId }), seq: 1, at: clock.now() };
  const message = outboundFixture({ text: 'oi', ...(bulk ? { bulk } : {}) });
  return entryDocument(`msg_${conversationId}`, { state, message, outbox: [], queued: true });
}

async function answered(ids: readonly string[]): Promise<void> {
  const documents = ids.map((id) => ({ insert: 'entries', document: queued(id) }));
  for (const outcome of await engine.store.commit(documents)) assert.ok(outcome.ok);
}

async function listed(ids: readonly string[]): Promise<number> {
  return engine.store.count('conversations', { _id: { $in: [...ids] } });
}

test('of partitions that are taken one soon after the other', async () => {
  const kind = conversations();
  const ours = conversationsIn(5, 3);
  const theirs = conversationsIn(6, 3);
  await answered(ours);
  await kind.acquire(5, EPOCH);
  assert.equal(await listed(ours), ours.length);
  // The other owner still answers sends, and is killed.
  await answered(theirs);
  await kind.acquire(6, EPOCH);
  assert.equal(await listed(theirs), theirs.length);
});

test('of a bulk message that was cancelled before its conversation was on a list', async () => {
  const [id = ''] = conversationsIn(5, 1);
  const kind = conversations();
  await kind.acquire(5, EPOCH);
  const document = queued(id, { expiresAt: clock.now() + 60_000 });
  await engine.store.commit([{ insert: 'entries', document }]);
  const { orgId } = document;
  const named = { id: 'cmd_1', type: 'cancel-message', channelScope: null } as const;
  const turn = { deadline: clock.now() + 8_000, repeat: false, epoch: EPOCH };
  const command = { ...named, orgId, messageId: document._id };
  const answer = await kind.open(id, EPOCH, false).turn(command, turn);
  assert.equal(answer.status, 200);
  // The owner ends before it has written the list.
  await conversations().acquire(5, EPOCH + 1);
  assert.equal(await listed([id]), 1);
});

test('of a long backlog, read in pages', async () => {
  const asked: (number | undefined)[] = [];
  const bounded = watched(engine.store, {
    find: (_, filter, options) => 'send.partition' in filter && asked.push(options?.limit),
  });
  const mine = conversationsIn(5, 4_500);
  await answered(mine);
  await conversations({ store: bounded }).acquire(5, EPOCH);
  assert.equal(await listed(mine), mine.length);
  assert.ok(asked.length > 2 && asked.every((limit) => limit !== undefined), String(asked));
});

test('of a message that was sent while they were looked for', async () => {
  const [id = ''] = conversationsIn(5, 1);
  await answered([id]);
  const lookedFor = Promise.withResolvers<void>();
  const seen = Promise.withResolvers<void>();
  // The send agenda is read after the receipt, the pending ones after its events were told.
  const slow = watched(engine.store, {
    find: async (_, filter) => {
      if (!('send.partition' in filter)) return;
      seen.resolve();
      await lookedFor.promise;
    },
  });
  const told = Promise.withResolvers<void>();
  const ask = async () => {
    told.resolve();
    return OK;
  };
  const kind = conversations({ store: slow, ask });
  const taken = kind.acquire(5, EPOCH);
  await seen.promise;
  const command = {
    ...({ id: 'cmd_1', type: 'receipt', messageId: `msg_${id}`, networkId: null } as const),
    receipt: { status: 'sent', at: clock.now(), externalId: 'ext_1' } as const,
  };
  const deadline = clock.now() + 8_000;
  await kind.open(id, EPOCH, false).turn(command, { deadline, repeat: false, epoch: EPOCH });
  await told.promise;
  await settle();
  await kind.flush?.(5);
  // Whatever is to be cleared has been when the next change is written.
  await journalBarrier(engine.store);
  lookedFor.resolve();
  await taken;
  assert.equal(await listed([id]), 1);
});
