/**
 * `recado channels check` on the real stack: every step of a channel that works. For each step that
 * can be broken from outside, the report names that step (docs/networks.md).
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MongoClient } from 'mongodb';
import * as v from 'valibot';
import { CHECK_STEPS } from '../../../../../../shared/channel-check.ts';
import { freshPhone } from '../../../../../support/api.ts';
import { organizationFile } from '../../../../../support/organization.ts';
import { pluckRows } from '../../../../../support/pluck.ts';
import { useOrganizations, useStack } from '../../../../../support/stack-hooks.ts';

const CheckedSchema = v.strictObject({
  ok: v.boolean(),
  channel: v.strictObject({
    id: v.string(),
    ref: v.string(),
    provider: v.string(),
    org: v.string(),
  }),
  steps: v.array(
    v.strictObject({
      step: v.picklist(CHECK_STEPS),
      ok: v.nullable(v.boolean()),
      detail: v.string(),
      remedy: v.nullable(v.string()),
    }),
  ),
});

const stack = useStack();
const { loja, other } = useOrganizations(stack, () => {
  const { channels } = organizationFile(`${stack.prefix}loja`);
  const [given, shop] = channels;
  const main = { ...given, network: { ...given?.network, businessAccountId: '2001' } };
  const silent = { ...main?.network, baseUrl: 'http://127.0.0.1:9', phoneNumberId: 'silent' };
  const off = { ...shop?.network, session: 'off' };
  const more = [
    { ...main, ref: 'silent', label: 'Mudo', network: silent },
    { ...shop, ref: 'off', label: 'Fora', enabled: false, network: off },
  ];
  return { loja: { more: { channels: [main, shop, ...more] } }, other: {} };
});

async function check(...args: readonly string[]) {
  const ran = await stack.recado(['--json', 'channels', 'check', ...args]);
  const checked = v.parse(CheckedSchema, JSON.parse(ran.stdout));
  const failed = checked.steps.filter(({ ok }) => ok === false);
  assert.equal(ran.code, failed.length === 0 ? 0 : 1, ran.stderr);
  assert.equal(checked.ok, failed.length === 0);
  assert.ok(failed.every(({ remedy }) => remedy !== null && remedy !== ''));
  for (const secret of [loja.appSecret, loja.verifyToken, `secret-${loja.ref}`]) {
    assert.ok(!ran.stdout.includes(secret), 'no secret is shown');
  }
  return { ...checked, failed: failed.map(({ step }) => step) };
}

test('a channel of either network that works: every step, a message and its receipts', async () => {
  for (const [ref, id] of [
    ['main', loja.main],
    ['shop', loja.shop],
  ] as const) {
    const phone = freshPhone();
    const { steps, channel } = await check(ref, '--org', loja.ref, '--to', `+${phone}`);
    assert.deepEqual(
      pluckRows(steps, 'step', 'ok'),
      CHECK_STEPS.filter((step) => ref === 'main' || step !== 'templates').map((step) => [
        step,
        true,
      ]),
      JSON.stringify(steps),
    );
    assert.deepEqual([channel.id, channel.org], [id, loja.ref]);
    assert.equal((await stack.network.sent(phone)).length, 1);
  }
});

test('for people: a line per step, the remedy below it, and the end', async () => {
  const ran = await stack.recado(['channels', 'check', 'silent']);
  assert.equal(ran.code, 1, ran.stderr);
  const lines = ran.stdout.split('\n');
  assert.equal(lines[0], 'settings   ok      all four are set');
  assert.match(lines[1] ?? '', /^address {4}NOT OK {2}http:\/\/127\.0\.0\.1:9 did not answer: \S+/);
  assert.match(lines[2] ?? '', /^ {19}Let this machine reach it/);
  assert.equal(lines[3], 'token      -       not looked at: see address');
  assert.equal(lines.at(-2), 'Fails: address.');
});

test('the failing step is named: disabled, token, session, receipts', async () => {
  assert.deepEqual((await check('off')).failed, ['settings']);

  const { phoneNumberId, session } = loja;
  await stack.network.fault({ phoneNumberId, status: 401, times: 100 });
  const refused = await check('main', '--org', loja.ref, '--to', freshPhone());
  assert.deepEqual(refused.failed, ['token']);
  const skipped = refused.steps.filter(({ ok }) => ok === null).map(({ step }) => step);
  assert.deepEqual(skipped, ['number', 'signature', 'events', 'templates', 'message', 'receipts']);

  await stack.network.control('POST /session', { session, status: 'SCAN_QR_CODE' });
  assert.deepEqual((await check('shop', '--org', loja.ref)).failed, ['number']);

  const scanned = { session, status: 'WORKING', scannedBy: '5511900000000', told: false };
  await stack.network.control('POST /session', scanned);
  const wrong = await check('shop', '--org', loja.ref);
  assert.deepEqual(wrong.failed, ['number']);
  const { detail } = wrong.steps.find(({ step }) => step === 'number') ?? {};
  assert.match(
    detail ?? '',
    /^the session is connected to \+5511900000000, and the channel's phone/,
  );

  await stack.network.forget();
  await stack.network.fault({ phoneNumberId, dropReceipts: true, times: 1 });
  const to = ['--to', freshPhone(), '--wait', '6s'];
  assert.deepEqual((await check(loja.main, ...to)).failed, ['receipts']);
});

test('a message that the network refuses, or does not take in time, is told as that', async () => {
  const { phoneNumberId } = loja;
  const to = (wait: string) => check(loja.main, '--to', freshPhone(), '--wait', wait);
  await stack.network.fault({ phoneNumberId, code: 131047, times: 1 });
  const refused = await to('20s');
  assert.deepEqual(refused.failed, ['message']);
  const [message, receipts] = refused.steps.slice(-2);
  assert.match(message?.detail ?? '', /^the network refused it \(131047\): Passaram mais de 24/);
  assert.match(message?.remedy ?? '', /^Write to the number from that phone/);
  assert.equal(receipts?.ok, null);

  await stack.network.fault({ phoneNumberId, status: 503, times: 100 });
  const queued = await to('1s');
  assert.deepEqual(queued.failed, ['message']);
  assert.match(queued.steps.at(-2)?.detail ?? '', /^it was not taken by the network within 1 s$/);
  await stack.network.forget();
});

test('what names no channel, no phone or no time is refused with 2', async () => {
  const refusals = [
    [['nowhere'], /there is no channel "nowhere"/],
    [['main'], /several organizations have a channel "main" \(.*loja.*\): add --org/],
    [['silent', '--to', 'x'], /--to: "x" is not a phone number/],
    [['silent', '--wait', 'long'], /--wait: "long" is not a duration/],
  ] as const;
  for (const [args, told] of refusals) {
    const ran = await stack.recado(['channels', 'check', ...args]);
    assert.equal(ran.code, 2, args.join(' '));
    assert.match(ran.stderr, told);
  }
});

test('stored secrets that do not open are the settings’ fault, and nothing is asked', async () => {
  await using client = new MongoClient(stack.runFile().mongodbUrl, { retryWrites: false });
  await client.connect();
  const sealed = { $set: { 'channels.0.secrets.accessToken': 'v2.AAAA' } };
  await client.db('recado').collection('organizations').updateOne({ ref: other.ref }, sealed);
  const { failed, steps } = await check('main', '--org', other.ref, '--to', freshPhone());
  assert.deepEqual(failed, ['settings']);
  assert.match(steps[0]?.detail ?? '', /^the stored secrets cannot be read: /);
  assert.ok(steps.slice(1).every(({ ok }) => ok === null));
});
