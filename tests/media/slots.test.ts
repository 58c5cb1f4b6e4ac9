/** Downloads under way: one organization's slow servers take no more than its share. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDownloader } from '../../infra/media/download.ts';
import { Slots } from '../../infra/media/slots.ts';
import { realClock } from '../outbound/real-clock.ts';
import { bytesOf, serveFiles } from './scene.ts';

const SHARES = { atOnce: 4, perHolder: 2 };
const NEVER = new AbortController().signal;

/** Who has been given a slot, in order. */
function taker(slots: Slots) {
  const given: string[] = [];
  const take = (holder: string, signal = NEVER) =>
    slots.take(holder, signal).then(
      () => void given.push(holder),
      () => void given.push(`${holder} gone`),
    );
  const settled = () => new Promise((next) => setImmediate(next));
  return { given, take, settled };
}

test('a holder has its share and no more; others pass those of it that wait', async () => {
  const slots = new Slots(SHARES);
  const { given, take, settled } = taker(slots);
  for (const holder of ['a', 'a', 'a', 'a', 'b', 'c', 'd']) void take(holder);
  await settled();
  assert.deepEqual(given, ['a', 'a', 'b', 'c']);
  slots.give('b');
  await settled();
  assert.deepEqual(given.slice(4), ['d']);
  slots.give('a');
  await settled();
  assert.deepEqual(given.slice(5), ['a']);
});

test('who gives up waiting takes nothing, and holds nobody up', async () => {
  const slots = new Slots({ atOnce: 1, perHolder: 1 });
  const { given, take, settled } = taker(slots);
  const patience = new AbortController();
  void take('a');
  void take('b', patience.signal);
  void take('c');
  await settled();
  patience.abort();
  slots.give('a');
  await settled();
  assert.deepEqual(given, ['a', 'b gone', 'c']);
});

test('a file of another organization comes while one waits for thirty slow servers', {
  timeout: 60_000,
}, async (t) => {
  const files = await serveFiles();
  const downloader = createDownloader({ allow: [`127.0.0.1:${files.port}`], clock: realClock });
  const url = files.file('/good.png', bytesOf('fine'), { 'content-type': 'image/png' });
  files.at.set('/slow', () => undefined);
  const ask = (orgId: string, from: string) =>
    downloader.download(from, { orgId, maxBytes: () => 1_000 });
  const slow = Array.from({ length: 30 }, () => ask('org_slow', `${files.url}/slow`));
  t.after(async () => {
    await downloader.close();
    await Promise.all(slow);
    await files.close();
  });
  assert.equal((await ask('org_good', url)).downloaded, true);
  assert.equal(files.asked('/slow'), 6);
});
