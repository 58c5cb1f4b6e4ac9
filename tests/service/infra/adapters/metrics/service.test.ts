/** Operators' view of a running service, on the real stack. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { before, test } from 'node:test';
import { connect, RequestStrategy } from 'nats';
import * as v from 'valibot';
import { loggedLines } from '../../../../../infra/adapters/log/logged-lines.ts';
import { natsAccess } from '../../../../../infra/adapters/nats/access.ts';
import { PARTITIONS } from '../../../../../shared/limits.ts';
import { LOG_EVENT, type LogEvent } from '../../../../../shared/log-events.ts';
import { assertStatus } from '../../../../support/api/answers.ts';
import { freshPhone } from '../../../../support/api.ts';
import { fetchPage, samplesOf, sumOf } from '../../../../support/infra/programs/cli/pages.ts';
import { pluck } from '../../../../support/pluck.ts';
import { startStack } from '../../../../support/stack.ts';
import { useOrganizations, useStack, useSubscriber } from '../../../../support/stack-hooks.ts';
import { waitUntil } from '../../../../support/wait-for.ts';

/** Kinds that a message needs; more may be in service. */
const KINDS = ['channel', 'contact', 'conversation', 'organization', 'subscription'];
const REQUEST_ID = 'operations-test.request-1';

const stack = useStack(() =>
  startStack({ settings: { LOG_LEVEL: 'debug', FORMATION: 'gateway=2,actors=2' } }),
);
const subscriber = useSubscriber();
const { loja } = useOrganizations(stack, () => {
  const subscription = { ref: 'crm', url: subscriber.url, events: ['*'], secret: 'x'.repeat(32) };
  return { loja: { subscriptions: [subscription] } };
});
before(async () => {
  const body = { phone: freshPhone(), text: 'Olá', channelId: loja.main };
  const headers = { 'x-request-id': REQUEST_ID };
  const answer = await stack.request('POST', '/api/v1/messages', { key: loja.key, body, headers });
  assertStatus(answer, 201);
});

test('METRICS_PORT /metrics tells of every process of the service (interfaces: Health)', async () => {
  const { metricsUrl } = stack.runFile();
  const samples = await waitUntil('a send and an attempt are counted', async () => {
    const read = samplesOf(await fetchPage(metricsUrl));
    const delivered = sumOf(read, 'recado_delivery_attempt_duration_seconds_count');
    return delivered > 0 && sumOf(read, 'recado_send_duration_seconds_count') > 0 ? read : null;
  });
  const processes = new Set(samples.map(({ labels }) => labels.process).filter(Boolean));
  assert.deepEqual([...processes].sort(), ['actors-0', 'actors-1', 'gateway-0', 'gateway-1']);
  const sent = { operation: 'sendMessage', status: '201' };
  assert.equal(sumOf(samples, 'recado_request_duration_seconds_count', sent), 1);
  assert.equal(sumOf(samples, 'recado_send_duration_seconds_count', { provider: 'cloud' }), 1);
  for (const name of ['ask', 'turn', 'commit']) {
    assert.ok(sumOf(samples, `recado_${name}_duration_seconds_count`) > 0, name);
  }
  for (const kind of KINDS) {
    assert.equal(sumOf(samples, 'recado_partitions', { kind }), PARTITIONS, kind);
  }
  assert.ok(sumOf(samples, 'recado_mailboxes') > 0);
  assert.equal(sumOf(samples, 'recado_process_up', { role: 'actors' }), 2);
  const lostLeases = sumOf(samples, 'recado_leases_lost_total');
  assert.ok(Number.isInteger(lostLeases));
  assert.ok(sumOf(samples, 'recado_agenda_oldest_seconds', { agenda: 'sends' }) < 60);
  assert.ok(sumOf(samples, 'process_resident_memory_bytes', { role: 'gateway' }) > 0);
});

test('each metric is told once, and no series twice', async () => {
  const { metricsUrl } = stack.runFile();
  const page = await fetchPage(`${metricsUrl}/metrics`);
  const types = page.split('\n').filter((line) => line.startsWith('# TYPE '));
  assert.equal(new Set(types).size, types.length);
  const series = samplesOf(page).map(({ name, labels }) => JSON.stringify([name, labels]));
  assert.equal(new Set(series).size, series.length);
  assert.equal((await fetch(metricsUrl.replace('/metrics', '/else'))).status, 404);
});

test('the dashboard asks only for metrics that there are', async () => {
  const page = await fetchPage(stack.runFile().metricsUrl);
  const there = new Set([...page.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name));
  const dashboard = readFileSync(
    resolve(import.meta.dirname, '../../../../../docs/dashboard.json'),
    'utf8',
  );
  const asked = [...dashboard.matchAll(/\b(?:recado|process|nodejs)_[a-z0-9_]+/g)].map(([name]) =>
    there.has(name) ? name : name.replace(/_(bucket|sum|count)$/, ''),
  );
  assert.ok(asked.length > 20);
  assert.deepEqual(
    asked.filter((name) => !there.has(name)),
    [],
  );
});

const ActorsSchema = v.strictObject({
  processes: v.array(
    v.object({
      id: v.string(),
      kinds: v.array(v.string()),
      pid: v.number(),
      partitions: v.record(
        v.string(),
        v.array(v.object({ from: v.number(), to: v.number(), epoch: v.number() })),
      ),
      mailboxes: v.number(),
      depth: v.number(),
      turnsPerSecond: v.number(),
    }),
  ),
});

test('recado actors tells who holds what: every partition once (interfaces: commands)', async () => {
  const { processes } = v.parse(ActorsSchema, await stack.ask('actors'));
  assert.deepEqual(
    pluck(processes, 'pid').toSorted(),
    [...(stack.runFile().pids.actors ?? [])].sort(),
  );
  for (const kind of KINDS) {
    const held = processes.flatMap(({ partitions }) => partitions[kind] ?? []);
    const ranges = held.toSorted((a, b) => a.from - b.from);
    assert.deepEqual(
      ranges.map(({ from }) => from),
      [0, ...ranges.slice(0, -1).map(({ to }) => to + 1)],
      kind,
    );
    assert.equal(ranges.at(-1)?.to, PARTITIONS - 1, kind);
    assert.ok(held.every(({ epoch }) => epoch >= 1));
  }
  assert.ok(processes.some(({ mailboxes }) => mailboxes > 0));
  const table = await stack.recado(['actors']);
  assert.match(table.stdout, /^id +pid +partitions +mailboxes +depth +turnsPerSecond\n/);
});

test("NATS's service discovery finds gateways and actors (ADR-32)", async () => {
  const connection = await connect(natsAccess(stack.runFile().natsUrl));
  try {
    const client = connection.services.client({
      strategy: RequestStrategy.JitterTimer,
      maxWait: 2_000,
    });
    const found: string[] = [];
    for await (const { name, version } of await client.ping()) found.push(`${name} ${version}`);
    assert.deepEqual(found.map((each) => each.replace(/ .*/, '')).sort(), [
      'recado-actors',
      'recado-actors',
      'recado-gateway',
      'recado-gateway',
    ]);
    for await (const stats of await client.stats('recado-actors')) {
      const [endpoint] = stats.endpoints ?? [];
      assert.equal(endpoint?.name, 'metrics');
      assert.ok(Object.hasOwn(Object(endpoint?.data), 'turnsPerSecond'));
    }
    for await (const { endpoints, metadata } of await client.info('recado-gateway')) {
      assert.ok(metadata?.processId);
      const page = await connection.request(endpoints[0]?.subject ?? '');
      assert.ok(samplesOf(page.string()).some(({ name }) => name === 'recado_process_info'));
    }
  } finally {
    await connection.close();
  }
});

const logged = (event: LogEvent, role: string) => loggedLines(stack.dataDir, event, role);

test("a request's id is in the gateway's line and in its turn's (house: Logs)", async () => {
  const request = await waitUntil('the line of the request is written', () =>
    logged(LOG_EVENT.request, 'gateway').find(({ requestId }) => requestId === REQUEST_ID),
  );
  assert.equal(request.operationId, 'sendMessage');
  assert.equal(request.status, 201);
  assert.equal(typeof request.ms, 'number');
  const turn = await waitUntil('the line of the turn is written', () =>
    logged(LOG_EVENT.turn, 'actors').find(
      ({ kind, requestId }) => kind === 'conversation' && requestId === REQUEST_ID,
    ),
  );
  assert.equal(turn.status, 201);
  for (const event of [LOG_EVENT.send, LOG_EVENT.attempt]) {
    await waitUntil(`the line of the ${event}`, () => logged(event, 'actors')[0]);
  }
});

test('the age of the oldest message that waits for its network is told', async () => {
  await stack.network.fault({ phoneNumberId: loja.phoneNumberId, status: 429, times: 10_000 });
  await stack.send(loja.key, { phone: freshPhone(), text: 'Olá', channelId: loja.main });
  await waitUntil('the waiting message is told', async () => {
    const samples = samplesOf(await fetchPage(stack.runFile().metricsUrl));
    const later = { provider: 'cloud', outcome: 'later' };
    return (
      sumOf(samples, 'recado_agenda_oldest_seconds', { agenda: 'sends' }) > 0 &&
      sumOf(samples, 'recado_send_duration_seconds_count', later) > 0
    );
  });
  await stack.network.forget();
});

test('a role that stands still is left out of the page, which comes all the same', async () => {
  const [pid] = stack.runFile().pids.gateway ?? [];
  assert.ok(pid !== undefined);
  process.kill(pid, 'SIGSTOP');
  try {
    const samples = samplesOf(await fetchPage(stack.runFile().metricsUrl));
    const processes = new Set(samples.map(({ labels }) => labels.process).filter(Boolean));
    assert.deepEqual([...processes].sort(), ['actors-0', 'actors-1', 'gateway-1']);
  } finally {
    process.kill(pid, 'SIGCONT');
  }
});
