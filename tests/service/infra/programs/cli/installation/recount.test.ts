/**
 * `recado doctor --recount`: documents that were changed past the actors count in no total until
 * everything is counted again. The service goes on writing meanwhile.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Document } from 'mongodb';
import { crmFixtureOf, TEAM } from '../../../../../support/api/crm-fixture.ts';
import { freshPhone } from '../../../../../support/api.ts';
import { pluckRows } from '../../../../../support/pluck.ts';
import { useDatabase, useOrganizations, useStack } from '../../../../../support/stack-hooks.ts';
import { waitUntil } from '../../../../../support/wait-for.ts';

const COLLECTIONS = ['contacts', 'conversations', 'deals', 'tasks'];
const BY_HAND = 25;

const stack = useStack();
const { org } = useOrganizations(stack, { org: TEAM });
const crm = crmFixtureOf(stack, org);
const database = useDatabase(stack);

async function total(path: string): Promise<number> {
  const { status, json } = await crm.get(path);
  assert.equal(status, 200);
  return Number(Object(json).total);
}

const send = () => stack.send(org.key, { channelId: org.main, phone: freshPhone(), text: 'Olá' });

/** Every list of the organization has its counter, and no document is dirty. */
async function counted(): Promise<boolean> {
  await Promise.all(COLLECTIONS.map(total));
  const dirty = COLLECTIONS.map((name) =>
    database.db.collection(name).countDocuments({ recount: org.id }),
  );
  if ((await Promise.all(dirty)).some((count) => count > 0)) return false;
  return (
    (await database.db.collection('tallies').countDocuments({ orgId: org.id })) ===
    COLLECTIONS.length
  );
}

interface Row {
  readonly organization: string;
  readonly collection: string;
  readonly before: number | null;
  readonly counted: number;
  readonly corrected: boolean;
}

/** Rows of the organization: the store may have others, which have been removed. */
async function recount(): Promise<readonly Row[]> {
  const ran = await stack.recado(['doctor', '--recount', '--json']);
  assert.equal(ran.code, 0, ran.stderr);
  const rows: readonly Row[] = JSON.parse(ran.stdout);
  return rows.filter(({ organization }) => organization === org.ref);
}

test('a list without its counter is counted by the engine, and gets one', async () => {
  await Promise.all([send(), crm.deal(), crm.deal(), crm.task()]);
  await waitUntil('every list has its counter', counted);
  await database.db.collection('tallies').deleteMany({ orgId: org.id });
  const lists = ['contacts', 'conversations?status=open', 'deals?status=open', 'tasks'];
  const before = await Promise.all(lists.map(total));
  assert.deepEqual(before.slice(1), [1, 2, 1]);
  await waitUntil('every list has its counter again', counted);
  assert.deepEqual(await Promise.all(lists.map(total)), before);
});

test('writes by hand are in the totals after a recount, while others go on', async () => {
  const contacts = database.db.collection<Document & { _id: string }>('contacts');
  const [one] = await contacts.find({ orgId: org.id }).toArray();
  assert.ok(one);
  const found = await total('contacts');
  const { recount: _, ...copied } = one;
  const documents = Array.from({ length: BY_HAND }, (__, at) => {
    const phone = `55118${8_000_000 + at}`;
    return { ...copied, _id: `ctc_byhand${at}`, phone, search: `importado ${at}\n${phone}\n` };
  });
  await contacts.insertMany(documents);
  await database.db
    .collection('deals')
    .updateOne({ 'state.orgId': org.id }, { $set: { 'state.status': 'won' } });
  assert.equal(await total('contacts?limit=1'), found, 'nothing looks for it');
  assert.equal(await total('contacts?query=fone'), 0, 'the index is in memory');

  let writing = true;
  let sent = 0;
  const writer = (async () => {
    while (writing) {
      await send();
      sent += 1;
    }
  })();
  await waitUntil('the service is writing', async () => sent > 3);
  const rows = await recount();
  writing = false;
  await writer;
  assert.deepEqual(
    pluckRows(rows, 'organization', 'collection'),
    COLLECTIONS.map((collection) => [org.ref, collection]),
  );
  const corrected = rows.filter((row) => row.corrected).map(({ collection }) => collection);
  assert.deepEqual(corrected, ['contacts', 'deals']);
  const [people] = rows;
  assert.equal(Number(people?.counted) - Number(people?.before), BY_HAND);
  assert.equal(await total('contacts?limit=1'), found + BY_HAND + sent);
  assert.equal(await total('conversations?limit=1'), 1 + sent);
  assert.deepEqual(
    await Promise.all(['deals?status=open&limit=1', 'deals?status=won&limit=1'].map(total)),
    [1, 1],
  );
  await waitUntil(
    'a search finds them',
    async () => (await total('contacts?query=importado')) === BY_HAND,
  );
});

test('a recount that finds nothing says so, in a table', async () => {
  await waitUntil('everything is counted', counted);
  const table = await stack.recado(['doctor', '--recount']);
  assert.equal(table.code, 0, table.stderr);
  assert.match(table.stdout, /^organization +collection +before +counted +result/);
  assert.match(table.stdout, /org +contacts +(\d+) +\1 +right/);
  assert.match(table.stdout, /Every counter was right\.\n$/);
});
