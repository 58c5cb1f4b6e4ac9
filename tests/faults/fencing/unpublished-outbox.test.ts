/**
 * A long backlog of an unpublished outbox. The next owner of its partition reads it in pages,
 * publishes a bounded part of it at once, and comes to its end (actors/outbox/unpublished-outbox).
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unpublishedEntries } from '../../../actors/conversation/turns/republish.ts';
import {
  type UnpublishedDocument,
  UnpublishedOutbox,
} from '../../../actors/outbox/unpublished-outbox.ts';
import type { Address, Answer, Command } from '../../../shared/ports/bus.ts';
import { PARTITIONS_PER_SHELF, partitionOf, shelfOf } from '../../../shared/wire/subjects.ts';
import {
  conversationFixture,
  outboundFixture,
} from '../../support/actors/domain/message-fixture.ts';
import type { Document, Filter, FindOptions, Store, Stored } from '../../support/plain-store.ts';
import { Database } from '../simulation/memory/database.ts';
import { environmentOf, kindOf, OK, quiet } from './environment.ts';
import { modelStore, watched } from './model-store.ts';
import { settle } from './settle.ts';

/** The first partition of its shelf. */
const PARTITION = 112;
const SHELF = shelfOf(PARTITION);
const TENURE = { partition: PARTITION, epoch: 2 };
const PAGE_MAX = 500;
const UNDER_WAY_MAX = 1_000;
const BACKLOG = 2_600;

/** The model with the limits of its outbox reads recorded. */
function recording(database: Database) {
  const limits: (number | undefined)[] = [];
  const store = watched(modelStore(database), {
    find: (_, filter, options) => 'pending' in filter && limits.push(options?.limit),
  });
  return { store, limits };
}

function assertInPages(limits: readonly (number | undefined)[]): void {
  assert.ok(limits.length > BACKLOG / PAGE_MAX, `${limits.length} pages`);
  assert.ok(limits.every((limit) => limit !== undefined && limit <= PAGE_MAX));
}

/** An id that names the partition. */
function idOf(n: number): string {
  return `cnv_7_${String(n).padStart(22, '0')}`;
}

function backlog(collection: string): Database {
  const database = new Database();
  for (let n = 0; n < BACKLOG; n++) {
    const document = { _id: idOf(n), pending: SHELF };
    database.apply({ insert: collection, document });
  }
  return database;
}

const NONE = { _id: '' };

const outboxOf = (
  store: Store,
  collection: 'deals' | 'entries' = 'deals',
  leaseHeld = () => true,
) =>
  new UnpublishedOutbox<'deals' | 'entries'>(environmentOf({ store, leaseHeld }), {
    kind: 'conversation',
    collection,
  });

test('of a long backlog only so much is under way at once, and all of it comes to its turn', async () => {
  const { store, limits } = recording(backlog('deals'));
  const left = outboxOf(store);
  const begun = new Map<string, () => void>();
  let most = 0;
  let underWay = 0;
  const publish = ([{ _id } = NONE]: readonly UnpublishedDocument[]): Promise<void> => {
    most = Math.max(most, ++underWay);
    return new Promise((done) => {
      begun.set(_id, () => {
        underWay--;
        done();
      });
    });
  };
  const all = left.publish(TENURE, publish);
  for (let ended = 0; ended < BACKLOG; ended += UNDER_WAY_MAX) {
    await settle();
    assert.ok(underWay <= UNDER_WAY_MAX);
    for (const end of begun.values()) end();
  }
  await all;
  assert.equal(begun.size, BACKLOG);
  assert.ok(most <= UNDER_WAY_MAX, `${most} at once`);
  assertInPages(limits);
});

test('a long backlog of one partition is read by its owner, and once by the shelf’s first', async () => {
  const database = new Database();
  const busy = PARTITION + 10;
  for (let n = 0; n < BACKLOG; n++) {
    const conversationId = `cnv_7A_${String(n).padStart(22, '0')}`;
    assert.equal(partitionOf('conversation', conversationId), busy);
    database.apply({
      insert: 'entries',
      document: { _id: idOf(n), conversationId, pending: SHELF },
    });
  }
  const model = modelStore(database);
  let [read, atOnce, most] = [0, 0, 0];
  const reading: Store = {
    ...model,
    find: async <T extends Stored>(from: string, filter: Filter, options?: FindOptions) => {
      most = Math.max(most, ++atOnce);
      const found = await model.find<T>(from, filter, options);
      await settle();
      atOnce--;
      read += found.length;
      return found;
    },
  };
  const entries = unpublishedEntries(environmentOf({ store: reading, leaseHeld: () => true }));
  const shelf = Array.from({ length: PARTITIONS_PER_SHELF }, (_, slot) => PARTITION + slot);
  const seen = await Promise.all(
    shelf.map(async (partition) => {
      let count = 0;
      await entries.pages(partition, async (page) => {
        count += page.length;
      });
      return count;
    }),
  );
  assert.deepEqual(
    seen.map((count) => count > 0),
    shelf.map((partition) => partition === busy),
  );
  assert.ok(read < 3 * BACKLOG, `${read} entries are read`);
  assert.equal(most, 1, 'pages at once');
});

test('one that is never answered holds up none of the others', async () => {
  const { store } = recording(backlog('deals'));
  const left = outboxOf(store);
  let published = 0;
  const stuck = new Promise<void>(quiet);
  const all = left.publish(TENURE, ([{ _id } = NONE]) => {
    if (_id.endsWith('00')) return stuck;
    published++;
    return _id.endsWith('50') ? Promise.reject(new Error('a fault')) : Promise.resolve();
  });
  await all;
  assert.equal(published, BACKLOG - BACKLOG / 100);
});

test('what an earlier tenure has in flight is published by the next one, in its own order', async () => {
  const { store } = recording(backlog('deals'));
  const left = outboxOf(store);
  const begun = async (epoch: number): Promise<number> => {
    let count = 0;
    const publish = (): Promise<void> => {
      count++;
      return new Promise<void>(quiet);
    };
    void left.publish({ partition: PARTITION, epoch }, publish);
    await settle();
    return count;
  };
  const few = new Set((await store.find('deals', {})).slice(10).map(({ _id }) => _id));
  await store.commit([...few].map((_id) => ({ remove: 'deals', filter: { _id } })));
  assert.deepEqual([await begun(2), await begun(2), await begun(3)], [10, 0, 10]);
});

test('an outbox that has grown while its document was in flight is published again', async () => {
  const database = new Database();
  const store = modelStore(database);
  const outbox = [{ id: 'sent' }];
  const place = { _id: idOf(1), conversationId: idOf(1) };
  const document = { ...place, pending: SHELF, outbox };
  database.apply({ insert: 'entries', document });
  const left = outboxOf(store, 'entries');
  const begun: string[][] = [];
  const waiting: (() => void)[] = [];
  const publish = ([found]: readonly UnpublishedDocument[]): Promise<void> => {
    begun.push((found?.outbox ?? []).map(({ id }) => id));
    return new Promise((resolve) => waiting.push(resolve));
  };
  await left.publish(TENURE, publish);
  const change = { $push: { outbox: { $each: [{ id: 'delivered' }] } } };
  database.apply({ update: 'entries', filter: place, change });
  let hasEnded = false;
  const again = left.publish(TENURE, publish).then(() => {
    hasEnded = true;
  });
  await settle();
  assert.deepEqual([begun, hasEnded], [[['sent']], false]);
  for (const resolve of waiting.splice(0)) resolve();
  await again;
  assert.deepEqual(begun, [['sent'], ['sent', 'delivered']]);
});

test('who may act no more goes on with nothing', async () => {
  const { store } = recording(backlog('deals'));
  let leaseHeld = true;
  let begun = 0;
  const left = outboxOf(store, 'deals', () => leaseHeld);
  await left.publish(TENURE, async () => {
    leaseHeld = ++begun < 10;
  });
  assert.equal(begun, 10);
});

function versionOf(id: string): Document {
  return { _id: id, version: 1, state: { id, orgId: 'org_1', version: 1 }, answers: [] };
}

/** One document of a kind, with an event to be told. */
const LEFT: Readonly<Record<string, { collection: string; of: (id: string) => Document }>> = {
  deal: { collection: 'deals', of: versionOf },
  task: { collection: 'tasks', of: versionOf },
  contact: { collection: 'contacts', of: (id) => ({ _id: id, version: 1, orgId: 'org_1' }) },
  conversation: {
    collection: 'entries',
    of: (id) => ({
      ...{ _id: id, conversationId: id, seq: 1, orgId: 'org_1', channelId: 'chn_1' },
      ...{ message: outboundFixture(), after: { ...conversationFixture({ id }), seq: 1 } },
    }),
  },
};

/** Ids of a kind, all of the partition. */
function idsOf(kind: Address['kind'], count: number): string[] {
  const ids: string[] = [];
  for (let n = 0; ids.length < count; n++) {
    if (partitionOf(kind, `ent_${n}`) === PARTITION) ids.push(`ent_${n}`);
  }
  return ids;
}

for (const [name, { collection, of }] of Object.entries(LEFT)) {
  test(`a ${name}’s next owner hands on all of a long backlog, in pages`, async () => {
    const kindName = name as Address['kind'];
    const database = new Database();
    const ids = idsOf(kindName, BACKLOG);
    for (const id of ids) {
      const event = { type: 'event', id: `evt_${id}`, event: 'deal.created', data: {} };
      const document = { ...of(id), pending: SHELF, outbox: [event] };
      database.apply({ insert: collection, document });
    }
    const { store, limits } = recording(database);
    const told = new Set<string>();
    const ask = async (_: Address, command: Command): Promise<Answer> => {
      const { events } = command as Command & { readonly events: readonly { id: string }[] };
      for (const { id } of events) told.add(id);
      return OK;
    };
    await kindOf(kindName, environmentOf({ store, bus: { ask } })).acquire(PARTITION, 2);
    for (let turns = 0; turns < 50 && told.size < BACKLOG; turns++) await settle();
    assert.equal(told.size, BACKLOG);
    assertInPages(limits);
    if (name === 'conversation') assert.equal(database.all('conversations').length, BACKLOG);
  });
}
