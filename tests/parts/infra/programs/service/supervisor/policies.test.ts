import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  childEnvironment,
  environmentOf,
} from '../../../../../../infra/programs/service/supervisor/children/environment.ts';
import { parseProcfile } from '../../../../../../infra/programs/service/supervisor/children/procfile.ts';
import {
  deathsInARow,
  restartDelayMs,
} from '../../../../../../infra/programs/service/supervisor/children/restart-policy.ts';
import {
  identifyProcess,
  isRunning,
} from '../../../../../../infra/programs/service/supervisor/data-folder/process-identity.ts';
import { formatMetrics } from '../../../../../../infra/programs/service/supervisor/metrics.ts';

test('the first restart comes within 200 ms, later ones within 3 s (interfaces: Settings)', () => {
  const waits = [1, 2, 3, 4, 5, 6, 7, 8, 50].map(restartDelayMs);
  assert.ok((waits[0] ?? Number.NaN) <= 200);
  assert.ok(waits.every((wait, at) => wait >= (waits[at - 1] ?? 0)));
  assert.equal(waits.at(-1), 3_000);
});

test('ten seconds of life clear the record of deaths (interfaces: Settings)', () => {
  assert.equal(deathsInARow(5, 9_999), 6);
  assert.equal(deathsInARow(5, 10_000), 1);
});

test('a Procfile names a role and a Node.js command per line', () => {
  const nats = 'nats: node infra/programs/service/nats-server/main.ts';
  const text = `# roles\n${nats}\n\nweb-2: node  a.ts --flag\n`;
  assert.deepEqual(parseProcfile(text), [
    { role: 'nats', args: ['infra/programs/service/nats-server/main.ts'] },
    { role: 'web-2', args: ['a.ts', '--flag'] },
  ]);
  assert.throws(() => parseProcfile('nats: nats-server -p 1'), /nats: nats-server -p 1/);
});

test('a process is known by its start time, not by its pid alone', () => {
  const own = identifyProcess(process.pid);
  assert.ok(own);
  assert.equal(isRunning(own), true);
  assert.equal(isRunning({ ...own, startedAt: 'another time' }), false);
  assert.equal(identifyProcess(4_194_300), null);
});

test('subscribers on the loopback are accepted under npm start unless the operator says no', () => {
  const resolved = {
    ...{ panelPort: 0, port: 1, natsPort: 2, sandboxPort: 3, metricsPort: 4 },
    ...{ natsUrl: 'nats://x', mongodbUrl: 'mongodb://x', sandboxUrl: 'http://x' },
    ...{ dataDir: '/x', secretsKeyFile: '/x/secrets.key' },
  };
  assert.equal(childEnvironment({}, resolved).EVENTS_TO_LOOPBACK, 'true');
  const refused = childEnvironment({ EVENTS_TO_LOOPBACK: 'false' }, resolved);
  assert.equal(refused.EVENTS_TO_LOOPBACK, 'false');
});

test('a role gets the secrets that it works with, and no other', () => {
  const secrets = {
    ...{ NATS_URL: 'n', MONGODB_URL: 'm', SMTP_URL: 's', SECRETS_KEY: 'k', SECRETS_KEY_LOST: 'l' },
    ...{ RECADO_SANDBOX_URL: 'b', RECADO_SECRETS_KEY_FILE: 'f' },
  };
  const given = (role: string) => Object.keys(environmentOf(role, { PORT: '1', ...secrets }));
  assert.deepEqual(given('gateway'), ['PORT', 'NATS_URL']);
  assert.deepEqual(given('panel'), ['PORT', 'NATS_URL', 'SMTP_URL']);
  assert.deepEqual(given('nats'), ['PORT', 'NATS_URL']);
  assert.deepEqual(given('mongo'), ['PORT']);
  assert.deepEqual(given('sandbox'), ['PORT', 'NATS_URL', 'RECADO_SANDBOX_URL']);
  assert.deepEqual(given('actors'), ['PORT', ...Object.keys(secrets)]);
});

test('metrics follow the Prometheus text format', () => {
  const text = formatMetrics([{ role: 'nats', index: 0, up: true, restarts: 2 }]);
  assert.match(text, /^recado_process_up\{role="nats",index="0"\} 1$/m);
  assert.match(text, /^recado_process_restarts_total\{role="nats",index="0"\} 2$/m);
  assert.ok(text.endsWith('\n'));
});
