/**
 * Claim on insert on the real service: writes before the network has a message, and a killed owner.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as v from 'valibot';
import { SendMessageAnswer } from '../../../../../shared/api/message.ts';
import { freshPhone, type Sent } from '../../../../support/api.ts';
import { useDatabase, useOrganizations, useStack } from '../../../../support/stack-hooks.ts';
import { waitUntil } from '../../../../support/wait-for.ts';

/**
 * The answer to one send may still be on its way when the next, of another conversation, starts.
 */
const KNOWN = 4;
/** Members, windows and answers are also updated meanwhile, but not in each of so many rounds. */
const ROUNDS = 10;
const PHONES = 24;

const stack = useStack();
const { shop } = useOrganizations(stack, { shop: {} });
const database = useDatabase(stack);

/** Updates that the engine has executed so far. */
async function updates(): Promise<number> {
  const { opcounters } = await database.client.db('admin').command({ serverStatus: 1 });
  return Number(opcounters.update);
}

/** Waits until nothing more follows from what was sent before. */
async function quiet(): Promise<number> {
  let last = -1;
  const isStill = async () => {
    const before = last;
    last = await updates();
    return before === last;
  };
  await waitUntil('the engine is quiet', isStill);
  return last;
}

/** Without a key, which costs an update of its own. */
async function send(phone: string, text: string): Promise<Sent> {
  const body = { channelId: shop.main, phone, text };
  const answer = await stack.request('POST', '/api/v1/messages', { key: shop.key, body });
  assert.equal(answer.status, 201, answer.text);
  return v.parse(SendMessageAnswer, answer.json).data;
}

async function untilSent(phone: string, count: number): Promise<void> {
  const sent = async () => (await stack.network.sent(phone)).length >= count;
  await waitUntil(`${count} messages at the network`, sent);
}

/** Updates that were executed from a send until the network had it. */
async function updatesBefore(phone: string, count: number): Promise<number> {
  // The network has it at once, and what it answers is recorded later.
  await stack.network.fault({ phoneNumberId: shop.phoneNumberId, delayMs: 400, times: 1 });
  const from = await quiet();
  const sent = await send(phone, `número ${count}`);
  await untilSent(phone, count);
  const before = (await updates()) - from;
  await stack.messageIn(shop.key, sent, 'read');
  return before;
}

test('a message goes to the network without an update before', async () => {
  const phones = Array.from({ length: KNOWN }, freshPhone);
  const known = await Promise.all(phones.map((phone) => send(phone, 'conhecida')));
  await Promise.all(known.map((sent) => stack.messageIn(shop.key, sent, 'read')));
  const before: number[] = [];
  for (let round = 0; round < ROUNDS && !before.includes(0); round++) {
    for (const phone of phones) before.push(await updatesBefore(phone, round + 2));
  }
  assert.ok(before.includes(0), before.join(', '));
});

test('an owner is killed while messages are recorded: each goes once, in order', async () => {
  const phones = Array.from({ length: PHONES }, freshPhone);
  await Promise.all(phones.map((phone) => send(phone, 'conhecida')));
  await Promise.all(phones.map((phone) => untilSent(phone, 1)));
  const sendAmidKill = (phone: string, text: string) =>
    stack.send(shop.key, { channelId: shop.main, phone, text });
  const sends = phones.map((phone) => sendAmidKill(phone, 'um'));
  await Promise.any(sends);
  process.kill(stack.pid('actors'), 'SIGKILL');
  await Promise.all(sends);
  await Promise.all(phones.map((phone) => sendAmidKill(phone, 'dois')));
  for (const phone of phones) {
    await untilSent(phone, 3);
    const texts = (await stack.network.sent(phone)).map(({ text }) => text);
    assert.deepEqual(texts, ['conhecida', 'um', 'dois']);
  }
});
