/** Files inside requests: read as the socket takes them, whole or not sent at all. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { systemClock } from '../../../../../infra/adapters/clock/clock.ts';
import { createNetworks } from '../../../../../infra/adapters/network/networks.ts';
import { base64Of } from '../../../../../infra/adapters/network/streamed-body.ts';
import {
  parseRecord,
  recordAt,
  textAt,
} from '../../../../../infra/adapters/network/webhook-body.ts';
import { parseUpload } from '../../../../../infra/programs/simulator/http/multipart.ts';
import type { ReadableFile } from '../../../../../shared/ports/media.ts';
import { channelOf } from '../../../../support/infra/adapters/network/network-fixture.ts';
import { json, record } from '../../../../support/stand-ins/server.ts';
import { bytesIn, bytesOf } from '../media/media-fixture.ts';

const BYTES = bytesOf('0123456789 ', 200_000);

function lent(parts: readonly Uint8Array[], sizeBytes: number, fault?: Error): ReadableFile {
  return {
    mimeType: 'image/png',
    fileName: 'a "b".png',
    sizeBytes,
    async *read() {
      yield* parts;
      if (fault) throw fault;
    },
  };
}

/** A network that takes whatever comes whole. */
async function network(t: TestContext) {
  const server = await record(({ path }) =>
    path.includes('/check-exists') ? json({ numberExists: false }) : json({ id: 'id_1' }),
  );
  const networks = createNetworks({ clock: systemClock, resolveBaseUrl: (url) => url ?? '' });
  t.after(async () => {
    await networks.close();
    await server.close();
  });
  const got = () => server.arrived.filter(({ path }) => !path.includes('/check-exists'));
  return { got, networks, baseUrl: server.url };
}

const MESSAGE = {
  messageId: 'msg_1',
  to: '5511988887777@c.us',
  kind: 'image',
  caption: 'a "foto"',
  mimeType: 'image/png',
  fileName: 'a "b".png',
} as const;

test('an upload arrives whole, with its length', async (t) => {
  const { got, networks, baseUrl } = await network(t);
  const file = lent([BYTES.subarray(0, 100), BYTES.subarray(100)], BYTES.length);
  const channel = channelOf('cloud', { baseUrl });
  const outcome = await networks.driver('cloud').upload?.(channel, file);
  assert.deepEqual(outcome, { outcome: 'uploaded', uploadId: 'id_1' });
  const [upload] = got();
  assert.equal(Number(upload?.headers['content-length']), upload?.bytes.length);
  const taken = parseUpload(upload?.headers['content-type'] ?? '', upload?.bytes ?? BYTES);
  assert.ok(taken?.bytes.equals(BYTES));
});

test('a file in a message to the bridge arrives whole, with its length', async (t) => {
  const { got, networks, baseUrl } = await network(t);
  const file = lent([BYTES.subarray(0, 1), BYTES.subarray(1, 5), BYTES.subarray(5)], BYTES.length);
  const channel = channelOf('web', { baseUrl });
  const outcome = await networks
    .driver('web')
    .sendMedia(channel, { ...MESSAGE, content: { file } });
  assert.equal(outcome.outcome, 'accepted');
  const [sent] = got();
  assert.equal(Number(sent?.headers['content-length']), sent?.bytes.length);
  const body = parseRecord(sent?.bytes.toString('utf8') ?? '') ?? {};
  assert.equal(textAt(body, 'caption'), MESSAGE.caption);
  const carried = recordAt(body, 'file');
  assert.equal(textAt(carried, 'filename'), MESSAGE.fileName);
  assert.ok(Buffer.from(textAt(carried, 'data') ?? '', 'base64').equals(BYTES));
});

test('a file that breaks off was not sent: it is tried again, and never in doubt', async (t) => {
  const { got, networks, baseUrl } = await network(t);
  const file = lent([BYTES.subarray(0, 700_000)], BYTES.length, new Error('a chunk is gone'));
  const uploading = networks.driver('cloud').upload?.(channelOf('cloud', { baseUrl }), file);
  assert.equal((await uploading)?.outcome, 'later');
  const channel = channelOf('web', { baseUrl });
  const outcome = await networks
    .driver('web')
    .sendMedia(channel, { ...MESSAGE, content: { file } });
  assert.equal(outcome.outcome, 'later');
  assert.deepEqual(got(), []);
});

test('base64 in parts is base64 of the whole, however the file is cut', async () => {
  const parts = fc.array(fc.uint8Array({ maxLength: 20 }), { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(parts, async (cut) => {
      const whole = Buffer.concat(cut);
      const body = base64Of(lent(cut, whole.length));
      const text = (await bytesIn(body.read())).toString('latin1');
      assert.equal(text, whole.toString('base64'));
      assert.equal(body.sizeBytes, text.length);
    }),
  );
});
