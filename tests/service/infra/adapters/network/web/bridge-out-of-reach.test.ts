/**
 * A bridge whose session is gone, or that a proxy hides, by the public API (I29): nothing is lost,
 * nothing goes twice, every conversation keeps its order.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { freshPhone, type Sent } from '../../../../../support/api.ts';
import type { Organization } from '../../../../../support/organization.ts';
import { useOrganizations, useStack } from '../../../../../support/stack-hooks.ts';
import { waitUntil } from '../../../../../support/wait-for.ts';
import { arrived } from './reading.ts';

/** Longer than two waits for a status, after which a message would be given up. */
const AWAY_MS = 26_000;
const TEXTS = ['1', '2', '3'];

const stack = useStack();
const orgs = useOrganizations(stack, { proxied: {}, found: {}, killed: {}, gone: {}, lacks: {} });

async function webjs({ session }: Organization): Promise<void> {
  await stack.network.control('POST /engines', { session, engine: 'webjs' });
}

function proxy({ session }: Organization, status?: number): Promise<void> {
  const answer = status === undefined ? {} : { status };
  return stack.network.fault({ session, proxy: true, ...answer });
}

async function sendAll({ shopKey }: Organization, phone: string): Promise<readonly Sent[]> {
  const sent: Sent[] = [];
  for (const text of TEXTS) sent.push(await stack.send(shopKey, { phone, text }));
  return sent;
}

async function areRead({ shopKey }: Organization, sent: readonly Sent[]): Promise<void> {
  for (const each of sent) await stack.messageIn(shopKey, each, 'read');
}

describe('a proxy that answers 502 to everything, before a bridge without ids of ours', {
  concurrency: true,
}, () => {
  test('for 26 s: the conversation waits, then all goes once and in order', async () => {
    const { proxied } = orgs;
    await webjs(proxied);
    await proxy(proxied, 502);
    const phone = freshPhone();
    const sent = await sendAll(proxied, phone);
    await pause(AWAY_MS);
    assert.deepEqual(await arrived(stack, phone), []);
    const history = await stack.history(proxied.key, sent[0]?.conversationId ?? '');
    assert.ok(history.every(({ status }) => status === 'queued'));
    await proxy(proxied);
    await areRead(proxied, sent);
    assert.deepEqual(await arrived(stack, phone), TEXTS);
  });

  test('after the bridge took the message: found by the first look-up, not sent again', async () => {
    const { found } = orgs;
    await webjs(found);
    await stack.network.fault({
      session: found.session,
      delayMs: 3_000,
      status: 502,
      acceptFirst: true,
      times: 1,
    });
    const phone = freshPhone();
    const sent = await sendAll(found, phone);
    await waitUntil('it was taken', async () => (await arrived(stack, phone)).length === 1);
    await proxy(found, 502);
    await pause(AWAY_MS);
    assert.deepEqual(await arrived(stack, phone), TEXTS.slice(0, 1));
    await proxy(found);
    await areRead(found, sent);
    assert.deepEqual(await arrived(stack, phone), TEXTS);
  });
});

test('the same, and the process dies meanwhile', async () => {
  const { killed } = orgs;
  await webjs(killed);
  await proxy(killed, 502);
  const phone = freshPhone();
  const sent = await sendAll(killed, phone);
  await pause(1_000);
  process.kill(stack.pid('actors'), 'SIGKILL');
  await pause(AWAY_MS);
  assert.deepEqual(await arrived(stack, phone), []);
  await proxy(killed);
  await areRead(killed, sent);
  assert.deepEqual(await arrived(stack, phone), TEXTS);
});

test('a session that is not there: the message waits, and goes when there is one', async () => {
  const { gone } = orgs;
  const phone = freshPhone();
  await stack.network.fault({ session: gone.session, missing: true });
  const sent = [await stack.send(gone.shopKey, { phone, text: '1' })];
  await waitUntil('not ready', async () => {
    const [channel] = await stack.channels(gone.shopKey);
    return channel?.ready === false && /sessão não existe/.test(channel.reason ?? '');
  });
  await pause(2_000);
  const history = await stack.history(gone.key, sent[0]?.conversationId ?? '');
  assert.ok(history.every(({ status }) => status === 'queued'));
  await stack.network.fault({ session: gone.session });
  await areRead(gone, sent);
  assert.deepEqual(await arrived(stack, phone), ['1']);
});

test('a call that the engine does not have fails at once', async () => {
  const { lacks } = orgs;
  await stack.network.fault({ session: lacks.session, unsupported: true, times: 1 });
  const body = { phone: freshPhone(), location: { latitude: -23.5, longitude: -46.6 } };
  const { conversationId, messageId } = await stack.send(lacks.shopKey, body);
  const failed = await stack.messageIn(lacks.shopKey, { conversationId, messageId }, 'failed');
  assert.equal(failed.error?.code, 'unsupported');
});
