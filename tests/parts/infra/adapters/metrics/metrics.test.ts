/** The parts of the metrics, each alone. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TurnRate } from '../../../../../actors/operations/report.ts';
import { mergeExpositions } from '../../../../../infra/adapters/metrics/exposition.ts';
import { meteredRegistry } from '../../../../../infra/adapters/metrics/metered.ts';
import { createMetrics } from '../../../../../infra/adapters/metrics/metrics.ts';
import { freePort } from '../../../../../infra/programs/service/supervisor/ports.ts';
import type { Registry } from '../../../../../shared/ports/registry.ts';
import { fetchPage, samplesOf, sumOf } from '../../../../support/infra/programs/cli/pages.ts';
import { launch } from '../../../../support/launch.ts';
import { ManualClock } from '../../../../support/manual-clock.ts';

const STILL_MS = 1_000;
const nextTurn = (): Promise<void> => new Promise((go) => setTimeout(go, 1));

test('durations are told in seconds, in cumulative buckets, under their labels', async () => {
  const metrics = createMetrics('p1');
  metrics.request('sendMessage', 201, 3);
  metrics.request('sendMessage', 201, 30_000);
  metrics.request('', 404, 0.1);
  const samples = samplesOf(await metrics.text());
  const name = 'recado_request_duration_seconds';
  const sent = { operation: 'sendMessage', status: '201' };
  for (const [part, labels, expected] of [
    ['bucket', { ...sent, le: '0.0025' }, 0],
    ['bucket', { ...sent, le: '0.005' }, 1],
    ['bucket', { ...sent, le: '10' }, 1],
    ['bucket', { ...sent, le: '+Inf' }, 2],
    ['count', sent, 2],
    ['sum', sent, 30.003],
    ['count', { operation: 'none', status: '404' }, 1],
  ] as const) {
    assert.equal(sumOf(samples, `${name}_${part}`, labels), expected);
  }
});

test('a duration has rows from its first observation on', async () => {
  const metrics = createMetrics('p1');
  const counts = async () =>
    samplesOf(await metrics.text())
      .filter(({ name }) => /^recado_.*_count$/.test(name))
      .map(({ name, labels }) => ({ name, labels }));
  assert.deepEqual(await counts(), []);
  metrics.released(3);
  assert.deepEqual(await counts(), [
    { name: 'recado_partition_release_duration_seconds_count', labels: {} },
  ]);
});

test('repeats, failures, take-overs and what is watched are told', async () => {
  const metrics = createMetrics('p1');
  metrics.ask('conversation', 5, 3);
  metrics.ask('', 5, 0);
  metrics.askFailed('channel');
  metrics.hedged();
  metrics.organizationChange(2);
  metrics.released(3);
  metrics.takeOver(7);
  metrics.shed();
  metrics.events(2);
  metrics.events(3);
  metrics.dealsFollowed(50);
  metrics.commit(40, 2);
  metrics.watchEventStreams(() => 3);
  metrics.watch({
    mailboxes: () => ({ count: 4, depth: 2 }),
    partitions: () => new Map([['channel', 64]]),
    agendas: () => Promise.resolve(new Map([['sends', 1_500]])),
    restricted: () => 1,
    slices: () => 11,
    media: () => ({
      budgets: {
        downloads: { held: 7, peak: 9, waiting: 2 },
        arrivals: { held: 0, peak: 0, waiting: 0 },
        uploads: { held: 1, peak: 1, waiting: 0 },
      },
      filesRead: 5,
    }),
  });
  const samples = samplesOf(await metrics.text());
  assert.equal(sumOf(samples, 'recado_ask_repeats_total', { to: 'conversation' }), 3);
  assert.equal(sumOf(samples, 'recado_ask_duration_seconds_count', { to: 'query' }), 1);
  assert.equal(sumOf(samples, 'recado_asks_failed_total', { to: 'channel' }), 1);
  assert.equal(sumOf(samples, 'recado_queries_hedged_total'), 1);
  assert.equal(sumOf(samples, 'recado_partitions_taken_over_total'), 7);
  assert.equal(sumOf(samples, 'recado_requests_shed_total'), 1);
  assert.equal(sumOf(samples, 'recado_events_total'), 5);
  assert.equal(sumOf(samples, 'recado_deals_followed_total'), 50);
  assert.equal(sumOf(samples, 'recado_commit_writes_sum'), 40);
  assert.equal(sumOf(samples, 'recado_mailbox_depth'), 2);
  assert.equal(sumOf(samples, 'recado_event_streams_open'), 3);
  assert.equal(sumOf(samples, 'recado_agenda_oldest_seconds', { agenda: 'sends' }), 1.5);
  const downloads = { way: 'downloads' };
  assert.equal(sumOf(samples, 'recado_media_held_bytes', downloads), 7);
  assert.equal(sumOf(samples, 'recado_media_held_bytes_max', downloads), 9);
  assert.equal(sumOf(samples, 'recado_media_waiting', downloads), 2);
  assert.equal(sumOf(samples, 'recado_media_lent_total'), 5);
});

test('a process that joins again has lost its lease', async () => {
  const metrics = createMetrics('p1');
  const done = () => Promise.resolve();
  const none = () => Promise.resolve([]);
  const registry: Registry = {
    ...{ join: done, startLeaving: done, leave: done, release: done },
    ...{ liveMembers: none, partitions: none, claim: none, renew: () => Promise.resolve(true) },
  };
  const metered = meteredRegistry(registry, { clock: new ManualClock(), metrics });
  await metered.join({ id: 'p1', kinds: [], weight: 1, pid: 1 });
  await metered.join({ id: 'p1.2', kinds: [], weight: 1, pid: 1 });
  assert.equal(sumOf(samplesOf(await metrics.text()), 'recado_leases_lost_total'), 1);
});

test('the loop is told to have stood still as long as it has, and no longer', async () => {
  const metrics = createMetrics('p1');
  const lag = async (what: string): Promise<number> =>
    sumOf(samplesOf(await metrics.text()), `nodejs_eventloop_lag_${what}_seconds`);
  for (let turn = 0; turn < 5; turn++) await nextTurn();
  await lag('max');
  const until = performance.now() + STILL_MS;
  while (performance.now() < until);
  await nextTurn();
  await nextTurn();
  const told = await lag('max');
  assert.ok(told >= STILL_MS / 1_000, 'a pause is told');
  assert.ok((await lag('max')) < told, 'once');
});

test('pages are merged by metric, each sample with the labels of its process', () => {
  const page = mergeExpositions([
    { labels: { process: 'a' }, text: '# HELP x X.\n# TYPE x counter\nx 1\n\n# TYPE y gauge\ny 2' },
    { labels: { process: 'b' }, text: '# HELP x X.\n# TYPE x counter\nx{kind="k,}"} 3\n' },
  ]);
  assert.equal(
    page,
    '# HELP x X.\n# TYPE x counter\nx{process="a"} 1\nx{kind="k,}",process="b"} 3\n' +
      '# TYPE y gauge\ny{process="a"} 2\n',
  );
});

test('the rate of turns is that of the last ten seconds', () => {
  const clock = new ManualClock();
  let turns = 0;
  const rate = new TurnRate(clock, () => turns);
  for (let second = 0; second < 30; second++) {
    turns += second < 15 ? 100 : 7;
    clock.advance(1_000);
  }
  assert.equal(rate.perSecond(), 7);
});

/** Loopback addresses: the second reaches only a server that listens on every address. */
const [OWN, OTHER] = ['127.0.0.1', '127.0.0.2'];

for (const [host, onOther] of [
  [undefined, false],
  // Only Linux has the whole of 127/8 on its loopback.
  ['0.0.0.0', process.platform === 'linux'],
] as const) {
  const where = host === undefined ? 'on the loopback alone' : `at METRICS_HOST ${host}`;
  test(`a role without a supervisor serves METRICS_PORT ${where}`, () => serveBy(host, onOther));
}

/** A gateway that callers reach on every address. */
async function serveBy(metricsHost: string | undefined, onOther: boolean): Promise<void> {
  const port = await freePort(OWN);
  const role = launch(['gateway/main.ts'], {
    ...{ PORT: '0', HOST: '0.0.0.0', METRICS_PORT: String(port) },
    NATS_URL: 'nats://127.0.0.1:9',
    ...(metricsHost === undefined ? {} : { METRICS_HOST: metricsHost }),
  });
  try {
    const at = (address: string) => pageIfThere(`http://${address}:${port}/metrics`);
    const page = await role.until(() => at(OWN), 'the role serves');
    assert.equal(sumOf(samplesOf(page), 'recado_process_info'), 1);
    assert.equal((await at(OTHER)) !== null, onOther);
  } finally {
    await role.stop('SIGKILL');
  }
}

async function pageIfThere(url: string): Promise<string | null> {
  try {
    return await fetchPage(url);
  } catch (error) {
    assert.ok(error instanceof TypeError, String(error));
    return null;
  }
}
