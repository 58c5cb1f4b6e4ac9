/** Refused commands change nothing, and the checker finds a change. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Database } from './memory/database.ts';
import type { Shop } from './organization.ts';
import { type QuietWorld, refusalsChangeNothing } from './refusals.ts';
import { Scheduler } from './world/scheduler.ts';

const SHOP: Shop = {
  orgId: 'org_1',
  account: 'rcd_account',
  main: { id: 'chn_1', key: 'rcd_main' },
  shop: { id: 'chn_2', key: 'rcd_shop' },
  file: 'fil_1',
  flows: ['flw_1'],
  farewell: 'flw_2',
  members: [],
  ask: () => Promise.resolve({ status: 200, body: '' }),
  operate: () => Promise.reject(new Error('nobody is asked')),
  configure: () => Promise.reject(new Error('nobody is asked')),
};

/** Refuses as it should, and does beside it what it is told to do. */
function worldThat(beside: (world: QuietWorld) => void, said: (status: number) => number) {
  const world: QuietWorld = {
    scheduler: new Scheduler(),
    database: new Database(),
    network: { transmissions: [] },
    call: ({ path, key, body }) => {
      beside(world);
      const unknown = /_nobody|deals$/.test(path) || 'conversationId' in Object(body);
      const wished = unknown ? 404 : 422;
      const status = key === SHOP.main.key ? 403 : key === SHOP.account ? wished : 401;
      return Promise.resolve({ status: said(status), body: '{}' });
    },
  };
  world.database.apply({ insert: 'contacts', document: { _id: 'ctc_1', name: 'Maria' } });
  return world;
}

function answering(status: number): (said: number) => number {
  return (said) => (said === 403 ? status : said);
}

test('says nothing where every refusal leaves all as it was', async () => {
  const world = worldThat(
    ({ database }) => {
      // Time alone writes these.
      database.apply({ update: 'windows', filter: { _id: 'org_1' }, change: {}, upsert: true });
      // Written anew, byte for byte the same.
      const change = { $set: { name: 'Maria' } };
      database.apply({ update: 'contacts', filter: { _id: 'ctc_1' }, change });
    },
    // A full window, or a channel that is not known to be ready yet.
    answering(429),
  );
  assert.deepEqual(await refusalsChangeNothing(world, SHOP), []);
});

test('a refusal has written something', async () => {
  let calls = 0;
  const world = worldThat(
    ({ database }) => {
      calls += 1;
      const change = { $set: { name: calls === 2 ? 'Joana' : 'Maria' } };
      if (calls === 2) database.apply({ update: 'contacts', filter: { _id: 'ctc_1' }, change });
    },
    (said) => said,
  );
  assert.deepEqual(await refusalsChangeNothing(world, SHOP), [
    'refusals: /api/v1/messages was refused (403) and changed something',
  ]);
});

test('a refusal has made or taken away a document', async () => {
  for (const write of [
    { insert: 'deals', document: { _id: 'deal_1' } },
    { remove: 'contacts', filter: { _id: 'ctc_1' } },
  ] as const) {
    const world = worldThat(
      ({ database }) => void database.apply(write),
      (said) => said,
    );
    const [first] = await refusalsChangeNothing(world, SHOP);
    assert.equal(first, 'refusals: /api/v1/messages was refused (401) and changed something');
  }
});

test('a refusal has sent something', async () => {
  const world = worldThat(
    ({ network }) => void Object(network.transmissions).push({ text: 'x' }),
    (said) => said,
  );
  const wrong = await refusalsChangeNothing(world, SHOP);
  assert.equal(wrong.length, 12, wrong.join('\n'));
});

test('what should have been refused was done', async () => {
  const world = worldThat(() => undefined, answering(201));
  assert.deepEqual(await refusalsChangeNothing(world, SHOP), [
    'refusals: /api/v1/messages was answered 201, not 403',
  ]);
});
