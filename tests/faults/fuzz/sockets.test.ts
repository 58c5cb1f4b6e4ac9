/**
 * Bytes that no client means to send, against the real service. It refuses them or cuts the
 * connection, the same processes go on, and the next caller is served.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freshPhone } from '../../support/api.ts';
import { answers, RawClient } from '../../support/gateway/raw-client.ts';
import { useOrganizations, useStack } from '../../support/stack-hooks.ts';
import { waitFor } from '../../support/wait-for.ts';
import { SeededRandom } from '../simulation/world/seeded-random.ts';
import { chosenSeed } from './chosen.ts';

const RANDOM_CASES = 400;
const LARGE_HEADER = 'a'.repeat(100_000);
const METHODS = ['BREW', 'get', 'G\u0000T', 'POST\t', '', 'X'.repeat(9_000), '\u00e9', 'CONNECT'];

/** Spoiled keys are no other file's: an address has 100 wrong ones a minute. */
const ADDRESS = '127.0.2.2';

const stack = useStack();
const { org } = useOrganizations(stack, { org: {} });
const port = () => Number(new URL(stack.baseUrl).port);

function messageTo(phone: string, text: string): { head: string; body: string } {
  const body = JSON.stringify({ channelId: org.main, phone, text });
  const head = `POST /api/v1/messages HTTP/1.1\r\nHost: a\r\nx-api-key: ${org.key}\r\n`;
  return { head, body };
}

function whole(phone: string, text: string): string {
  const { head, body } = messageTo(phone, text);
  return `${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

/** Writes, closes its half and tells everything that came back. */
async function written(bytes: string | Buffer): Promise<string> {
  using client = await RawClient.open(port(), ADDRESS);
  client.write(bytes);
  client.socket.end();
  return client.closed();
}

async function stillServes(): Promise<void> {
  const sent = await stack.send(org.key, {
    channelId: org.main,
    phone: freshPhone(),
    text: 'depois de tudo',
  });
  await stack.messageIn(org.key, sent, 'read');
}

/** The same processes as before, and a fresh call goes all the way. */
async function unharmed(torment: () => Promise<void>): Promise<void> {
  const { pids } = stack.runFile();
  await torment();
  await stillServes();
  assert.deepEqual(stack.runFile().pids, pids);
}

test('heads that are no HTTP are refused below the service', async () => {
  const { head, body } = messageTo(freshPhone(), 'não');
  const heads = [
    ...METHODS.map((method) => `${method} /healthz HTTP/1.1\r\nHost: a\r\n\r\n`),
    ...['GET /healthz\r\n\r\n', 'GET /healthz HTTP/0.9\r\n\r\n', 'GET /healthz HTTP/1.0\r\n\r\n'],
    ...['GET /healthz HTTP/2.0\r\nHost: a\r\n\r\n', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ...['GET http://127.0.0.1/healthz HTTP/1.1\r\nHost: a\r\n\r\n', '\r\n\r\n\r\n', '\u0000'],
    `GET /healthz HTTP/1.1\r\nHost: a\r\nX-Large: ${LARGE_HEADER}\r\n\r\n`,
    `GET /${LARGE_HEADER} HTTP/1.1\r\nHost: a\r\n\r\n`,
    `${'GET /healthz HTTP/1.1\r\nHost: a\r\n'}${'X-Many: 1\r\n'.repeat(2_000)}\r\n`,
    'GET /healthz HTTP/1.1\r\nHost: a\r\n folded: 1\r\nX : y\r\n: z\r\n\r\n',
    ...['abc', '-5', '1e3', '0x10', '99999999999999999999', '+1', ''].map(
      (length) => `${head}Content-Length: ${length}\r\n\r\n${body}`,
    ),
    `${head}Content-Length: 5\r\nContent-Length: 6\r\n\r\n${body}`,
    `${head}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n${body}`,
    `${head}Transfer-Encoding: chunked, gzip\r\n\r\n${body}`,
    `${head}Transfer-Encoding: chunked\r\n\r\nZZ\r\n${body}\r\n0\r\n\r\n`,
    `${head}Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\n${body}`,
    `GET /healthz HTTP/1.1\r\nHost: \u00ff\u00fe\r\nX-Bytes: \u0001\u0002\r\n\r\n`,
  ];
  await unharmed(async () => {
    for (const text of heads) {
      const [status] = answers(await written(Buffer.from(text, 'latin1')));
      const shown = JSON.stringify(text.slice(0, 80));
      assert.ok(status === undefined || !/^5(?!05)|201/.test(status), `${status} to ${shown}`);
    }
  });
});

test('a body that does not come, or not as announced, sends nothing', async () => {
  const phones = Array.from({ length: 6 }, freshPhone);
  const of = (index: number) => messageTo(phones[index] ?? '', 'cortado');
  const cut = of(0);
  const long = of(1);
  const short = of(2);
  const chunked = of(3);
  const bytes = of(4);
  const nul = of(5);
  const length = (text: string) => Buffer.byteLength(text);
  const cases: readonly (string | Buffer)[] = [
    `${cut.head}Content-Length: ${length(cut.body)}\r\n\r\n${cut.body.slice(0, -5)}`,
    `${long.head}Content-Length: ${length(long.body) + 10}\r\n\r\n${long.body}`,
    `${short.head}Content-Length: ${length(short.body) - 3}\r\n\r\n${short.body}`,
    `${chunked.head}Transfer-Encoding: chunked\r\n\r\n${length(chunked.body).toString(16)}\r\n${chunked.body}`,
    Buffer.from(
      `${bytes.head}Content-Length: ${length(bytes.body)}\r\n\r\n` +
        bytes.body.replace('tado', 'ta\u00ffo'),
      'latin1',
    ),
    `${nul.head}Content-Length: ${length(nul.body)}\r\n\r\n${nul.body.replace('tado', '\u0000ado')}`,
  ];
  await unharmed(async () => {
    for (const text of cases) {
      assert.ok(!answers(await written(text)).includes('201'), 'nothing is accepted');
    }
  });
  for (const phone of phones) assert.equal(await stack.contact(org.key, phone), null);
});

test('a body byte by byte is one body', async () => {
  await unharmed(async () => {
    using slow = await RawClient.open(port(), ADDRESS);
    for (const byte of Buffer.from(whole(freshPhone(), 'gota a gota'))) {
      slow.write(Buffer.of(byte));
      await new Promise((resume) => setImmediate(resume));
    }
    assert.deepEqual(answers(await slow.until((text) => answers(text).length > 0)), ['201']);
  });
});

/** uWebSockets.js cuts a connection on which a request comes before the last one is answered. */
test('pairs on one connection are answered in order or cut, never mixed up', async () => {
  const phones = [freshPhone(), freshPhone()];
  await unharmed(async () => {
    const [one, two] = phones.map((phone) => whole(phone, 'em fila'));
    const told = answers(await written(`${one}GET /nada HTTP/1.1\r\nHost: a\r\n\r\n${two}`));
    assert.deepEqual(told, ['201', '404', '201'].slice(0, told.length));
    using polite = await RawClient.open(port(), ADDRESS);
    for (const count of [1, 2, 3]) {
      polite.write(whole(freshPhone(), 'um por vez'));
      const all = answers(await polite.until((text) => answers(text).length >= count));
      assert.deepEqual(all, new Array(count).fill('201'));
    }
  });
  for (const phone of phones) assert.ok((await stack.network.sent(phone)).length <= 1);
});

test('callers that leave half-way leave nothing half done', async () => {
  const random = new SeededRandom(1);
  const phones = Array.from({ length: 40 }, freshPhone);
  await unharmed(async () => {
    for (const [index, phone] of phones.entries()) {
      const text = whole(phone, 'foi embora');
      using client = await RawClient.open(port(), ADDRESS);
      const part = index % 2 === 0 ? text : text.slice(0, random.below(text.length - 1));
      // Written out before the reset: the whole ones are accepted, and their answers are not read.
      await new Promise<void>((resume) => client.socket.write(part, () => resume()));
      if (random.happens(0.5)) client.socket.resetAndDestroy();
    }
  });
  const arrived = async (phone: string) => (await stack.network.sent(phone)).length;
  const whenAsked = await Promise.all(phones.map(arrived));
  assert.ok(
    whenAsked.every((count) => count <= 1),
    'at most once each',
  );
  for (const [index, phone] of phones.entries()) {
    if (index % 2 === 1) assert.equal(await arrived(phone), 0, 'half a request sends nothing');
  }
});

test('random bytes and spoiled requests end no process', async (t) => {
  const seed = chosenSeed();
  t.diagnostic(`seed ${seed}`);
  const random = new SeededRandom(seed);
  await unharmed(async () => {
    const waves = Array.from({ length: RANDOM_CASES / 20 }, () =>
      Array.from({ length: 20 }, () => corruptedRequest(random)),
    );
    for (const wave of waves) {
      const told = await Promise.all(wave.map(written));
      for (const [index, text] of told.entries()) {
        const bad = answers(text).filter((status) => /^50[0-4]$/.test(status));
        const sent = wave[index]?.toString('base64');
        assert.deepEqual(
          bad,
          [],
          `seed ${seed}: echo ${sent} | base64 -d | nc 127.0.0.1 ${port()}`,
        );
      }
    }
    await waitFor(() => stack.request('GET', '/readyz').then(({ status }) => status === 200), {
      what: 'it is ready',
    });
  });
});

function corruptedRequest(random: SeededRandom): Buffer {
  const bytes = Buffer.from(whole(freshPhone(), 'aleatório'));
  if (random.happens(0.1)) return bytes.map(() => random.below(256)) as Buffer;
  for (let times = 1 + random.below(4); times > 0; times--) {
    const at = random.below(bytes.length);
    bytes[at] = random.happens(0.5) ? random.below(256) : (bytes[at] ?? 0) ^ (1 << random.below(8));
  }
  return random.happens(0.3) ? bytes.subarray(0, random.below(bytes.length)) : bytes;
}
