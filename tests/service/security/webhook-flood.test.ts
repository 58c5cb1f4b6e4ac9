/**
 * A flood of large bodies to the networks' webhooks: it stops no caller, and costs NATS no copies.
 * The bytes are counted on the connection of a gateway to the real NATS server.
 */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { NETWORK_WEBHOOK_MAX_BYTES } from '../../../shared/limits.ts';
import { assertStatus } from '../../support/api/answers.ts';
import { freshPhone } from '../../support/api.ts';
import { bridgePost } from '../../support/infra/adapters/network/web/bridge.ts';
import { type SecondGateway, startSecondGateway } from '../../support/second-gateway.ts';
import { useOrganizations, useStack, useUntil } from '../../support/stack-hooks.ts';
import { serveTcp } from '../../support/stand-ins/server.ts';
import { waitUntil } from '../../support/wait-for.ts';

const POSTS = 16;
const SHARE_MAX = 1.5;
/** Questions about channels, keys and health. */
const SMALL_TALK_BYTES = 64 * 1024;

const stack = useStack();
const { a } = useOrganizations(stack, { a: {} });

/** A gateway whose bytes to NATS are counted. */
const counted = useUntil(startCounted, ({ stop }) => stop());

async function startCounted() {
  let bytes = 0;
  const nats = new URL(stack.runFile().natsUrl);
  const proxy = await serveTcp((client) => {
    const server = connect(Number(nats.port), nats.hostname);
    client.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    client.pipe(server).pipe(client);
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      one.on('error', () => other.destroy()).on('close', () => other.destroy());
    }
  });
  const gateway = await startSecondGateway(stack, {
    NATS_URL: `nats://${nats.username}@127.0.0.1:${proxy.port}`,
  });
  const stop = async (): Promise<void> => {
    await gateway.stop();
    await proxy.close();
  };
  return { gateway, stop, bytesDuring };

  async function bytesDuring<T>(work: (gateway: SecondGateway) => Promise<T>) {
    const before = bytes;
    const done = await work(gateway);
    return { done, bytes: bytes - before };
  }
}

function flood(gateway: SecondGateway, headers: Readonly<Record<string, string>>) {
  const body = 'x'.repeat(NETWORK_WEBHOOK_MAX_BYTES);
  const posts = Array.from({ length: POSTS }, () =>
    gateway.request('POST', `/networks/cloud/${a.main}`, { body, headers }),
  );
  return Promise.all([...posts, gateway.call('GET', '/api/v1/me', { key: a.key })]);
}

test('sixteen unsigned bodies of 4 MiB do not reach NATS, and a caller is answered', async () => {
  const { done, bytes } = await counted.bytesDuring((gateway) => flood(gateway, {}));
  assert.deepEqual(
    done.map(({ status }) => status),
    [...Array(POSTS).fill(401), 200],
  );
  assert.ok(bytes < SMALL_TALK_BYTES, `${bytes} bytes`);
});

test('wrongly signed, they are carried at most 1.5 times, and most are put off', async (t) => {
  const headers = { 'x-hub-signature-256': `sha256=${'ab'.repeat(32)}` };
  const { done, bytes } = await counted.bytesDuring((gateway) => flood(gateway, headers));
  const statuses = done.slice(0, POSTS).map(({ status }) => status);
  assert.deepEqual([...new Set(statuses)].sort(), [401, 503]);
  for (const answer of done) {
    if (answer.status === 503) assert.match(answer.headers.get('retry-after') ?? '', /^\d+$/);
  }
  assert.equal(done.at(-1)?.status, 200);
  const share = bytes / (POSTS * NETWORK_WEBHOOK_MAX_BYTES);
  assert.ok(share <= SHARE_MAX, `${share} times what was posted`);
  t.diagnostic(`${share.toFixed(2)} times what was posted`);
});

test('large webhooks of the network come in, at last, carried at most 1.5 times', async (t) => {
  const phones = Array.from({ length: 6 }, freshPhone);
  const posts = phones.map((phone) => {
    const message = { id: `false_${phone}@c.us_L${phone}`, from: `${phone}@c.us`, fromMe: false };
    return bridgePost(a, 'message.any', { ...message, body: 'oi', filler: 'x'.repeat(2 ** 20) });
  });
  let posted = 0;
  const { bytes } = await counted.bytesDuring((gateway) =>
    Promise.all(
      posts.map((post) =>
        waitUntil('the network has told it', async () => {
          posted += post.body.length;
          const { status } = await gateway.request('POST', `/networks/web/${a.shop}`, post);
          assert.ok(status === 200 || status === 503, `${status}`);
          return status === 200 || null;
        }),
      ),
    ),
  );
  const share = bytes / posted;
  assert.ok(share <= SHARE_MAX, `${share} times what was posted`);
  t.diagnostic(`${share.toFixed(2)} times what was posted`);
  for (const phone of phones) {
    await waitUntil('its message is there', () => stack.contact(a.key, phone));
  }
});

test('an unsigned post to an unknown channel is 404, and a signed one too', async () => {
  for (const headers of [{}, { 'x-hub-signature-256': `sha256=${'ab'.repeat(32)}` }]) {
    const call = { body: '{}', headers };
    assertStatus(await stack.request('POST', '/networks/cloud/chn_unknown', call), 404);
  }
});
