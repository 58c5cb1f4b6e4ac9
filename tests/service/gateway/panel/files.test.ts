/** Files that members attach to messages. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import * as v from 'valibot';
import { AddFileAnswer } from '../../../../shared/api/file.ts';
import { MEDIA_MAX_BYTES, UPLOAD_PART_BYTES } from '../../../../shared/limits.ts';
import { assertStatus, parseAnswer } from '../../../support/api/answers.ts';
import { freshPhone } from '../../../support/api.ts';
import type { Browser } from '../../../support/gateway/panel/browser.ts';
import { panel, rows, startPanel } from '../../../support/gateway/panel/people-fixture.ts';
import { pluck } from '../../../support/pluck.ts';
import { waitUntil } from '../../../support/wait-for.ts';

before(startPanel);

const FileSchema = v.object({
  data: v.object({
    mediaId: v.string(),
    mimeType: v.string(),
    fileName: v.nullable(v.string()),
    sizeBytes: v.number(),
  }),
});
const SentSchema = v.object({ data: v.looseObject({ conversationId: v.string() }) });

const PATH = '/panel/api/files';
const LIBRARY = '/api/v1/files';
/** More than two parts, the last of which is no whole chunk. */
const BYTES = Uint8Array.from({ length: 2 * UPLOAD_PART_BYTES + 7_000 }, (_, n) => n % 251);
const HEADERS = { 'content-type': 'application/pdf', 'x-file-name': '..%2For%C3%A7amento.pdf' };

async function upload(browser: Browser, bytes: Uint8Array<ArrayBuffer>, headers = HEADERS) {
  return parseAnswer(await browser.call('POST', PATH, { bytes, headers }), FileSchema, 201).data;
}

function send(browser: Browser, mediaId: string, more: object = { phone: freshPhone() }) {
  const body = { channelId: panel().shop.main, mediaId, ...more };
  return browser.call('POST', '/api/v1/messages', { body });
}

describe('files', () => {
  test('are sent with a message, and shown as they were uploaded', async () => {
    const bia = await panel().signedInAs('bia');
    const file = await upload(bia, BYTES);
    const { mediaId, ...rest } = file;
    const sizeBytes = BYTES.length;
    assert.deepEqual(rest, { mimeType: 'application/pdf', fileName: 'orçamento.pdf', sizeBytes });
    const answer = await send(bia, mediaId, { phone: freshPhone(), caption: 'segue' });
    const { conversationId } = parseAnswer(answer, SentSchema, 201).data;
    const [message] = await rows(bia, `/api/v1/messages?conversationId=${conversationId}`);
    assert.equal(message?.kind, 'document');
    const shown = await fetch(`${panel().url}/api/v1/media/${mediaId}`, {
      headers: { cookie: bia.cookie },
    });
    assert.match(shown.headers.get('content-disposition') ?? '', /^attachment; .*or%C3%A7amento/);
    assert.deepEqual(new Uint8Array(await shown.arrayBuffer()), BYTES);
    assert.equal(shown.headers.get('cache-control'), 'private, no-cache');
    const kept = { 'if-none-match': shown.headers.get('etag') ?? '' };
    const path = `/api/v1/media/${mediaId}`;
    const unchanged = await bia.call('GET', path, { headers: kept });
    assert.deepEqual([unchanged.status, unchanged.text], [304, '']);
    assert.equal((await bia.call('POST', '/panel/api/sign-out')).status, 200);
    const { cookie } = await panel().signedInAs('bia');
    assertStatus(await bia.call('GET', path, { headers: { ...kept, cookie: '' } }), 401);
    bia.cookie = cookie;
    const again = await send(bia, mediaId, { conversationId });
    assert.equal(again.status, 201, 'a second message may have the file too');
    await waitUntil('the network has both', async () => {
      const sentOnes = await rows(bia, `/api/v1/messages?conversationId=${conversationId}`);
      return sentOnes.every(({ status }) => !['queued', 'failed'].includes(String(status))) || null;
    });
  });

  test('are of their organization, and stand in its audit log', async () => {
    const ana = await panel().signedInAs('ana');
    const { mediaId } = await upload(ana, BYTES.slice(0, 10));
    const eve = await panel().signedInAs('eve', panel().other.ref);
    const answer = await send(eve, mediaId, { channelId: panel().other.main, phone: freshPhone() });
    assertStatus(answer, 404);
    assert.equal((await eve.call('GET', `/api/v1/media/${mediaId}`)).status, 404);
    const entries = await rows(ana, '/panel/api/audit?limit=200');
    const entry = entries.find(({ subject }) => JSON.stringify(subject).includes(mediaId));
    assert.deepEqual([entry?.operation, entry?.name], ['uploadFile', 'Ana']);
  });

  test('are refused when they are empty or too large, and to a viewer', async () => {
    const bia = await panel().signedInAs('bia');
    await bia.call('GET', '/panel/api/session');
    const post = (browser: Browser, length: number, headers = HEADERS) =>
      browser.call('POST', PATH, { bytes: new Uint8Array(length), headers });
    assert.equal((await post(bia, 0)).status, 422);
    assert.equal((await post(bia, MEDIA_MAX_BYTES + 1)).status, 413);
    const broken = await post(bia, 1, { ...HEADERS, 'x-file-name': '%E0%A4%A' });
    assert.match(broken.text, /"path":"X-File-Name"/);
    assert.equal((await post(await panel().signedInAs('caio'), 1)).status, 403);
  });

  test('without a name or a type are a file of any kind', async () => {
    const bia = await panel().signedInAs('bia');
    const headers = { 'content-type': '', 'x-file-name': '' };
    const { fileName, mimeType } = await upload(bia, BYTES.slice(0, 3), headers);
    assert.deepEqual([fileName, mimeType], [null, 'application/octet-stream']);
  });

  test('of the library are read by everybody, and changed by admins, on record', async () => {
    const ana = await panel().signedInAs('ana');
    const post = (browser: Browser) =>
      browser.call('POST', LIBRARY, { bytes: BYTES, headers: HEADERS });
    assert.equal((await post(await panel().signedInAs('bia'))).status, 403);
    const { id } = parseAnswer(await post(ana), AddFileAnswer, 201).data;
    const caio = await panel().signedInAs('caio');
    assert.ok((await rows(caio, LIBRARY)).some((file) => file.id === id));
    assert.equal((await caio.call('POST', `${LIBRARY}/${id}/remove`)).status, 403);
    assertStatus(await ana.call('POST', `${LIBRARY}/${id}/remove`), 200);
    const entries = await rows(ana, '/panel/api/audit?limit=200');
    const told = entries.filter(({ subject }) => JSON.stringify(subject).includes(id));
    assert.deepEqual(
      told.map(({ operation, name }) => `${operation} ${name}`),
      ['removeFile Ana', 'addFile Ana'],
    );
    // The entry is read when nothing else knows the file's name any more.
    const [removal, addition] = pluck(told, 'details');
    const { name } = v.parse(v.object({ name: v.string(), sizeBytes: v.string() }), addition);
    assert.deepEqual(removal, { name });
  });
});
