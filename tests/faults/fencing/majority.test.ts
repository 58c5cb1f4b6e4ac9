/**
 * A replica set may roll back writes that only its primary has. So every read that decides anything
 * asks the primary for majority-committed data, and every write waits for the majority.
 */

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { connectMongo } from '../../../infra/adapters/mongo/client.ts';
import { createStore } from '../../../infra/adapters/mongo/store.ts';
import { freshPhone } from '../../support/api.ts';
import { fileEngine, SILENT } from '../../support/engine.ts';
import { type SeenCommand, startMongoProxy } from '../../support/mongo-proxy.ts';
import type { Store } from '../../support/plain-store.ts';
import { startStack } from '../../support/stack.ts';
import { useOrganizations, useStack, useUntil } from '../../support/stack-hooks.ts';

const READS = new Set(['find', 'aggregate', 'count', 'distinct', 'findAndModify']);
const WRITES = new Set(['insert', 'update', 'delete', 'bulkWrite', 'findAndModify']);
const MAJORITY = { level: 'majority' };

const engine = fileEngine();

const readsIn = (seen: readonly SeenCommand[]) => seen.filter(({ name }) => READS.has(name));

function assertByMajority(seen: readonly SeenCommand[]): void {
  for (const { name, target, body } of seen) {
    const what = `${name} ${String(target)}`;
    if (READS.has(name)) {
      assert.deepEqual(body.readConcern, MAJORITY, what);
      const { mode = 'primary' } = (body.$readPreference ?? {}) as { mode?: string };
      assert.equal(mode, 'primary', what);
    }
    if (WRITES.has(name)) assert.deepEqual(body.writeConcern, { w: 'majority', j: true }, what);
  }
}

async function connected(setName: string | null, options = '') {
  const proxy = await startMongoProxy(engine.uri, setName);
  return { proxy, mongo: await connectMongo(`${proxy.url}${options}`, SILENT) };
}

async function everyRead({ proxy, mongo }: Awaited<ReturnType<typeof connected>>) {
  const store: Store = createStore(mongo);
  const filter = { _id: 'msg_1', conversationId: 'cnv_1' };
  const [insert] = await store.commit([{ insert: 'entries', document: { ...filter, seq: 1 } }]);
  assert.ok(insert?.ok);
  const change = { $set: { seq: 2 } };
  const [changed] = await store.commit([{ update: 'entries', filter, change }]);
  assert.ok(changed?.ok);
  proxy.seen.length = 0;
  await Promise.all(['msg_1', 'msg_2'].map((id) => store.byId('entries', id)));
  assert.deepEqual(await store.byId('entries', 'msg_1'), { ...filter, seq: 2 });
  await store.find('entries', { seq: { $gt: 0 } }, { sort: { seq: -1 }, limit: 1 });
  await store.findOne('entries', { seq: 2 }, { sort: { seq: -1 } });
  const questions = ['entries', 'deliveries'].map((collection) => ({ collection, filter: {} }));
  await store.existsEach(questions);
  await store.count('entries', {});
  await store.count('entries', { seq: 2 });
  await store.commit([{ remove: 'entries', filter }]);
  await mongo.client.close();
  await proxy.close();
  return proxy.seen;
}

describe('of a replica set', () => {
  test('every way of reading asks for what a majority has', async () => {
    const seen = await everyRead(await connected('rs'));
    assert.equal(readsIn(seen).length, 7, seen.map(({ name }) => name).join());
    assertByMajority(seen);
  });

  test('whatever the address says of reads and writes', async () => {
    const options = '?readPreference=secondaryPreferred&readConcernLevel=local&w=1';
    const seen = await everyRead(await connected('rs', options));
    assert.ok(readsIn(seen).length > 0);
    assertByMajority(seen);
  });
});

test('a server that stands alone is asked for nothing that it does not know', async () => {
  const seen = await everyRead(await connected(null));
  assert.ok(readsIn(seen).length > 0);
  for (const { body } of readsIn(seen)) assert.equal(body.readConcern, undefined);
});

describe('the whole service on a replica set', () => {
  const proxy = useUntil(() => startMongoProxy(engine.uri, 'rs'));
  const stack = useStack(() => startStack({ settings: { MONGODB_URL: `${proxy.url}service` } }));
  after(() => proxy.close());
  const { org } = useOrganizations(stack, { org: {} });

  test('loads no entry, contact, deal, task or list but by majority', async () => {
    const phone = freshPhone();
    const body = { channelId: org.main, phone, text: 'oi' };
    const sent = await stack.send(org.key, body);
    await stack.send(org.key, { ...body, text: 'de novo' });
    await stack.messageIn(org.key, sent, 'read');
    const contact = await stack.contact(org.key, phone);
    const ask = (path: string, given: object) =>
      stack.request('POST', `/api/v1/${path}`, { key: org.key, body: given });
    const deal = await ask('deals', { title: 'Plano', contactId: contact?.id });
    assert.equal(deal.status, 201, deal.text);
    const task = await ask('tasks', { title: 'Ligar', contactId: contact?.id });
    assert.equal(task.status, 201, task.text);
    await stack.conversations(org.key);
    await stack.history(org.key, sent.conversationId);
    const loaded = new Set(readsIn(proxy.seen).map(({ target }) => target));
    for (const name of ['entries', 'conversations', 'contacts', 'organizations', 'partitions']) {
      assert.ok(loaded.has(name), `${name}: ${[...loaded].join()}`);
    }
    // Probes of the clock are not part of the record.
    const record = proxy.seen.filter(({ target }) => target !== 'probes');
    assertByMajority(record.filter(({ database }) => database === 'service'));
  });
});
