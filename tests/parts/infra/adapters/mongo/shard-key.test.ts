/** What the server is asked of a change that names an entry and its conversation (D340). */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { MongoClient } from 'mongodb';
import { messageWrite } from '../../../../../actors/conversation/log/documents.ts';
import { connectionOf } from '../../../../../infra/adapters/mongo/client.ts';
import { createStore } from '../../../../../infra/adapters/mongo/store.ts';
import { outboundFixture } from '../../../../support/actors/domain/message-fixture.ts';
import { fileEngine } from '../../../../support/engine.ts';
import type { Filter, Write } from '../../../../support/plain-store.ts';

const LENGTH = 200;
const conversationId = 'cnv_3_long';
const idOf = (seq: number): string => `msg_${seq}`;
const queued = { state: 'queued', attempt: 0 };
const message = outboundFixture({ revision: 2 });
const receipt = (_id: string): Write => messageWrite({ _id, conversationId } as never, message, []);

const engine = fileEngine();
before(async () => {
  const documents = Array.from({ length: LENGTH }, (_, seq) => ({
    ...{ _id: idOf(seq), conversationId, seq, send: queued },
  }));
  // Of a conversation with one entry the index of its log is as good.
  documents.push({ _id: 'msg_only', conversationId: 'cnv_3_short', seq: 1, send: queued });
  await engine.store.commit(documents.map((document) => ({ insert: 'entries', document })));
});

test('a change of an entry reads no other of its conversation', async () => {
  const queue = { 'send.state': 'queued', 'send.attempt': 0 };
  const only = { _id: 'msg_only', conversationId: 'cnv_3_short' };
  const some = [idOf(3), idOf(150), 'msg_only'];
  const both = { $in: [conversationId, 'cnv_3_short'] };
  const asked: readonly (readonly [Filter, number])[] = [
    [{ _id: idOf(7), conversationId }, 1],
    [{ ...only, ...queue }, 1],
    [{ _id: idOf(7), conversationId, ...queue }, 1],
    [{ _id: idOf(7), conversationId, 'message.status': 'scheduled' }, 1],
    [{ _id: { $in: some }, conversationId: both }, some.length],
  ];
  for (const [filter, reads] of asked) {
    const { documentsRead, plan } = await explained(filter);
    assert.equal(documentsRead, reads, JSON.stringify(filter));
    assert.match(plan, /"indexName":"_id_"/, JSON.stringify(filter));
  }
});

async function explained(q: Filter) {
  const update = { update: 'entries', updates: [{ q, u: { $set: { n: 1 } }, multi: true }] };
  const verbosity = 'executionStats';
  const answer = await engine.mongo.db.command({ explain: update, verbosity });
  const plan = JSON.stringify(answer.queryPlanner.winningPlan);
  return { documentsRead: answer.executionStats.totalDocsExamined, plan };
}

/** The filters that a server is sent which answers so to `hello`. */
async function sentTo(hello: object): Promise<readonly unknown[]> {
  const sent: unknown[] = [];
  const db = { databaseName: 'recado', command: async () => hello };
  const client = {
    db: () => db,
    bulkWrite: async (models: readonly { filter: unknown }[]) => {
      sent.push(...models.map(({ filter }) => filter));
    },
  };
  const connection = await connectionOf(client as unknown as MongoClient, 'mongodb://host/');
  const filter = { _id: 'msg_1', conversationId, 'send.attempt': 0 };
  const mark: Write = { update: 'entries', filter, change: { $inc: { 'send.attempt': 1 } } };
  const gone: Write = { remove: 'entries', filter: { _id: '', conversationId: '' } };
  await createStore(connection).commit([receipt('msg_1'), mark, gone]);
  return sent;
}

test('a router of shards is told the conversation of every change', async () => {
  assert.deepEqual(await sentTo({ msg: 'isdbgrid' }), [
    { _id: 'msg_1', conversationId },
    { _id: 'msg_1', conversationId, 'send.attempt': 0 },
    { _id: '', conversationId: '' },
  ]);
});

test('a server without shards finds by its id alone what nothing else decides', async () => {
  const byId = [{ _id: 'msg_1' }, { _id: 'msg_1', conversationId, 'send.attempt': 0 }, { _id: '' }];
  assert.deepEqual(await sentTo({}), byId);
  assert.deepEqual(await sentTo({ setName: 'rs' }), byId);
});

test('the change reaches the entry either way', async () => {
  await engine.store.commit([receipt(idOf(9))]);
  const sharded = createStore({ ...engine.mongo, sharded: true });
  await sharded.commit([receipt(idOf(10))]);
  for (const seq of [9, 10]) {
    const entry = await engine.store.byId('entries', idOf(seq));
    assert.equal(entry?.message?.revision, 2);
    assert.equal(entry?.send, undefined);
  }
});
