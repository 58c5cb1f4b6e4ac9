import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  ConfigError,
  describeConfig,
  loadConfig,
  loadFrontConfig,
  loadRoleConfig,
} from '../../../../../../infra/config/config.ts';
import { SettingsSchema } from '../../../../../../infra/config/settings.ts';

function problemsOf(load: () => unknown): readonly string[] {
  try {
    load();
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.problems;
  }
  return [];
}

test('every setting has a default or may be left out (interfaces: Settings)', () => {
  const config = loadConfig({ PORT: '', NATS_URL: ' ' });
  assert.partialDeepStrictEqual(config, {
    ...{ port: 8080, publicUrl: 'http://127.0.0.1:8080', panelUrl: 'http://127.0.0.1:8081' },
    ...{ eventHeaderPrefix: 'X-Service', eventsToLoopback: false },
    formation: { gateway: 1, actors: 1, panel: 1 },
  });
  assert.deepEqual([config.natsUrl, config.actorKinds.length], [undefined, 8]);
});

test('a wrong value is refused with the name of its setting and what it takes', () => {
  const wrong: Readonly<Record<string, string>> = {
    PORT: '70000',
    MONGODB_URL: 'http://localhost',
    NATS_URL: 'localhost:4222',
    NATS_PREFIX: 'a.b',
    PUBLIC_URL: 'localhost',
    PANEL_PORT: '70000',
    PANEL_PUBLIC_URL: 'https://panel.example.com/under',
    PANEL_TRUSTED_PROXIES: '10.0.0.0/40',
    SMTP_URL: 'mail.example.com',
    MAIL_FROM: 'nobody',
    SECRETS_KEY: 'c2hvcnQ=',
    SECRETS_KEY_LOST: 'all',
    EVENT_HEADER_PREFIX: 'X Service',
    EVENT_RETRY_SCHEDULE: '10s',
    PRIVATE_NETWORK_ALLOW: 'localhost',
    EVENTS_TO_LOOPBACK: 'maybe',
    STREAM_WAITING_MAX: '0',
    RATE_LIMIT_KEY: '0',
    RATE_LIMIT_ORG: '-1',
    LOG_LEVEL: 'loud',
    FORMATION: 'gateway=one',
    SANDBOX_PORT: '0',
    NATS_PORT: 'x',
    METRICS_PORT: '1.5',
    ACTORS: 'conversation,tasks',
    ACTORS_WEIGHT: '101',
    RECADO_SANDBOX_URL: 'x',
    RECADO_PROCESS_ID: 'a b',
  };
  for (const [name, value] of Object.entries(wrong)) {
    const problems = problemsOf(() => loadConfig({ [name]: value }));
    assert.equal(problems.length, 1, name);
    assert.match(problems[0] ?? '', new RegExp(`^${name} takes .+, not .+\\.$`));
  }
  assert.equal(problemsOf(() => loadConfig(wrong)).length, Object.keys(wrong).length);
  const untested = Object.keys(SettingsSchema.entries).filter((name) => !(name in wrong));
  assert.deepEqual(untested, [
    'HOST',
    'DATA_DIR',
    'NATS_CA_FILE',
    'NATS_CREDS_FILE',
    'METRICS_HOST',
    'RECADO_SECRETS_KEY_FILE',
  ]);
});

test('secrets appear neither in an error nor in the logged settings', () => {
  const secret = 'mongodb://user:hunter2@db/';
  const [problem = ''] = problemsOf(() => loadConfig({ SMTP_URL: 'hunter2' }));
  assert.doesNotMatch(problem, /hunter2/);
  const shown = JSON.stringify(describeConfig(loadConfig({ MONGODB_URL: secret })));
  assert.doesNotMatch(shown, /hunter2/);
});

test('the retry schedule becomes six waits in milliseconds (interfaces: Settings)', () => {
  const waits = (text: string) => loadConfig({ EVENT_RETRY_SCHEDULE: text }).eventRetrySchedule;
  const usual = [10_000, 60_000, 300_000, 1_800_000, 7_200_000, 28_800_000];
  assert.deepEqual(loadConfig({}).eventRetrySchedule, usual);
  assert.deepEqual(waits('50ms, 50ms, 1s,1s,2m,3h'), [50, 50, 1000, 1000, 120_000, 10_800_000]);
  for (const text of ['1s,2s,3s,4s,5s', '1s,2s,3s,4s,5s,1s', '1,2,3,4,5,6', '1s,2s,3s,4s,5s,6d']) {
    assert.equal(problemsOf(() => waits(text)).length, 1, text);
  }
});

test('allowed private addresses are host and port, also in IPv6', () => {
  const { privateNetworkAllow } = loadConfig({ PRIVATE_NETWORK_ALLOW: 'Files.Lan:80, [::1]:9000' });
  assert.deepEqual(privateNetworkAllow, ['files.lan:80', '[::1]:9000']);
});

test('a role of the formation that is left out runs once', () => {
  const { formation } = loadConfig({ FORMATION: 'gateway=3' });
  assert.deepEqual(formation, { gateway: 3, actors: 1, panel: 1 });
});

test('a role by itself is told everything that it is missing', () => {
  const problems = problemsOf(() => loadRoleConfig({ NATS_URL: 'nats://localhost' }));
  const settings = problems.map((problem) => problem.split(' ')[0]);
  assert.deepEqual(settings, ['MONGODB_URL', 'SECRETS_KEY']);
});

test('a gateway needs NATS alone, and takes nothing that leads to the store', () => {
  assert.deepEqual(
    problemsOf(() => loadFrontConfig({})).map((told) => told.split(' ')[0]),
    ['NATS_URL'],
  );
  const store = {
    MONGODB_URL: 'mongodb://user:hunter2@db/',
    SECRETS_KEY: 'hunter2, and no key',
    SECRETS_KEY_LOST: 'hunter2',
    RECADO_SECRETS_KEY_FILE: '/hunter2',
  };
  const config = loadFrontConfig({ NATS_URL: 'nats://localhost', ...store });
  assert.doesNotMatch(JSON.stringify(config), /hunter2/);
});
