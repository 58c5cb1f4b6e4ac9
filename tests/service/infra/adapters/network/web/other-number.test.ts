/**
 * Another phone scans the QR code of a session: nothing is sent through its number, nothing that
 * it receives is stored, and what was missed is read back when the number is right.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertRefused, freshPhone, type Sent } from '../../../../../support/api.ts';
import type { Organization } from '../../../../../support/organization.ts';
import { pluck } from '../../../../../support/pluck.ts';
import { useOrganizations, useStack } from '../../../../../support/stack-hooks.ts';
import { waitUntil } from '../../../../../support/wait-for.ts';
import { arrived, historyOf } from './reading.ts';

const OTHER = '5511955554444';
const BOTH = /conectada ao número \+5511955554444\b.*número \+551140002000\b/;

const stack = useStack();
const orgs = useOrganizations(stack, { told: {}, silent: {}, killed: {}, moved: {} });

function scan({ session }: Organization, scannedBy: string, told: boolean): Promise<unknown> {
  return stack.network.control('POST /session', { session, status: 'WORKING', scannedBy, told });
}

async function shopOf(org: Organization) {
  const shop = (await stack.channels(org.shopKey)).find(({ id }) => id === org.shop);
  assert.ok(shop);
  return shop;
}

function refused(org: Organization, phone: string) {
  const body = { phone, text: 'não vai' };
  return stack.call('POST', '/api/v1/messages', { key: org.shopKey, body });
}

/** Resolves with the channel's reason. */
function unready(org: Organization): Promise<string> {
  return waitUntil('not ready', async () => (await shopOf(org)).reason);
}

function ready(org: Organization): Promise<unknown> {
  return waitUntil('ready', async () => (await shopOf(org)).ready);
}

async function warmed(org: Organization): Promise<string> {
  const phone = freshPhone();
  await stack.network.inbound({ channelId: org.shop, from: phone, text: 'oi' });
  await waitUntil('it is there', async () => (await stack.contact(org.key, phone)) !== null);
  return phone;
}

test('told by the bridge: 409 with both numbers; what comes is 200 and not stored', async () => {
  const { told } = orgs;
  const phone = await warmed(told);
  await scan(told, OTHER, true);
  assert.match(await unready(told), BOTH);
  assert.match(assertRefused(await refused(told, phone), 409), BOTH);
  await stack.network.inbound({ channelId: told.shop, from: phone, text: 'a outro número' });
  assert.deepEqual(pluck(await historyOf(stack, told, phone), 'text'), ['oi']);
  const doctor = await stack.recado(['--json', 'doctor']);
  assert.match(doctor.stdout, new RegExp(told.shop), 'the doctor counts it');
  assert.deepEqual(await arrived(stack, phone), []);
  await scan(told, '', true);
  await ready(told);
  const sent = await stack.send(told.shopKey, { phone, text: 'de volta' });
  await stack.messageIn(told.shopKey, sent, 'read');
});

test('not told: the first webhook that names the other number stops the channel', async () => {
  const { silent } = orgs;
  const phone = await warmed(silent);
  await scan(silent, OTHER, false);
  await stack.network.inbound({ channelId: silent.shop, from: phone, text: 'a outro número' });
  // The organization hears of it a moment later: until then a send is taken, and waits.
  await refused(silent, phone);
  assert.match(await unready(silent), BOTH);
  assert.match(assertRefused(await refused(silent, phone), 409), BOTH);
  assert.deepEqual(await arrived(stack, phone), [], 'nothing went');
  const texts = pluck(await historyOf(stack, silent, phone), 'text');
  assert.ok(!texts.includes('a outro número'));
});

test('messages that wait are not sent by a new owner either, and go when it is right', async () => {
  const { killed } = orgs;
  const phone = await warmed(killed);
  await stack.network.fault({ session: killed.session, proxy: true, status: 503 });
  const waits: Sent[] = [];
  for (const text of ['1', '2']) {
    waits.push(await stack.send(killed.shopKey, { phone: freshPhone(), text }));
  }
  await stack.network.fault({ session: killed.session, proxy: true });
  await scan(killed, OTHER, true);
  assert.match(await unready(killed), BOTH);
  process.kill(stack.pid('actors'), 'SIGKILL');
  await waitUntil('a new owner', async () => (await refused(killed, phone)).status === 409);
  const taken = async () =>
    (await stack.network.sent()).filter(({ channel }) => channel === killed.shop);
  const before = (await taken()).length;
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  assert.equal((await taken()).length, before, 'nothing goes');
  await scan(killed, '', true);
  for (const each of waits) await stack.messageIn(killed.shopKey, each, 'read');
  assert.equal((await taken()).length, 2);
});

test('the number is given to the channel by apply: what was missed is read back', async () => {
  const { moved } = orgs;
  const phone = await warmed(moved);
  await scan(moved, OTHER, true);
  await unready(moved);
  await stack.network.inbound({ channelId: moved.shop, from: phone, text: 'ao número novo' });
  const channels = [{ ref: 'shop', phone: `+${OTHER}` }];
  await stack.apply({ orgs: [{ ref: moved.ref, channels }] });
  await ready(moved);
  await waitUntil('it is read back', async () => {
    const texts = pluck(await historyOf(stack, moved, phone), 'text');
    return texts.includes('ao número novo');
  });
  const sent = await stack.send(moved.shopKey, { phone, text: 'pelo novo' });
  await stack.messageIn(moved.shopKey, sent, 'read');
});
