/** All organizations are read in pages, each once. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChannelList } from '../../../actors/channel/channel-list.ts';
import { organizationPages } from '../../../actors/organization/read-organization.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { Database } from '../simulation/memory/database.ts';
import { modelStore } from './model-store.ts';

const COUNT = 450;

function createFixture() {
  const database = new Database();
  for (let n = 0; n < COUNT; n++) {
    const channels = [{ id: `chn_${n}` }, { id: `gone_${n}`, removed: true }];
    const document = { _id: `org_${n}`, channels, ...(n % 2 === 0 ? {} : { removed: true }) };
    database.apply({ insert: 'organizations', document });
  }
  return modelStore(database);
}

test('no page has more than its size, and every organization comes once', async () => {
  const sizes: number[] = [];
  const ids: string[] = [];
  for await (const page of organizationPages(createFixture(), { _id: 1 })) {
    sizes.push(page.length);
    ids.push(...page.map(({ _id }) => _id));
  }
  assert.deepEqual(sizes, [200, 200, 50]);
  assert.equal(new Set(ids).size, COUNT);
});

test('an installation of exactly one page is read to its end', async () => {
  const sizes: number[] = [];
  for await (const page of organizationPages(createFixture(), { _id: 1 }, COUNT))
    sizes.push(page.length);
  assert.deepEqual(sizes, [COUNT, 0]);
});

test('the list of channels has those of every page that have not been removed', async () => {
  const list = new ChannelList({ store: createFixture(), clock: new ManualClock() });
  const byPartition = await list.byPartition();
  const ids = [...byPartition.values()].flat();
  const wanted = Array.from({ length: COUNT / 2 }, (_, n) => `chn_${2 * n}`);
  assert.deepEqual([...ids].sort(), wanted.sort());
});
