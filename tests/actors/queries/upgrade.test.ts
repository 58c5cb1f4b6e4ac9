/**
 * Upgrade of a database that an earlier release has written: it has no counters, and its indexes
 * are others. The next start makes the missing ones, and lists are right at once. All later changes
 * are counted (docs/operations.md, Upgrading).
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Db, type Document, MongoClient } from 'mongodb';
import { databaseOf } from '../../../infra/adapters/mongo/client.ts';
import { missingIndexes } from '../../../infra/adapters/mongo/indexes.ts';
import { type CrmFixture, crmFixtureOf, TEAM } from '../../api/crm-fixture.ts';
import { killHard } from '../../chaos/load-fixture.ts';
import { freshPhone } from '../../support/api.ts';
import { named } from '../../support/applied.ts';
import { type Organization, organizations } from '../../support/organization.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { waitFor } from '../../support/wait-for.ts';

const COLLECTIONS = ['contacts', 'conversations', 'deals', 'tasks'];
/** Of the release before: a list's index by its order alone, an agenda's by its partition. */
const EARLIER = [
  ['contacts', { orgId: 1, updatedAt: -1, _id: -1 }],
  ['conversations', { 'snapshot.orgId': 1, 'snapshot.lastMessageAt': -1, _id: -1 }],
  ['tasks', { 'state.orgId': 1, 'state.createdAt': -1, _id: -1 }],
] as const;
const FLOW = [
  { id: 'wait', do: 'wait', timeout: '100ms', next: 'end' },
  { id: 'end', do: 'end', status: 'resolved' },
];

let stack: Stack;
let org: Organization;
let crm: CrmFixture;
let client: MongoClient;
let db: Db;
before(async () => {
  stack = await startStack();
  const flows = [{ ref: 'brief', name: 'Breve', steps: FLOW }];
  ({ org } = await organizations(stack, { org: { more: { ...TEAM.more, flows } } }));
  crm = crmFixtureOf(stack, org);
  const { mongodbUrl } = stack.runFile();
  client = new MongoClient(mongodbUrl, { retryWrites: false });
  db = databaseOf(client, mongodbUrl);
});
after(async () => {
  await client?.close();
  await stack?.stop();
});

async function total(path: string): Promise<number> {
  const { status, json } = await crm.get(path);
  assert.equal(status, 200);
  return Number(Object(json).total);
}

async function makeEarlier(): Promise<void> {
  for (const name of COLLECTIONS) {
    const collection = db.collection(name);
    const { length } = await collection.indexes();
    assert.ok(length > 2);
    await collection.dropIndexes();
    await collection.updateMany({}, { $unset: { counted: '', recount: '' } });
  }
  for (const [name, keys] of EARLIER) await db.collection(name).createIndex(keys);
  await db.collection('tallies').drop();
}

test('an earlier database is listed right at once, and counted from then on', {
  timeout: 90_000,
}, async () => {
  const sends = Array.from({ length: 7 }, () => ({
    channelId: org.main,
    phone: freshPhone(),
    text: 'Olá',
  }));
  for (const body of sends) await stack.send(org.key, body);
  const deals = [await crm.deal(), await crm.deal(), await crm.deal()];
  const tasks = [await crm.task(), await crm.task()];
  assert.equal(await total('conversations'), 7);
  const quiet = async () => {
    const marks = COLLECTIONS.map((name) =>
      db.collection(name).countDocuments({ recount: { $exists: true } }),
    );
    return (await Promise.all(marks)).every((count) => count === 0);
  };
  await waitFor(quiet, { what: 'everything is counted' });

  await makeEarlier();
  await killHard(stack, 'actors');
  assert.deepEqual(
    await Promise.all(['contacts', 'conversations?status=open', 'deals', 'tasks'].map(total)),
    [10, 7, 3, 2],
  );
  assert.deepEqual((await missingIndexes(db)).missing, []);
  const keys = (await db.collection('contacts').indexes()).map(({ key }) => JSON.stringify(key));
  assert.ok(!keys.includes(JSON.stringify(EARLIER[0][1])), 'what nobody asks for is dropped');

  await waitFor(async () => (await db.collection('tallies').countDocuments({})) === 4, {
    what: 'every list has its ledger',
  });
  await crm.changeDeal(deals[0]?.id ?? '', { status: 'won' });
  await crm.changeTask(tasks[0]?.id ?? '', { done: true });
  const flow = named(org.applied.flows, 'brief');
  const body = { channelId: org.main, phone: sends[0]?.phone };
  assert.equal((await crm.post(`flows/${flow}/start`, body)).status, 201);
  await waitFor(async () => (await total('conversations?status=resolved')) === 1, {
    what: 'the flow has ended',
  });
  const told = ['deals?status=won', 'deals?status=open', 'tasks?status=open', 'conversations'];
  assert.deepEqual(await Promise.all(told.map(total)), [1, 2, 1, 7]);
  assert.equal(await total('conversations?status=open'), 6);
});

test('what is written past the actors is noticed, and counted', { timeout: 60_000 }, async () => {
  const contacts = db.collection<Document & { _id: string }>('contacts');
  const [one] = await contacts.find({ orgId: org.id }).toArray();
  assert.ok(one);
  const before = await total('contacts');
  const { recount: _r, ...copied } = one;
  let uncounted = 0;
  const come = (number: number) => {
    const from = uncounted;
    uncounted += number;
    const documents = Array.from({ length: number }, (_, at) => {
      const phone = `55118${8_000_000 + from + at}`;
      const search = `estranho ${from + at}\n${phone}\n`;
      return { ...copied, _id: `ctc_stranger${from + at}`, phone, search };
    });
    return contacts.insertMany(documents);
  };
  await come(25);
  let cameAt = performance.now();
  const counted = async () => {
    if ((await total('contacts?limit=1')) === before + uncounted) return true;
    // The owner's first check accepts the present difference, so documents must also come after it.
    if (performance.now() - cameAt > 10_000) {
      await come(1);
      cameAt = performance.now();
    }
    return false;
  };
  await waitFor(counted, { what: 'the total holds them', timeoutMs: 40_000 });
});
