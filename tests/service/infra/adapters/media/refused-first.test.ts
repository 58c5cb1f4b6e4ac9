/**
 * A send that can be refused without its file is refused before a byte of it is requested. A file
 * that is refused leaves nothing behind (D128).
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertRefused, freshPhone, issuePaths } from '../../../../support/api.ts';
import { useDatabase, useOrganizations, useStack } from '../../../../support/stack-hooks.ts';
import { waitUntil } from '../../../../support/wait-for.ts';
import { bytesOf, useFiles } from './media-fixture.ts';

const stack = useStack();
const files = useFiles();
const { a, b } = useOrganizations(stack, { a: {}, b: {} });
const database = useDatabase(stack);

const PNG = { 'content-type': 'image/png' };
const AUDIO = { 'content-type': 'audio/ogg' };
const MEGABYTE = Buffer.alloc(1024 * 1024);

function post(key: string, body: Readonly<Record<string, unknown>>) {
  return stack.call('POST', '/api/v1/messages', { key, body });
}

/** Documents of files in the store. */
async function kept(): Promise<number> {
  const names = ['media', 'mediaContent.files', 'mediaContent.chunks'];
  const counts = names.map((name) => database.db.collection(name).countDocuments());
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
}

test('an unknown or foreign conversation, or another phone, costs no download', async () => {
  const phone = freshPhone();
  const { conversationId } = await stack.send(a.mainKey, { phone, text: 'oi' });
  const mediaUrl = files.file('/cedo.png', bytesOf('a picture'), PNG);
  const before = await kept();
  const unknown = { conversationId: `${conversationId.slice(0, -4)}zzzz`, mediaUrl };
  assertRefused(await post(a.mainKey, unknown), 404);
  assertRefused(await post(b.mainKey, { conversationId, mediaUrl }), 404);
  assertRefused(await post(a.shopKey, { conversationId, mediaUrl }), 403);
  const byAccount = { conversationId, channelId: a.shop, mediaUrl };
  assert.deepEqual(issuePaths(await post(a.key, byAccount)), ['conversationId']);
  const otherPhone = { conversationId, phone: freshPhone(), mediaUrl };
  assert.deepEqual(issuePaths(await post(a.mainKey, otherPhone)), ['phone']);
  assert.equal(files.asked('/cedo.png'), 0);
  assert.equal(await kept(), before);
  const sent = await stack.send(a.mainKey, { conversationId, phone, mediaUrl });
  await stack.messageIn(a.mainKey, sent, 'read');
  assert.equal(files.asked('/cedo.png'), 1);
});

test('a channel that is not ready is 409 without a download', async () => {
  const mediaUrl = files.file('/parado.png', bytesOf('a picture'), PNG);
  await stack.network.control('POST /session', { session: b.session, status: 'STOPPED' });
  const request = { phone: freshPhone(), text: 'oi' };
  await waitUntil('the channel is not ready', async () =>
    (await post(b.shopKey, request)).status === 409 ? true : null,
  );
  assertRefused(await post(b.shopKey, { phone: freshPhone(), mediaUrl }), 409);
  assert.equal(files.asked('/parado.png'), 0);
});

test('what the URL’s own text is refused for comes before the conversation', async () => {
  const conversationId = `cnv_${'x'.repeat(22)}`;
  for (const mediaUrl of ['http://user:word@example.com/a.png', 'http://10.0.0.1/a.png']) {
    assert.deepEqual(issuePaths(await post(a.mainKey, { conversationId, mediaUrl })), ['mediaUrl']);
  }
});

test('a file that is refused while it comes, or after, leaves nothing', async () => {
  files.at.set('/sem-fim', (_request, response) => {
    response.writeHead(200, PNG);
    const more = () => {
      while (!response.destroyed && response.write(MEGABYTE));
    };
    response.on('drain', more);
    more();
  });
  files.at.set('/cortado', (_request, response) => {
    response.writeHead(200, { ...PNG, 'content-length': 4 * MEGABYTE.length });
    response.write(MEGABYTE, () => response.destroy());
  });
  files.at.set('/voz-sem-tamanho', (_request, response) => {
    response.writeHead(200, AUDIO).write(MEGABYTE);
    response.end();
  });
  files.file('/voz', MEGABYTE, { ...AUDIO, 'content-length': String(MEGABYTE.length) });
  const before = await kept();
  const phone = freshPhone();
  for (const path of ['/sem-fim', '/cortado']) {
    const refused = await post(a.mainKey, { phone, mediaUrl: `${files.url}${path}` });
    assert.deepEqual(issuePaths(refused), ['mediaUrl'], path);
  }
  for (const path of ['/voz-sem-tamanho', '/voz']) {
    const refused = await post(a.mainKey, { phone, mediaUrl: `${files.url}${path}`, text: 'oi' });
    assert.deepEqual(issuePaths(refused), ['text'], path);
  }
  assert.equal(await kept(), before);
});
