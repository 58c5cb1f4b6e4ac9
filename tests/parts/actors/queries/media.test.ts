/** A file that its message's event has named: until it comes, once it has, and once it never will. */
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { readMedia } from '../../../../actors/queries/media.ts';
import { fileEngine } from '../../../support/engine.ts';

const engine = fileEngine();
const FOUND = { id: 'med_1', orgId: 'org_1', channelId: 'chn_1', mimeType: 'audio/ogg' };
const FILE = { ...FOUND, fileName: null, sizeBytes: 3, digest: '' };
const NAMES = { orgId: 'org_1', mediaId: 'med_1', channelScope: null, start: 0 };

/** What the media store answers, one look-up after the other. */
let finds: (typeof FILE | null)[] = [];

let asks: string[] = [];

beforeEach(async () => {
  finds = [];
  asks = [];
  await engine.mongo.db.collection('entries').deleteMany({});
});

async function inserted(over: Readonly<Record<string, unknown>>) {
  const owner = { orgId: 'org_1', channelId: 'chn_1', conversationId: 'cnv_1', seq: 1 };
  const document = { _id: 'msg_1', ...owner, after: {}, message: {}, ...over };
  await engine.store.commit([{ insert: 'entries', document }]);
}

async function asked(over: Partial<Parameters<typeof readMedia>[1]> = {}) {
  const media = {
    find: async (id: string) => {
      asks.push(id);
      return finds.shift() ?? null;
    },
    part: async () => Buffer.from('ogg'),
  };
  const environment = { store: engine.store, media } as unknown as Parameters<typeof readMedia>[0];
  const { status, headers } = await readMedia(environment, { ...NAMES, ...over });
  return headers ? [status, headers] : status;
}

const DUE = { mediaDue: { at: 1, attempt: 0, media: { mimeType: 'audio/ogg' } } };

test('a file that has come is answered, and nobody else’s', async () => {
  for (const [over, expected] of [
    [{}, 200],
    [{ channelScope: 'chn_1' }, 200],
    [{ channelScope: 'chn_2' }, 403],
    [{ orgId: 'org_2' }, 404],
  ] as const) {
    finds = [FILE];
    assert.equal(await asked(over), expected, JSON.stringify(over));
  }
});

test('a file that its network still has is to be asked for again in a second', async () => {
  await inserted(DUE);
  assert.deepEqual(await asked(), [409, { 'retry-after': '1' }]);
  assert.deepEqual(await asked({ channelScope: 'chn_1' }), [409, { 'retry-after': '1' }]);
  assert.equal(await asked({ channelScope: 'chn_2' }), 403);
  assert.equal(await asked({ orgId: 'org_2' }), 404);
});

test('a file that was given up is absent, as one that no message has', async () => {
  assert.equal(await asked(), 404);
  await inserted({});
  assert.equal(await asked(), 404);
});

test('a file that comes between the two reads is answered, whatever its id', async () => {
  await inserted({ message: { media: { id: 'med_9' } } });
  finds = [null, FILE];
  assert.equal(await asked(), 200);
  assert.deepEqual(asks, ['med_1', 'med_9']);
});
