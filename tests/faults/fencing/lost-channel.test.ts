/**
 * Channels of a process that loses its lease while it acquires them. Work begun under one tenure of
 * a partition goes on neither without the partition nor in the next tenure.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { partitionOf, shelved } from '../../../shared/wire/subjects.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import type { Filter, FindOptions, Store, Stored } from '../../support/plain-store.ts';
import { Database } from '../simulation/memory/database.ts';
import { environmentOf, kindOf } from './environment.ts';
import { modelStore } from './model-store.ts';
import { settle } from './settle.ts';

const CHANNEL = 'chn_1';
const NUMBER = partitionOf('channel', CHANNEL);
const NOW = new ManualClock().now();
const PACE = { perSecond: 1_000, pairBurst: 1_000, pairEveryMs: 1 };

/** A process with one channel, on which the test holds back what it reads of its queue. */
function withOneChannel() {
  const database = new Database();
  const entry = { id: CHANNEL, label: 'Vendas', provider: 'web', phone: '551140001000' };
  const channel = { ...entry, enabled: true, network: {}, secrets: {}, pace: PACE };
  const document = { _id: 'org_1', country: 'BR', channels: [channel] };
  database.apply({ insert: 'organizations', document });
  const fixture = { database, probes: 0, queue: Promise.resolve(), sent: [] as string[] };
  const model = modelStore(database);
  const store: Store = {
    ...model,
    find: async <T extends Stored>(from: string, filter: Filter, options?: FindOptions) => {
      const found = await model.find<T>(from, filter, options);
      if (from === 'entries' && 'send.partition' in filter) await fixture.queue;
      return found as never;
    },
  };
  const driver = {
    status: async () => {
      fixture.probes++;
      return { ready: true };
    },
    sendText: async (_: unknown, { messageId }: { readonly messageId: string }) => {
      fixture.sent.push(messageId);
      return { outcome: 'accepted', externalId: `ext_${messageId}` };
    },
  };
  const environment = environmentOf({ store, networks: { driver: () => driver } });
  const { acquire, release } = kindOf('channel', environment);
  return Object.assign(fixture, { acquire, release });
}

function queued(id: string, conversationId: string) {
  const send = {
    ...shelved('channel', CHANNEL),
    ...{ channelId: CHANNEL, state: 'queued', at: NOW, previousSeq: 0 },
  };
  const message = { direction: 'out', kind: 'text', text: 'oi', media: null, status: 'sending' };
  return {
    insert: 'entries',
    document: {
      ...{ _id: id, conversationId, seq: 1, orgId: 'org_1', channelId: CHANNEL },
      ...{ message, after: { contact: { phone: '5511998877665' } }, send: { ...send, attempt: 0 } },
    },
  };
}

test('a partition that is given up while it is taken is not looked after', async () => {
  const fixture = withOneChannel();
  const { promise, resolve: read } = Promise.withResolvers<void>();
  fixture.queue = promise;
  const taken = fixture.acquire(NUMBER, 1);
  await settle();
  fixture.release(NUMBER);
  read();
  await taken;
  await settle();
  assert.equal(fixture.probes, 0);
});

test('and its next time sends under its own epoch', async () => {
  const fixture = withOneChannel();
  fixture.database.apply(queued('msg_1', 'cnv_1'));
  const { promise, resolve: read } = Promise.withResolvers<void>();
  fixture.queue = promise;
  const first = fixture.acquire(NUMBER, 1);
  await settle();
  fixture.release(NUMBER);
  fixture.queue = Promise.resolve();
  read();
  await first;
  await settle();
  await fixture.acquire(NUMBER, 3);
  await settle();
  assert.deepEqual(fixture.sent, ['msg_1']);
  const entry = fixture.database.byId('entries', 'msg_1') as { send?: { epoch?: number } } | null;
  assert.equal(entry?.send?.epoch, 3);
});
