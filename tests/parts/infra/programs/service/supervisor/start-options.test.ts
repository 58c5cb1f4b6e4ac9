/** `npm start` with words that it does not know, a port or a folder that it cannot have. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { loadConfig } from '../../../../../../infra/config/config.ts';
import { resolveAddresses } from '../../../../../../infra/programs/service/supervisor/addresses.ts';
import { readOptions } from '../../../../../../infra/programs/service/supervisor/start/options.ts';
import {
  endsWell,
  STAND_INS,
  Workspace,
} from '../../../../../support/infra/programs/service/supervisor/supervised.ts';
import { launch } from '../../../../../support/launch.ts';
import { runs } from '../../../../../support/processes.ts';
import { serveTcp } from '../../../../../support/stand-ins/server.ts';
import { waitFor } from '../../../../../support/wait-for.ts';

const { gateway, idle } = STAND_INS;
const EXTERNAL = { NATS_URL: 'nats://127.0.0.1:1', MONGODB_URL: 'mongodb://127.0.0.1:1' };
/** A user who owns nothing; only root may become another one. */
const STRANGER = 65_534;
const isRoot = process.getuid?.() === 0;
const workspaces: Workspace[] = [];

function workspace(): Workspace {
  const made = new Workspace();
  workspaces.push(made);
  chmodSync(made.folder, 0o755);
  return made;
}

after(async () => {
  for (const { dataDir } of workspaces) {
    for (const folder of [dataDir, join(dataDir, 'logs')])
      if (existsSync(folder)) chmodSync(folder, 0o755);
  }
  await Promise.all(workspaces.map((made) => made.close()));
});

describe('the words of npm start', () => {
  const WRONG = [
    [['--frobnicate'], /^npm start does not know --frobnicate; it takes /],
    [['-x'], /^npm start does not know -x; it takes /],
    [['now'], /^npm start does not know "now"; it takes /],
    [['--no-demo=yes'], /^The option --no-demo of npm start takes no value\.$/],
    [['--procfile'], /^The option --procfile of npm start needs a file\.$/],
  ] as const;

  for (const [words, sentence] of WRONG) {
    test(`${words.join(' ')} is refused with one sentence`, () => {
      assert.throws(() => readOptions(words, {}), { message: sentence });
    });
  }

  test('that npm has kept for itself are told where they belong', () => {
    for (const [words, environment, message] of [
      [[], { npm_config_demo: '' }, /npm start -- --no-/],
      [['F'], { npm_config_procfile: 'true' }, /npm start -- --procfile FILE\.$/],
    ] as const) {
      assert.throws(() => readOptions(words, environment), { message });
    }
  });

  test('are the roles to run and whether there is a demo', () => {
    assert.deepEqual(readOptions([], {}), { procfile: null, demo: true, help: false });
    const given = readOptions(['--procfile=P', '--no-demo'], {});
    assert.deepEqual(given, { procfile: 'P', demo: false, help: false });
    assert.equal(readOptions(['-h'], {}).help, true);
  });

  const started = (words: readonly string[], dataDir: string) =>
    spawnSync(process.execPath, ['infra/programs/service/supervisor/main.ts', ...words], {
      ...{ encoding: 'utf8', env: { DATA_DIR: dataDir } },
    });

  test('end the command with 2, before anything is made', () => {
    const { dataDir } = workspace();
    const { status, stderr } = started(['--frobnicate'], dataDir);
    assert.equal(status, 2);
    assert.match(stderr, /^npm start does not know --frobnicate; .*\.\n$/);
    assert.equal(existsSync(dataDir), false);
  });

  test('may name a Procfile that is not there: one sentence', () => {
    const words = ['--procfile', '/nowhere/Procfile'];
    const { status, stderr } = started(words, workspace().dataDir);
    assert.equal(status, 1);
    assert.match(stderr, /^The Procfile cannot be read: ENOENT.*\n$/);
  });
});

describe('a port that is taken', () => {
  for (const setting of ['PORT', 'NATS_PORT', 'SANDBOX_PORT', 'METRICS_PORT']) {
    test(`is refused with one sentence that names ${setting}`, async () => {
      const { port, close } = await serveTcp();
      const { MONGODB_URL } = EXTERNAL;
      const config = loadConfig({ PORT: '0', MONGODB_URL, [setting]: `${port}` });
      const way = `stop what listens there or set another ${setting}.`;
      const message = `Port ${port} on 127.0.0.1 is already in use; ${way}`;
      await assert.rejects(resolveAddresses(config), { name: 'StartRefused', message });
      await close();
    });
  }
});

test('a gateway by itself ends with what to do about its port', async () => {
  const { port, close } = await serveTcp();
  const env = { ...EXTERNAL, PORT: `${port}`, SECRETS_KEY: Buffer.alloc(32).toString('base64') };
  const gatewayAlone = launch(['gateway/main.ts'], env);
  assert.equal(await gatewayAlone.ended, 1);
  const said = gatewayAlone.output();
  assert.ok(said.includes(`cannot listen on 127.0.0.1:${port}: stop what listens there`), said);
  await close();
});

test('ports of the simulator and the metrics stay, and are others where they are taken', async () => {
  const work = workspace();
  const portsOf = async () => {
    const supervised = work.start({ gateway }, EXTERNAL);
    await work.ready(supervised);
    const { sandboxUrl, metricsUrl } = supervised.runFile();
    await endsWell(supervised);
    return [sandboxUrl, metricsUrl].map((url) => Number(new URL(url).port));
  };
  const first = await portsOf();
  assert.equal(new Set(first).size, 2);
  assert.deepEqual(await portsOf(), first);
  const { close } = await serveTcp(undefined, { port: first[0] ?? 0 });
  const [simulator, metrics] = await portsOf();
  assert.notEqual(simulator, first[0]);
  assert.equal(metrics, first[1]);
  await close();
  assert.deepEqual(await portsOf(), first);
});

describe('a data folder that cannot be written', { concurrency: 3 }, () => {
  const manner = isRoot ? { uid: STRANGER } : {};

  test('is refused with one sentence before anything starts', async () => {
    const work = workspace();
    mkdirSync(work.dataDir, { mode: 0o555 });
    const supervised = work.start({ gateway }, EXTERNAL, manner);
    assert.equal(await supervised.ended, 1);
    assert.match(supervised.output(), /^DATA_DIR .*\/data cannot be used: EACCES.* DATA_DIR\.\n$/);
    assert.deepEqual(readdirSync(work.dataDir), []);
  });

  test('is refused where only a folder of it is another user’s', async () => {
    const work = workspace();
    mkdirSync(join(work.dataDir, 'logs'), { recursive: true });
    chmodSync(join(work.dataDir, 'logs'), 0o555);
    if (isRoot) chownSync(work.dataDir, STRANGER, STRANGER);
    const supervised = work.start({ gateway }, EXTERNAL, manner);
    assert.equal(await supervised.ended, 1);
    assert.match(supervised.output(), /^DATA_DIR .* cannot be used: EACCES.*logs'; make it .*\n$/);
    assert.deepEqual(readdirSync(work.dataDir), ['logs']);
  });

  test('while it runs: the service goes on and says so', async () => {
    const work = workspace();
    mkdirSync(work.dataDir);
    if (isRoot) chownSync(work.dataDir, STRANGER, STRANGER);
    const supervised = work.start({ actors: idle, gateway }, EXTERNAL, manner);
    await work.ready(supervised);
    const { baseUrl, pids } = supervised.runFile();
    const [actors] = pids.actors ?? [];
    assert.ok(actors !== undefined);
    for (const folder of [work.dataDir, join(work.dataDir, 'logs')]) {
      chmodSync(folder, 0o555);
      if (isRoot) chownSync(folder, 0, 0);
    }
    process.kill(actors, 'SIGKILL');
    const told = () => supervised.output();
    await waitFor(() => told().includes('run.json cannot be written: EACCES'), { what: told });
    assert.equal((await fetch(baseUrl)).status, 200);
    assert.ok(runs(supervised.process.pid ?? 0), 'the supervisor runs');
    supervised.process.kill('SIGTERM');
    assert.equal(await supervised.ended, 0, told());
  });
});
