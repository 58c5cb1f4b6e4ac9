/** `listen` on the real stack: order, repeats, outcomes; the command line's options. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import * as v from 'valibot';
import type { ForwardedAttempt } from '../../../../infra/kit/client/listen/api.ts';
import { listen } from '../../../../infra/kit/client/listen/listener.ts';
import { storedSecret } from '../../../../infra/kit/client/listen/secret-file.ts';
import { assertStatus } from '../../../support/api/answers.ts';
import { freshPhone } from '../../../support/api.ts';
import { deliveriesOf, untilListed } from '../../../support/delivery.ts';
import { pluckRows } from '../../../support/pluck.ts';
import { useOrganizations, useStack, useSubscriber } from '../../../support/stack-hooks.ts';
import type { Received } from '../../../support/stand-ins/subscriber.ts';
import { waitUntil } from '../../../support/wait-for.ts';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const ATTEMPTS = 7;
const MadeSchema = v.object({ data: v.object({ id: v.string() }) });

const stack = useStack();
const subscriber = useSubscriber();
const { shop, other } = useOrganizations(stack, { shop: {}, other: {} });

async function post(path: string, body: Readonly<Record<string, unknown>>): Promise<string> {
  const answer = await stack.call('POST', `/api/v1/${path}`, { key: shop.key, body });
  assert.ok(answer.status < 300, answer.text);
  return v.parse(MadeSchema, answer.json).data.id;
}

function idOf({ data }: Received): string {
  return String(Object(data.deal ?? data.task).id);
}

/** Listens until it is disposed; connected when it resolves. */
async function listening(path: string, name: string) {
  const attempts: ForwardedAttempt[] = [];
  const connected = Promise.withResolvers<void>();
  const started = listen({
    ...{ baseUrl: stack.baseUrl, key: shop.key, forwardTo: subscriber.url + path, secret: SECRET },
    ...{ name, retryWaitsMs: new Array(ATTEMPTS - 1).fill(20) },
    onConnected: () => connected.resolve(),
    onAttempt: (attempt) => attempts.push(attempt),
  });
  await connected.promise;
  return { attempts, [Symbol.asyncDispose]: () => started.close() };
}

test('events of one deal wait for each other, and those of others go on', async () => {
  let refusals = 3;
  const contactId = await post('contacts', { phone: freshPhone() });
  await using _ = await listening('/order', 'order');
  let held = '';
  subscriber.answer('/order', (received) => {
    held ||= idOf(received);
    if (idOf(received) !== held || subscriber.at('/order').length < 4) {
      return idOf(received) === held ? 503 : 200;
    }
    refusals -= 1;
    return refusals > 0 ? 503 : 200;
  });
  const slow = await post('deals', { contactId, title: 'Devagar' });
  const fast = await post('deals', { contactId, title: 'Depressa' });
  for (const id of [slow, fast]) {
    for (const status of ['won', 'open', 'won']) await post(`deals/${id}`, { status });
  }
  const told = (id: string) => subscriber.at('/order').filter((each) => idOf(each) === id);
  const names = (id: string) => [...new Set(told(id).map(({ delivery }) => delivery))];
  await waitUntil(
    'every event is forwarded',
    () => names(slow).length === 3 && names(fast).length === 3,
  );
  for (const id of [slow, fast]) {
    const events = told(id).map(({ event }) => event);
    const first = events.lastIndexOf('deal.created');
    assert.deepEqual(events.slice(first), ['deal.created', 'deal.won', 'deal.won'], id);
    assert.ok(events.slice(0, first).every((event) => event === 'deal.created'));
  }
  assert.ok(told(slow).length > told(fast).length, 'one was tried again');
});

test('after 7 attempts an event is recorded failed, and can be sent again', async () => {
  subscriber.answer('/failing', () => 500);
  await using listener = await listening('/failing', 'failing');
  await post('tasks', { title: 'Ligar' });
  await waitUntil('seven attempts', () => listener.attempts.length === ATTEMPTS);
  const [{ id } = { id: '' }] = listener.attempts;
  assert.deepEqual(
    pluckRows(listener.attempts, 'status', 'attempt', 'againInMs'),
    Array.from({ length: ATTEMPTS }, (_, n) => [500, n + 1, n < ATTEMPTS - 1 ? 20 : null]),
  );
  const failed = await untilListed(stack, { ref: shop.ref, id, status: 'failed' });
  assert.equal(failed.attempts.at(-1)?.status, 500);
  subscriber.answer('/failing', () => 200);
  await stack.ask('deliveries', 'retry', id);
  const delivered = await untilListed(stack, { ref: shop.ref, id, status: 'succeeded' });
  assert.equal(delivered.attempts.at(-1)?.status, 200);
  assert.deepEqual(
    new Set(subscriber.at('/failing').map(({ delivery }) => delivery)),
    new Set([id]),
  );
});

test('nothing of another organization is heard', async () => {
  await using _ = await listening('/own', 'own');
  const answer = await stack.call('POST', '/api/v1/tasks', {
    key: other.key,
    body: { title: 'De outra' },
  });
  assertStatus(answer, 201);
  const own = await post('tasks', { title: 'Nossa' });
  const [received] = await subscriber.until('/own', 1);
  assert.ok(received && idOf(received) === own);
  const listed = await deliveriesOf(stack, other.ref);
  assert.deepEqual(listed, []);
});

test('a newer connection of the name ends it with a sentence', async () => {
  const baseUrl = stack.baseUrl;
  const options = { baseUrl, key: shop.key, forwardTo: subscriber.url, secret: SECRET };
  const connected = Promise.withResolvers<void>();
  const older = listen({ ...options, name: 'twice', onConnected: () => connected.resolve() });
  const ended = assert.rejects(older.ended, /Another connection reads the stream "twice"/);
  await connected.promise;
  const newer = listen({ ...options, name: 'twice' });
  await ended;
  await newer.close();
  const refused = listen({ ...options, key: 'wrong' });
  await assert.rejects(refused.ended, /^RecadoError: 401 /);
});

test('recado listen tells every wrong option, and exits 2', async () => {
  const { code, stderr, stdout } = await stack.spawnRecado([
    ...['listen', '--url', 'service', '--key', '', '--forward-to', 'localhost:3000'],
    ...['--name', 'A_b'],
  ]);
  assert.deepEqual([code, stdout], [2, '']);
  const paths = stderr
    .trim()
    .split('\n')
    .map((line) => line.split(':')[0]);
  assert.deepEqual(paths, ['--url', '--key', '--forward-to', '--name']);
});

test('a secret is kept for its service and name, for the user alone', () => {
  const folder = mkdtempSync(join(tmpdir(), 'recado-secrets-'));
  const place = { baseUrl: 'http://127.0.0.1:3000', name: 'default' };
  const made = storedSecret(folder, place);
  assert.match(made, /^whsec_[\w+/]{43}=$/);
  assert.equal(storedSecret(folder, place), made);
  assert.notEqual(storedSecret(folder, { ...place, name: 'other' }), made);
  assert.equal(storedSecret(folder, place, SECRET), SECRET);
  assert.equal(storedSecret(folder, place), SECRET);
  const files = readdirSync(folder);
  assert.equal(files.length, 2);
  for (const file of files) assert.equal(statSync(join(folder, file)).mode & 0o777, 0o600);
  rmSync(folder, { recursive: true, force: true });
});
