/** One upload per number and file: who shares it, and when it is made anew (D127). */

import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import type { ChannelEnvironment } from '../../../../../actors/channel/readiness/configuration.ts';
import { type Uploaded, Uploads } from '../../../../../actors/channel/sending/uploads.ts';
import type { MediaRecord, ReadableFile } from '../../../../../shared/ports/media.ts';
import type { UploadOutcome } from '../../../../../shared/ports/network.ts';
import { Database } from '../../../../faults/simulation/memory/database.ts';
import { SILENT } from '../../../../support/engine.ts';
import { ManualClock } from '../../../../support/manual-clock.ts';
import type { Filter, Write } from '../../../../support/plain-store.ts';

const RECORD: MediaRecord = {
  id: 'med_1',
  ...{ orgId: 'org_1', channelId: 'chn_1', mimeType: 'image/png', fileName: 'a.png' },
  ...{ sizeBytes: 3, digest: 'abc' },
};
const FILE = {} as ReadableFile;

let clock: ManualClock;
let uploads: Uploads;
let made: number;
/** The network's answer to the next uploads. */
let answer: (n: number) => UploadOutcome | Promise<UploadOutcome>;
let storeFails: boolean;

beforeEach(() => {
  clock = new ManualClock();
  made = 0;
  storeFails = false;
  answer = (n) => ({ outcome: 'uploaded', uploadId: `up_${n}` });
  const database = new Database();
  const environment = {
    clock,
    log: SILENT,
    media: { withFile: (_id: string, use: (file: ReadableFile) => unknown) => use(FILE) },
    store: {
      findOne: async (from: string, filter: Filter) => database.find(from, filter)[0] ?? null,
      commit: async (writes: readonly Write[]) => {
        if (storeFails) throw new Error('the store is away');
        return writes.map((write) => database.apply(write));
      },
    },
  } as unknown as ChannelEnvironment;
  uploads = new Uploads('chn_1', environment);
});

const upload = async () => answer(++made);

async function nameOf(record = RECORD): Promise<Uploaded> {
  const found = await uploads.ensureUploaded(record, upload);
  assert.ok(found !== 'gone' && found.outcome === 'uploaded', 'uploaded');
  return found;
}

/** A message that is sent under an upload and refused for its file. */
function refused(messageId: string, uploaded: Uploaded, since = clock.monotonic()) {
  return uploads.mayRetry(RECORD, { messageId, uploaded, since });
}

test('whoever comes while a file is uploaded, or later, shares the upload', async () => {
  const held = Promise.withResolvers<UploadOutcome>();
  answer = () => held.promise;
  const all = Array.from({ length: 50 }, () => nameOf());
  held.resolve({ outcome: 'uploaded', uploadId: 'up_x' });
  const names = (await Promise.all(all)).map(({ uploadId }) => uploadId);
  assert.deepEqual([...new Set(names)], ['up_x']);
  const later = await nameOf();
  assert.deepEqual([later.uploadId, later.renewable, made], ['up_x', true, 1]);
  await nameOf({ ...RECORD, fileName: 'b.png' });
  assert.equal(made, 2, 'under another name it is another file');
});

test('an outcome that is none is shared too, and the next try uploads again', async () => {
  const later = { outcome: 'later', waitMs: 5, scope: 'pair' } as const;
  answer = () => later;
  const both = [uploads.ensureUploaded(RECORD, upload), uploads.ensureUploaded(RECORD, upload)];
  assert.deepEqual(await Promise.all(both), [later, later]);
  assert.equal(made, 1);
  await uploads.ensureUploaded(RECORD, upload);
  assert.equal(made, 2);
});

test('a forgotten upload is renewed once, however many were refused under it', async () => {
  await nameOf();
  const stale = await Promise.all(Array.from({ length: 20 }, () => nameOf()));
  assert.equal(await refused('msg_0', stale[0] as Uploaded), true);
  await nameOf();
  for (const [n, each] of stale.entries()) assert.equal(await refused(`msg_${n + 1}`, each), true);
  assert.equal((await nameOf()).uploadId, 'up_2', 'the newer upload stays');
  assert.equal(made, 2);
});

test('a message that is refused while others are accepted is to blame itself', async () => {
  await nameOf();
  const known = await nameOf();
  const tries: boolean[] = [];
  for (let n = 0; n < 5 && tries.at(-1) !== false; n++) {
    const since = clock.monotonic();
    clock.advance(10);
    uploads.recordAccepted(known);
    tries.push(await refused('msg_bad', known, since));
  }
  assert.deepEqual(tries, [true, true, true, false]);
  await nameOf();
  assert.equal(made, 1, 'the upload stays');
});

test('refused under its own fresh upload, a file is to blame at once', async () => {
  assert.equal(await refused('msg_1', await nameOf()), false);
});

test('an upload that cannot be remembered is used all the same', async () => {
  storeFails = true;
  assert.equal((await nameOf()).uploadId, 'up_1');
});

test('an upload is forgotten when the network has', async () => {
  await nameOf();
  clock.advance(29 * 24 * 60 * 60 * 1000);
  assert.deepEqual([(await nameOf()).renewable, made], [false, 2]);
});

test('of more uploads than are kept in mind the proof is forgotten: the file is uploaded anew', async () => {
  await nameOf();
  const first = await nameOf();
  uploads.recordAccepted(first);
  assert.equal(await refused('msg_1', first, -1), true);
  assert.equal(await nameOf().then(({ uploadId }) => uploadId), first.uploadId, 'proven');
  for (let n = 0; n < 256; n++) uploads.recordAccepted({ ...first, uploadId: `other_${n}` });
  assert.equal(await refused('msg_2', first, -1), true);
  assert.notEqual(await nameOf().then(({ uploadId }) => uploadId), first.uploadId);
});
