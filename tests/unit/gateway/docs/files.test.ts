/** D261, D263: the pages of the documentation and their files, as browsers are answered. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { createRequire } from 'node:module';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { useGateway } from '../../../support/gateway/gateway-fixture.ts';

const require = createRequire(import.meta.url);
const SCRIPT = '/docs/files/swagger-script';
const BUNDLE = readFileSync(require.resolve('swagger-ui-dist/swagger-ui-bundle.js'));
const DECODED = {
  identity: (bytes: Buffer) => bytes,
  gzip: (bytes: Buffer) => gunzipSync(bytes),
  br: (bytes: Buffer) => brotliDecompressSync(bytes),
};

const gateway = useGateway();

const ask = (path: string, headers: Record<string, string> = {}) =>
  gateway.send(path, { key: null, headers });

/** The bytes as they are sent: `fetch` would decode them. */
async function sent(path: string, accepted: string) {
  const asked = get(gateway.base + path, { headers: { 'accept-encoding': accepted } });
  const [response]: IncomingMessage[] = await once(asked, 'response');
  assert.ok(response);
  return { headers: response.headers, bytes: await buffer(response) };
}

/** A directive and its sources. */
function policyOf(response: Response): ReadonlyMap<string, string> {
  const text = response.headers.get('content-security-policy') ?? '';
  return new Map(
    text.split('; ').map((each) => {
      const [name = '', ...sources] = each.split(' ');
      return [name, sources.join(' ')];
    }),
  );
}

const CLOSED = {
  ...{ 'default-src': "'none'", 'base-uri': "'none'", 'form-action': "'none'" },
  ...{ 'frame-ancestors': "'none'", 'script-src': "'self'", 'style-src': "'self'" },
};
const TRYING = { 'img-src': "'self' data: blob:", 'connect-src': "'self'" };

for (const [path, may, policy] of [
  ['/docs', 'show what its origin sends, and call nothing', { 'img-src': "'self'" }],
  ['/docs/try', 'call its own origin, and nothing else', TRYING],
] as const) {
  test(`${path} may ${may}`, async () => {
    const page = await ask(path);
    assert.equal(page.status, 200);
    assert.deepEqual(Object.fromEntries(policyOf(page)), { ...CLOSED, ...policy });
  });
}

test('no page has a script or a style of its own text, and no address of another origin', async () => {
  for (const path of ['/docs', '/docs/try']) {
    const html = await (await ask(path)).text();
    assert.doesNotMatch(html, /<style|<script(?![^>]*\bsrc=)|\bstyle=|\bon[a-z]+="|javascript:/i);
    const links = [...html.matchAll(/\b(?:src|href)="([^"]*)"/g)].map(([, link = '']) => link);
    assert.ok(links.length > 5, path);
    assert.ok(!links.some((link) => /^(?:\w+:|\/\/)/.test(link)), String(links));
  }
});

test('every file that a page names is there, in its own type', async () => {
  for (const path of ['/docs', '/docs/try']) {
    const html = await (await ask(path)).text();
    const named = html.matchAll(/\b(?:src|href)="((?:docs\/)?files\/[\w-]+)"/g);
    const links = new Set([...named].map(([, link = '']) => link));
    assert.ok(links.size >= 4, path);
    for (const link of links) {
      const file = await ask(new URL(link, gateway.base + path).pathname);
      assert.equal(file.status, 200, link);
      const type = file.headers.get('content-type') ?? '';
      assert.match(type, /^(text\/(css|javascript); charset=utf-8|image\/svg\+xml)$/);
      assert.equal(file.headers.get('x-content-type-options'), 'nosniff');
      assert.equal(file.headers.get('content-security-policy'), "default-src 'none'");
    }
  }
});

/** The path goes as it is: `fetch` would resolve its dots. */
async function statusOf(path: string): Promise<number | undefined> {
  const { hostname, port } = new URL(gateway.base);
  const [response]: IncomingMessage[] = await once(get({ hostname, port, path }), 'response');
  response?.resume();
  return response?.statusCode;
}

test('a name that no page has is 404, whatever it looks like', async () => {
  const names = ['other', 'constructor', '__proto__', 'page.mjs', '..', '%2e%2e', '..%2ffiles'];
  const files = [...names, '', '../browser/page.mjs'].map((name) => `/docs/files/${name}`);
  for (const path of [...files, '/docs/files', '/docs/try/', '/docs/']) {
    assert.equal(await statusOf(path), 404, path);
  }
});

test('a file has the same bytes in every coding that its reader accepts', async () => {
  for (const [coding, decode] of Object.entries(DECODED)) {
    const { headers, bytes } = await sent(SCRIPT, coding);
    assert.equal(headers['content-encoding'], coding === 'identity' ? undefined : coding);
    assert.equal(headers['content-length'], String(bytes.length));
    assert.equal(headers.vary, 'accept-encoding');
    assert.ok(decode(bytes).equals(BUNDLE), coding);
  }
  const { headers } = await sent(SCRIPT, 'br;q=0, gzip');
  assert.equal(headers['content-encoding'], 'gzip');
});

test('a browser that has a file is told so without it, and asks each time', async () => {
  for (const path of ['/openapi.json', '/docs', '/docs/try', '/docs/files/triable', SCRIPT]) {
    const first = await ask(path);
    const etag = first.headers.get('etag') ?? assert.fail(`${path} has no tag`);
    assert.equal(first.headers.get('cache-control'), 'no-cache');
    for (const known of [etag, `W/"other", ${etag}`]) {
      const again = await ask(path, { 'if-none-match': known });
      assert.equal(again.status, 304, path);
      assert.equal(again.headers.get('etag'), etag);
      assert.equal(await again.text(), '');
    }
    assert.equal((await ask(path, { 'if-none-match': 'W/"other"' })).status, 200);
  }
});

test('many who ask at once are answered alike', async () => {
  const path = '/docs/files/swagger-style';
  const answers = await Promise.all(Array.from({ length: 20 }, () => ask(path)));
  const tags = answers.map(({ status, headers }) => `${status} ${headers.get('etag')}`);
  assert.equal(new Set(tags).size, 1);
  await Promise.all(answers.map((answer) => answer.arrayBuffer()));
});
