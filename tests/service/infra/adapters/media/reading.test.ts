/** Files asked back: in whose scope they are, whole, at the reader's pace (C5.3, D15). */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { freshPhone } from '../../../../support/api.ts';
import { useOrganizations, useStack } from '../../../../support/stack-hooks.ts';
import { bytesOf, read, useFiles } from './media-fixture.ts';

const stack = useStack();
const files = useFiles();
const { a, b } = useOrganizations(stack, { a: {}, b: {} });

describe('GET /api/v1/media/{id}', () => {
  test('gives the bytes to keys in whose scope it is, whatever its size', async () => {
    const bytes = bytesOf('0123456789abcdef', 300_000);
    const mediaUrl = files.file('/a%20b.pdf', bytes, { 'content-type': 'application/pdf' });
    const sent = await stack.send(a.mainKey, { phone: freshPhone(), mediaUrl });
    const [message] = await stack.history(a.mainKey, sent.conversationId);
    const url = message?.media?.url ?? '';
    for (const key of [a.key, a.mainKey]) {
      const got = await read(url, key);
      assert.equal(got.status, 200);
      assert.equal(got.headers.get('content-type'), 'application/pdf');
      assert.equal(got.headers.get('content-length'), String(bytes.length));
      assert.equal(
        got.headers.get('content-disposition'),
        "attachment; filename*=UTF-8''a%20b.pdf",
      );
      assert.equal(got.headers.get('x-content-type-options'), 'nosniff');
      assert.ok(got.headers.get('x-request-id'));
      assert.ok(got.bytes.equals(bytes));
    }
    assert.equal((await read(url)).status, 401);
    assert.equal((await read(url, a.shopKey)).status, 403);
    assert.equal((await read(url, b.key)).status, 404);
    assert.equal((await read(`${stack.baseUrl}/api/v1/media/med_nobody`, a.key)).status, 404);
  });

  test('a reader that goes away or reads slowly harms nobody', async () => {
    const bytes = bytesOf('0123456789abcdef', 1_000_000);
    const mediaUrl = files.file('/lento.bin', bytes, { 'content-type': 'application/zip' });
    const sent = await stack.send(a.mainKey, { phone: freshPhone(), mediaUrl });
    const [message] = await stack.history(a.mainKey, sent.conversationId);
    const url = message?.media?.url ?? '';
    const headers = { authorization: `Bearer ${a.key}` };
    for (let times = 0; times < 3; times++) {
      const leaving = new AbortController();
      const response = await fetch(url, { headers, signal: leaving.signal });
      await response.body?.getReader().read();
      leaving.abort();
    }
    assert.ok((await read(url, a.key)).bytes.equals(bytes));
  });
});
