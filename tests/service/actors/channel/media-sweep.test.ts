/**
 * Files that no entry names are removed, bytes and all, an hour after they were last asked for; no
 * other is (D128).
 */
import assert from 'node:assert/strict';
import { before, beforeEach, test } from 'node:test';
import type { ChannelEnvironment } from '../../../../actors/channel/readiness/configuration.ts';
import { sweepMedia } from '../../../../actors/channel/retention.ts';
import { type ClosableMedia, createMedia } from '../../../../infra/adapters/media/media.ts';
import { createStore } from '../../../../infra/adapters/mongo/store.ts';
import { MEDIA_UNREFERENCED_RETENTION_MS } from '../../../../shared/limits.ts';
import { fileEngine, SILENT } from '../../../support/engine.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import type { Store } from '../../../support/plain-store.ts';
import { bytesIn, bytesOf } from '../../infra/adapters/media/media-fixture.ts';

const engine = fileEngine();
let store: Store;
let media: ClosableMedia;
let clock: ManualClock;
const CHUNK_BYTES = 255 * 1024;
const BYTES = bytesOf('0123456789abcdef', 50_000);
const COLLECTIONS = ['entries', 'media', 'mediaContent.files', 'mediaContent.chunks'];

before(() => {
  store = createStore(engine.mongo);
});
beforeEach(async () => {
  const { db } = engine.mongo;
  await Promise.all(COLLECTIONS.map((name) => db.collection(name).deleteMany({})));
  clock = new ManualClock();
  media = createMedia({ db, clock, log: SILENT, allow: [] });
});

function placeOf(entryId: string) {
  return { orgId: 'org_1', channelId: 'chn_1', entryId };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

function keep(id: string, entryId: string) {
  const file = { mimeType: 'image/png', fileName: null, body: once(BYTES) };
  return media.keep(id, placeOf(entryId), file);
}

function insert(_id: string, more: Readonly<Record<string, unknown>>) {
  const seq = _id.length;
  const document = { _id, conversationId: _id, seq, ...more };
  return engine.mongo.db.collection<{ _id: string }>('entries').insertOne(document);
}

const sweep = () =>
  sweepMedia({ store, clock, media, log: SILENT } as unknown as ChannelEnvironment);
const count = (name: string) => engine.mongo.db.collection(name).countDocuments();

async function bytesOfFile(id: string): Promise<Buffer | null> {
  return media.withFile(id, (file) => bytesIn(file.read()));
}

test('an unnamed file goes; named, waiting and library files stay', async () => {
  await insert('msg_named', { message: { media: { id: 'med_named' } } });
  await insert('msg_other', { message: { media: { id: 'med_another' } } });
  await insert('msg_waiting', { message: { media: null }, mediaDue: { at: 0 } });
  for (const name of ['named', 'waiting', 'other', 'nobody'])
    await keep(`med_${name}`, `msg_${name}`);
  const library = { contentId: 'fil_1:x', mimeType: 'image/png', fileName: 'a.png' };
  const place = { orgId: 'org_1', channelId: 'chn_1' };
  await media.adopt('med_library', place, { ...library, sizeBytes: 1, digest: 'x' });
  await sweep();
  assert.equal(await count('media'), 5, 'the young stay');
  clock.advance(MEDIA_UNREFERENCED_RETENTION_MS + 1);
  await sweep();
  const left = (await engine.mongo.db.collection('media').find().toArray()).map(({ _id }) => _id);
  assert.deepEqual(left.map(String).sort(), ['med_library', 'med_named', 'med_waiting']);
  assert.equal(await count('mediaContent.files'), 2);
  assert.equal(await count('mediaContent.chunks'), 2 * Math.ceil(BYTES.length / CHUNK_BYTES));
  assert.ok((await bytesOfFile('med_named'))?.equals(BYTES));
  clock.advance(10 * MEDIA_UNREFERENCED_RETENTION_MS);
  await engine.mongo.db.collection('entries').deleteMany({ mediaDue: { $exists: false } });
  await sweep();
  assert.ok(await media.find('med_named'), 'what was found named is not looked at again');
});

test('a file that is asked for while it is being swept stays', async () => {
  await keep('med_race', 'msg_race');
  clock.advance(MEDIA_UNREFERENCED_RETENTION_MS + 1);
  const removed = await media.sweep(
    clock.now() - MEDIA_UNREFERENCED_RETENTION_MS,
    async ({ id, entryId }) => {
      await keep(id, entryId);
      return 'unnamed';
    },
  );
  assert.equal(removed, 0);
  assert.ok((await bytesOfFile('med_race'))?.equals(BYTES));
  clock.advance(MEDIA_UNREFERENCED_RETENTION_MS + 1);
  await sweep();
  assert.equal(await media.find('med_race'), null);
  assert.ok(await keep('med_race', 'msg_race'), 'and kept anew when it comes again');
});

test('what a dead writer left goes, and a writer that was only slow puts nothing on record', async () => {
  const latch = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  async function* slow(): AsyncGenerator<Uint8Array> {
    yield BYTES;
    begun.resolve();
    await latch.promise;
    yield BYTES;
  }
  const file = { mimeType: 'image/png', fileName: null, body: slow() };
  const writing = media.keep('med_slow', placeOf('msg_slow'), file);
  await begun.promise;
  assert.equal(await count('mediaContent.files'), 1);
  clock.advance(MEDIA_UNREFERENCED_RETENTION_MS + 1);
  await sweep();
  assert.equal(await count('mediaContent.files'), 0);
  assert.equal(await count('mediaContent.chunks'), 0);
  latch.resolve();
  await assert.rejects(writing, /swept/);
  assert.equal(await count('mediaContent.chunks'), 0);
  assert.equal(await media.find('med_slow'), null);
});

test('a body is taken no faster than it is stored, and stored as it came', async () => {
  const part = bytesOf('x', 10_007);
  let furthestAhead = 0;
  async function* parts(): AsyncGenerator<Uint8Array> {
    for (let given = part.length; given < 40 * CHUNK_BYTES; given += part.length) {
      const stored = (await count('mediaContent.chunks')) * CHUNK_BYTES;
      furthestAhead = Math.max(furthestAhead, given - stored);
      yield part;
    }
  }
  const file = { mimeType: 'image/png', fileName: null, body: parts() };
  const record = await media.keep('med_large', placeOf('msg_large'), file);
  assert.ok(furthestAhead <= CHUNK_BYTES + part.length, `${furthestAhead} bytes ahead`);
  const bytes = await bytesOfFile('med_large');
  assert.equal(bytes?.length, record.sizeBytes);
  const range = { start: CHUNK_BYTES - 3, end: 2 * CHUNK_BYTES + 5 };
  const middle = await media.part('med_large', range);
  assert.ok(bytes && middle && Buffer.from(middle).equals(bytes.subarray(range.start, range.end)));
});

test('a body that breaks leaves nothing', async () => {
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield BYTES;
    throw new Error('cut off');
  }
  const file = { mimeType: 'image/png', fileName: null, body: broken() };
  await assert.rejects(media.keep('med_cut', placeOf('msg_cut'), file), /cut off/);
  for (const name of ['media', 'mediaContent.files', 'mediaContent.chunks']) {
    assert.equal(await count(name), 0, name);
  }
});

/** A member's file in two parts, the second of which is written twice. */
async function upload(id: string): Promise<void> {
  const [first, second] = [BYTES.subarray(0, 2 * CHUNK_BYTES), BYTES.subarray(2 * CHUNK_BYTES)];
  await media.putPart(id, 0, first);
  for (let times = 0; times < 2; times++) await media.putPart(id, first.length, second);
  const facts = { mimeType: 'image/png', fileName: 'a.png', digest: 'x' };
  await media.endUpload(id, { orgId: 'org_1', ...facts, sizeBytes: BYTES.length });
}

test('an uploaded file goes unless its message names it', async () => {
  await insert('msg_named', { message: { media: { id: 'med_named' } } });
  for (const id of ['med_named', 'med_refused', 'med_unsent']) await upload(id);
  await media.putPart('med_broken', 0, BYTES.subarray(0, CHUNK_BYTES));
  const named = await media.claim('med_named', placeOf('msg_named'));
  assert.equal(named?.channelId, 'chn_1');
  await media.claim('med_refused', placeOf('msg_refused'));
  clock.advance(MEDIA_UNREFERENCED_RETENTION_MS + 1);
  await sweep();
  assert.deepEqual(await bytesOfFile('med_named'), Buffer.from(BYTES));
  for (const id of ['med_refused', 'med_unsent']) assert.equal(await media.find(id), null, id);
  assert.equal(await count('mediaContent.files'), 1);
});

test('an uploaded file is of one organization and one channel, for any number of messages', async () => {
  await upload('med_1');
  await keep('med_received', 'msg_x');
  const place = placeOf('msg_1');
  assert.equal(await media.claim('med_1', { ...place, orgId: 'org_2' }), null);
  assert.equal(await media.claim('med_received', place), null, 'a contact’s file is no upload');
  assert.equal((await media.claim('med_1', place))?.id, 'med_1');
  assert.equal(await media.claim('med_1', { ...place, channelId: 'chn_2' }), null);
  assert.equal((await media.claim('med_1', placeOf('msg_2')))?.id, 'med_1');
  clock.advance(MEDIA_UNREFERENCED_RETENTION_MS + 1);
  await sweep();
  assert.ok(await media.find('med_1'), 'either message may name it');
});
