/** The organization's library of files (D436). */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { AddFileAnswer, ListFilesAnswer, RemoveFileAnswer } from '../../../shared/api/file.ts';
import { MEDIA_MAX_BYTES, UPLOAD_PART_BYTES } from '../../../shared/limits.ts';
import { assertStatus, parseAnswer } from '../../support/api/answers.ts';
import { assertRefused, freshPhone, issuePaths } from '../../support/api.ts';
import { useOrganizations, useStack } from '../../support/stack-hooks.ts';
import { digestOf, read, sentTo } from '../infra/adapters/media/media-fixture.ts';

const stack = useStack();
const { a, b } = useOrganizations(stack, { a: {}, b: {} });

const PATH = '/api/v1/files';
/** More than two parts, the last of which is no whole chunk. */
const BYTES = Uint8Array.from({ length: 2 * UPLOAD_PART_BYTES + 7_000 }, (_, n) => n % 251);
const PDF = { 'content-type': 'application/pdf', 'x-file-name': 'pre%C3%A7os%20de%20maio.pdf' };

function post(
  body: Uint8Array,
  headers: Readonly<Record<string, string>> = PDF,
  key: string = a.key,
) {
  return stack.call('POST', PATH, { key, body, headers });
}

async function add(...given: Parameters<typeof post>) {
  return parseAnswer(await post(...given), AddFileAnswer, 201).data;
}

async function list(key: string = a.key, query = '') {
  return parseAnswer(await stack.call('GET', `${PATH}${query}`, { key }), ListFilesAnswer);
}

const remove = (id: string, key: string = a.key) =>
  stack.call('POST', `${PATH}/${id}/remove`, { key });

describe('POST /api/v1/files', () => {
  test('keeps a file, which messages of each network then carry as it was sent', async () => {
    const { id, createdAt, ...rest } = await add(BYTES);
    const name = 'preços de maio.pdf';
    assert.deepEqual(rest, { name, mimeType: 'application/pdf', sizeBytes: BYTES.length });
    assert.ok(Math.abs(Date.parse(createdAt) - Date.now()) < 60_000);
    for (const channelId of [a.main, a.shop]) {
      const phone = freshPhone();
      const sent = await stack.send(a.key, { channelId, phone, mediaId: id });
      const { media, kind } = await stack.messageIn(a.key, sent, 'read');
      assert.deepEqual([kind, media?.fileName], ['document', name]);
      const [arrived] = await sentTo(stack, phone);
      assert.equal(arrived?.media?.sha256, digestOf(BYTES));
      assert.equal(digestOf((await read(media?.url ?? '', a.key)).bytes), digestOf(BYTES));
    }
  });

  test('goes by the ending of the name where no type is told, and keeps no folders', async () => {
    const headers = { 'content-type': '', 'x-file-name': '..%2Fetc%2Ffoto.png' };
    const { name, mimeType } = await add(BYTES.subarray(0, 10), headers);
    assert.deepEqual([name, mimeType], ['foto.png', 'image/png']);
  });

  test('refuses what is no file, at the part to correct', async () => {
    const nothing = await post(new Uint8Array(), { 'x-file-name': '%E0%A4%A' });
    assert.deepEqual(issuePaths(nothing), ['', 'X-File-Name']);
    assert.deepEqual(issuePaths(await post(BYTES, {})), ['X-File-Name']);
    assert.deepEqual(issuePaths(await post(BYTES, { 'x-file-name': '%2F..' })), ['X-File-Name']);
    assertRefused(await post(new Uint8Array(MEDIA_MAX_BYTES + 1)), 413);
    assertRefused(await post(BYTES, PDF, 'unknown'), 401);
  });

  test('is done once under one Idempotency-Key, whose bytes and name stay', async () => {
    const keyed = (headers: object, bytes = BYTES) =>
      post(bytes, { ...PDF, 'idempotency-key': 'tabela', ...headers });
    const [first, again] = [await keyed({}), await keyed({})];
    assert.deepEqual([first.status, again.text], [201, first.text]);
    assert.equal(again.headers.get('idempotent-replayed'), 'true');
    assert.deepEqual(issuePaths(await keyed({ 'x-file-name': 'a.pdf' })), ['Idempotency-Key']);
    const others = Uint8Array.from([...BYTES.subarray(0, -1), 0xff]);
    assert.deepEqual(issuePaths(await keyed({}, others)), ['Idempotency-Key']);
    const { id } = parseAnswer(first, AddFileAnswer, 201).data;
    const found = (await list(a.key, '?limit=200')).data.filter((each) => each.id === id);
    assert.equal(found.length, 1);
  });
});

describe('GET /api/v1/files', () => {
  test('lists the files of the organization by name, those of `apply` too', async () => {
    for (const name of ['b.txt', 'A.txt']) await add(BYTES, { 'x-file-name': name }, b.key);
    const { ref } = b;
    const path = `${stack.dataDir}/c.txt`;
    writeFileSync(path, 'oi');
    const files = [{ ref: 'c', name: 'C.txt', path, mimeType: 'text/plain' }];
    await stack.apply({ orgs: [{ ref, files }] });
    const { data, total } = await list(b.key);
    assert.deepEqual(
      data.map(({ name }) => name),
      ['A.txt', 'b.txt', 'C.txt'],
    );
    const second = await list(b.mainKey, '?limit=1&page=2');
    assert.deepEqual([second.data[0]?.name, second.total, total], ['b.txt', 3, 3]);
  });
});

describe('POST /api/v1/files/{id}/remove', () => {
  test('takes a file away; the messages that carry it keep it', async () => {
    const { id } = await add(BYTES);
    const phone = freshPhone();
    const mediaId = id;
    const sent = await stack.send(a.key, { channelId: a.main, phone, mediaId });
    assertRefused(await remove(id, b.key), 404);
    const { data } = parseAnswer(await remove(id), RemoveFileAnswer);
    assert.deepEqual(data, { id, removed: true });
    assertRefused(await remove(id), 404);
    assert.ok(!(await list(a.key, '?limit=200')).data.some((each) => each.id === id));
    const body = { channelId: a.main, phone, mediaId };
    assertRefused(await stack.call('POST', '/api/v1/messages', { key: a.key, body }), 404);
    const { media } = await stack.messageIn(a.key, sent, 'read');
    assert.equal(digestOf((await read(media?.url ?? '', a.key)).bytes), digestOf(BYTES));
  });

  test('leaves a file that a flow sends', async () => {
    const { id } = await add(BYTES);
    const steps = [
      { id: 'a', do: 'send', file: id, next: 'end' },
      { id: 'end', do: 'end' },
    ];
    const flow = { ref: 'file', name: 'Arquivo', enabled: true, triggers: [], steps };
    const applied = await stack.apply({ orgs: [{ ref: a.ref, flows: [flow] }] });
    assert.ok(applied);
    assertRefused(await remove(id), 409);
    await stack.apply({ orgs: [{ ref: a.ref, flows: [{ ref: 'file', remove: true }] }] });
    assertStatus(await remove(id), 200);
  });
});
