/**
 * After a busy run with failures at every end, no key and no secret is in the database, the files,
 * the answers or the metrics. None is in the output of the command line.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { freshPhone } from '../../support/api.ts';
import { named } from '../../support/applied.ts';
import { fetchPage } from '../../support/infra/programs/cli/pages.ts';
import { organizationFile, secretsOf } from '../../support/organization.ts';
import { startStack } from '../../support/stack.ts';
import { useOrganizations, useStack, useSubscriber } from '../../support/stack-hooks.ts';
import { waitUntil } from '../../support/wait-for.ts';
import { filesOf, found, storedBy, type Trace } from './traces.ts';

const GIVEN_SECRET = 'given-signing-secret-0123456789-0123456789';
const BAD_KEY = 'bad-key-that-nobody-has-0123456789';

const shown: Trace[] = [];
const secrets: Record<string, string> = {};

const stack = useStack(() => startStack({ settings: { LOG_LEVEL: 'debug' } }));
const subscriber = useSubscriber();
const { a } = useOrganizations(stack, () => {
  const subscriptions = [
    { ref: 'made', url: `${subscriber.url}/made`, events: ['*'] },
    { ref: 'given', url: `${subscriber.url}/given`, events: ['*'], secret: GIVEN_SECRET },
  ];
  return { a: { subscriptions } };
});
before(() => {
  const { phoneNumberId: _, ...cloud } = secretsOf('a');
  Object.assign(secrets, cloud, {
    accountKey: a.key,
    mainKey: a.mainKey,
    shopKey: a.shopKey,
    bridgeKey: 'api-key-secret-a',
    bridgeSecret: 'webhook-secret-a',
    givenSecret: GIVEN_SECRET,
    madeSecret: named(a.applied.subscriptions, 'made').secret ?? assert.fail('a new secret'),
    badKey: BAD_KEY,
    natsToken: new URL(stack.runFile().natsUrl).username,
    simulatorToken: new URL(stack.sandboxUrl).pathname.slice(1),
    vaultKey: readFileSync(join(stack.dataDir, 'secrets.key'), 'utf8').trim(),
  });
});

/** A GET, or with a body a POST. */
async function call(path: string, key: string, body?: unknown): Promise<void> {
  const method = body === undefined ? 'GET' : 'POST';
  const given = { key, ...(body === undefined ? {} : { body }) };
  const { text, headers } = await stack.request(method, path, given);
  shown.push({ where: `${method} ${path}`, text: `${text} ${JSON.stringify([...headers])}` });
}

async function command(...args: readonly string[]): Promise<void> {
  const { stdout, stderr } = await stack.spawnRecado(['--json', ...args]);
  shown.push({ where: `recado ${args.join(' ')}`, text: stdout + stderr });
}

/** Calls that are accepted and refused in every way. */
async function callers(): Promise<void> {
  for (const key of [a.key, a.mainKey, a.shopKey, BAD_KEY]) {
    for (const path of ['me', 'channels', 'contacts', 'conversations', 'flows', 'deals', 'tasks']) {
      await call(`/api/v1/${path}`, key);
    }
    await call('/api/v1/contacts?page=0&page=1', key);
    await call('/api/v1/messages', key, '{');
    await call('/api/v1/messages', key, { channelId: a.main, text: 7 });
    await call(`/api/webhooks/channel/${a.main}`, key, { phone: freshPhone() });
    await call(`/api/webhooks/channel/${a.main}`, key);
  }
}

/** A network that refuses, and one that is not who it says. */
async function networks(): Promise<void> {
  const { phoneNumberId, verifyToken } = a;
  await stack.network.fault({ phoneNumberId, code: 131047, times: 1 });
  const sent = await stack.send(a.mainKey, { phone: freshPhone(), text: 'oi' });
  await stack.messageIn(a.key, sent, 'failed');
  const asked = new URLSearchParams({
    'hub.mode': 'subscribe',
    'hub.verify_token': verifyToken,
    'hub.challenge': '1',
  });
  await call(`/networks/cloud/${a.main}?${asked}`, a.key);
  await call(`/networks/cloud/${a.main}`, a.key, { object: 'x' });
  await call(`/networks/web/${a.shop}`, a.key, { event: 'x' });
}

/** Deliveries that fail, and one that does not. */
async function deliveries(): Promise<void> {
  subscriber.answer('/made', () => 500);
  const sent = await stack.send(a.shopKey, { phone: freshPhone(), text: 'oi' });
  await stack.messageIn(a.key, sent, 'read');
  await subscriber.until('/made', 1);
  await subscriber.until('/given', 1);
}

/** The operator's commands; a refused apply names the problem, not the given value. */
async function operator(): Promise<void> {
  const [channel, ...others] = organizationFile('refused').channels;
  const broken = { ...organizationFile('refused'), channels: [{ ...channel, phone: 'x' }, others] };
  const ran = await stack.spawnRecado(['apply', '-'], JSON.stringify({ orgs: [broken] }));
  assert.equal(ran.code, 2);
  shown.push({ where: 'recado apply', text: ran.stdout + ran.stderr });
  Object.assign(secrets, { refusedToken: 'access-token-secret-refused' });
  for (const list of ['keys', 'subscriptions', 'deliveries'])
    await command(list, 'list', '--org', 'a');
  await command('doctor');
  await command('actors');
}

test('no key and no secret is anywhere it can be read', async (context) => {
  await Promise.all([callers(), networks(), deliveries()]);
  await operator();
  const logged = await waitUntil('the refusals are in the log', () => {
    const files = filesOf(stack);
    return files.some(({ text }) => text.includes('"status":401')) ? files : null;
  });
  const metrics = { where: 'metrics', text: await fetchPage(stack.runFile().metricsUrl) };
  const stored = await storedBy(stack);
  const traces = [...shown, ...logged, metrics, ...stored];
  const { length } = Object.keys(secrets);
  context.diagnostic(`${length} secrets in ${traces.length} texts, ${stored.length} stored`);
  assert.ok(stored.length > 20 && logged.length > 3, 'there was something to look at');
  assert.ok(
    stored.some(({ text }) => text.includes(a.key.slice(0, 12))),
    'a prefix is stored, so the search reads what is stored',
  );
  assert.deepEqual(found(traces, secrets), []);
});

test('the search sees a secret, also in base64 and hex', () => {
  for (const text of [BAD_KEY, btoa(BAD_KEY), Buffer.from(BAD_KEY).toString('hex')]) {
    assert.deepEqual(found([{ where: 'log', text: `x${text}y` }], { BAD_KEY }), ['log: BAD_KEY']);
  }
});
