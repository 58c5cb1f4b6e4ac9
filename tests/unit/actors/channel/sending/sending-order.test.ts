/** Messages by their sending order: one that was scheduled has the place of its settlement. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  findByOrder,
  findPredecessor,
  newestByOrder,
} from '../../../../../actors/channel/sending/sending-order.ts';
import { entryDocument, settledEntry } from '../../../../../actors/conversation/log/documents.ts';
import { decideSend } from '../../../../../actors/domain/conversation/conversation.ts';
import { decideDue, decideSchedule } from '../../../../../actors/domain/conversation/schedule.ts';
import type { EntryDocument } from '../../../../../actors/model/conversation.ts';
import { Database } from '../../../../faults/simulation/memory/database.ts';
import { conversationFixture, NOW } from '../../../../support/actors/domain/message-fixture.ts';
import type { Store } from '../../../../support/plain-store.ts';
import { pluck } from '../../../../support/pluck.ts';

const DRAFT = { kind: 'text', media: null, authorLabel: 'ERP', origin: 'api' } as const;

/** A scheduled message, a plain one, and the settlement of the first. */
function logOf(): { readonly log: readonly EntryDocument[]; readonly applied: EntryDocument } {
  const start = conversationFixture();
  const schedule = { at: NOW + 5, ifLate: 'send' } as const;
  const held = decideSchedule(start, decideSend(start, { ...DRAFT, text: 'a' }, NOW), {
    schedule,
  });
  const plain = decideSend(held.state, { ...DRAFT, text: 'b' }, NOW + 1);
  const { message } = held;
  const verdict = { outcome: 'released' } as const;
  const due = { verdict, to: '5511', now: NOW + 5, window: {} };
  const released = decideDue(plain.state, { id: 'msg_a', seq: 1, message }, due);
  const first = { ...entryDocument('msg_a', held), message };
  const settlement = entryDocument('msg_a-settled', released);
  const { seq, settles = assert.fail() } = settlement;
  return {
    log: [first, entryDocument('msg_b', plain), settlement],
    applied: settledEntry(first, { seq, settles }),
  };
}

function storeOf(entries: readonly EntryDocument[]): Store {
  const database = new Database();
  for (const document of entries) database.apply({ insert: 'entries', document });
  const find = async (...asked: Parameters<Database['find']>) => database.find(...asked);
  return {
    find,
    findOne: async (...asked: Parameters<Database['find']>) => (await find(...asked))[0] ?? null,
    byId: async (collection: string, id: string) => database.byId(collection, id),
  } as unknown as Store;
}

test('a released message is found at the place of its settlement, applied or not', async () => {
  const { log, applied } = logOf();
  const { conversationId } = applied;
  const before = await findByOrder(storeOf(log), conversationId, 3);
  assert.deepEqual([before?._id, before?.message?.status], ['msg_a', 'scheduled']);
  assert.equal(before?.send, undefined);
  const after = await findByOrder(storeOf([applied, ...log.slice(1)]), conversationId, 3);
  assert.deepEqual([after?._id, after?.send?.seq, after?.send?.previousSeq], ['msg_a', 3, 2]);
  assert.equal((await findByOrder(storeOf(log), conversationId, 2))?._id, 'msg_b');
});

test('behind cancelled messages the one before them has to be complete', async () => {
  const first = decideSend(conversationFixture(), { ...DRAFT, text: 'a' }, NOW);
  const second = decideSend(first.state, { ...DRAFT, text: 'b' }, NOW);
  const third = decideSend(second.state, { ...DRAFT, text: 'c' }, NOW);
  const log = [first, second, third].map((each, at) => {
    const { send, ...entry } = entryDocument(`msg_${at}`, each);
    const { previousSeq = 0 } = send ?? {};
    return at === 0
      ? { ...entry, ...(send ? { send } : {}) }
      : { ...entry, cancelled: { previousSeq } };
  });
  const known = (seq: number) => ({ store: storeOf(log), covers: (at: number) => at <= seq });
  const { id } = first.state;
  const found = await findPredecessor(known(0), id, 3);
  assert.deepEqual([found?.entry?._id, found?.seq], ['msg_0', 1]);
  assert.equal(await findPredecessor(known(1), id, 3), null, 'it is complete');
});

test('the newest places name the messages that were released there', async () => {
  const { log, applied } = logOf();
  const store = storeOf([applied, ...log.slice(1)]);
  const newest = await newestByOrder(store, applied.conversationId, 2);
  assert.deepEqual(pluck(newest, '_id'), ['msg_a', 'msg_b']);
});
