/**
 * kill -9 of the process that decides about people. Each change that was made has one entry in the
 * audit log, and no other has any. The next owner reads what an earlier version wrote.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Db, type Document, MongoClient } from 'mongodb';
import * as v from 'valibot';
import { databaseOf } from '../../../infra/adapters/mongo/client.ts';
import { freshPhone } from '../../support/api.ts';
import type { Browser } from '../../support/gateway/panel/browser.ts';
import { PASSPHRASE, panel, startPanel } from '../../support/gateway/panel/people-fixture.ts';
import { killHard } from '../../support/kills.ts';
import { waitFor } from '../../support/wait-for.ts';

const WORKERS = 5;
const KILLS = 3;
const CHANGES_BETWEEN_KILLS = 40;

const MadeSchema = v.object({
  data: v.looseObject({ id: v.optional(v.string()), messageId: v.optional(v.string()) }),
});

let client: MongoClient;

before(async () => {
  await startPanel();
  client = await new MongoClient(panel().stack.runFile().mongodbUrl).connect();
});
after(async () => {
  await client?.close();
});

interface Common {
  readonly browser: Browser;
  readonly phone: string;
  readonly contactId: string;
  readonly conversationId: string;
}

const OPERATIONS = ['upsertContact', 'createDeal', 'createTask', 'createKey', 'writeNote'] as const;
type Operation = (typeof OPERATIONS)[number];

function callOf(operation: Operation, { phone, contactId, conversationId }: Common, n: number) {
  const name = `auditada ${n}`;
  const calls = {
    upsertContact: ['/api/v1/contacts', { phone: freshPhone(), name }],
    createDeal: ['/api/v1/deals', { phone, title: name }],
    createTask: ['/api/v1/tasks', { contactId, title: name }],
    createKey: ['/panel/api/keys', { name, scope: 'account' }],
    writeNote: [`/api/v1/conversations/${conversationId}/notes`, { text: name }],
  } as const;
  return calls[operation];
}

/** Ids of what the answers have promised; a note's is its message's. */
const accepted = new Map<Operation, string[]>(OPERATIONS.map((operation) => [operation, []]));

/** An answer that is no success leaves open whether the change was made. */
async function change(common: Common, n: number): Promise<void> {
  const operation = OPERATIONS[n % OPERATIONS.length] ?? 'createDeal';
  const [path, body] = callOf(operation, common, n);
  const { status, json } = await common.browser.call('POST', path, { body });
  if (status !== 200 && status !== 201) return;
  const { id, messageId } = v.parse(MadeSchema, json).data;
  accepted.get(operation)?.push(id ?? messageId ?? '');
}

function database(): Db {
  return databaseOf(client, panel().stack.runFile().mongodbUrl);
}

function stored(collection: string, filter: Document): Promise<Document[]> {
  return database().collection(collection).find(filter).toArray();
}

/** Ids of what was made after `common`, by operation, sorted. */
async function made({ contactId, conversationId }: Common): Promise<Record<Operation, string[]>> {
  const orgId = panel().shop.id;
  const idsOf = async (collection: string) => {
    const found = await stored(collection, { $or: [{ orgId }, { 'state.orgId': orgId }] });
    return found.map(({ _id }) => String(_id)).sort();
  };
  const [organization] = await stored('organizations', { ref: panel().shop.ref });
  const keys: Document[] = organization?.keys ?? [];
  const created = keys.filter(({ name }) => /^auditada/.test(name));
  const notes = await stored('entries', { conversationId, 'message.direction': 'note' });
  return {
    upsertContact: (await idsOf('contacts')).filter((id) => id !== contactId),
    createDeal: await idsOf('deals'),
    createTask: await idsOf('tasks'),
    createKey: created.map(({ id }) => String(id)).sort(),
    writeNote: notes.map(({ _id }) => String(_id)).sort(),
  };
}

/** Subjects of the entries, by operation, sorted. */
async function audited(): Promise<Record<Operation, string[]>> {
  const entries = await stored('audit', { orgId: panel().shop.id });
  const of = (operation: Operation): string[] => {
    const own = entries.filter(({ by }) => by.operation === operation);
    return own.map(({ subject }) => String(subject.id)).sort();
  };
  return {
    upsertContact: of('upsertContact'),
    createDeal: of('createDeal'),
    createTask: of('createTask'),
    createKey: of('createKey'),
    writeNote: of('writeNote'),
  };
}

async function prepare(): Promise<Common> {
  const { stack, shop } = panel();
  const phone = freshPhone();
  await stack.network.inbound({ channelId: shop.main, from: phone, text: 'oi' });
  const { data } = await stack.conversations(shop.key);
  const [conversation] = data;
  assert.ok(conversation);
  const { id: conversationId, contact } = conversation;
  return { browser: await panel().signedInAs('ana'), phone, contactId: contact.id, conversationId };
}

test('each change that was made has one entry, and no other has any', async (t) => {
  const common = await prepare();
  let n = 0;
  const last = KILLS * CHANGES_BETWEEN_KILLS + CHANGES_BETWEEN_KILLS;
  const work = async (): Promise<void> => {
    while (n < last) await change(common, n++);
  };
  const workers = Array.from({ length: WORKERS }, work);
  for (let kill = 1; kill <= KILLS; kill++) {
    await waitFor(() => n >= kill * CHANGES_BETWEEN_KILLS, { what: 'more changes' });
    await killHard(panel().stack, 'actors');
  }
  await Promise.all(workers);
  const promised = [...accepted.values()].flat();
  t.diagnostic(`${promised.length} of ${last} changes were accepted`);
  assert.ok(promised.length > last / 2, 'most changes were accepted');
  const changes = await made(common);
  for (const operation of OPERATIONS) {
    const ids = new Set(changes[operation]);
    const lost = accepted.get(operation)?.filter((id) => !ids.has(id));
    assert.deepEqual(lost, [], `${operation}: what was accepted was made`);
  }
  const { writeNote: notes, ...others } = changes;
  const wanted = { ...others, writeNote: notes.map(() => common.conversationId) };
  const isThere = async () => JSON.stringify(await audited()) === JSON.stringify(wanted);
  await waitFor(isThere, { what: 'the entries of all changes' }).catch(() => undefined);
  assert.deepEqual(await audited(), wanted);
});

test('a member of an earlier version, stored without a person, signs in', async () => {
  const { stack, shop } = panel();
  const organizations = database().collection('organizations');
  await organizations.updateOne({ ref: shop.ref }, { $unset: { 'members.$[].person': '' } });
  await killHard(stack, 'actors');
  const bia = await panel().signedInAs('bia');
  const set = { body: { passphrase: PASSPHRASE } };
  assert.equal((await bia.call('POST', '/panel/api/passphrase', set)).status, 200);
  const body = { email: 'bia@example.com', passphrase: PASSPHRASE };
  const again = await panel().browserElsewhere().call('POST', '/panel/api/sign-in', { body });
  assert.equal(again.status, 200, again.text);
});
