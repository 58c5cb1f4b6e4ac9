import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { after, describe, test } from 'node:test';
import {
  STAND_INS,
  Workspace,
} from '../../../../../support/infra/programs/service/supervisor/supervised.ts';
import { killHard } from '../../../../../support/kills.ts';
import { runs } from '../../../../../support/processes.ts';
import { pidOf } from '../../../../../support/run-file.ts';
import { serveTcp } from '../../../../../support/stand-ins/server.ts';
import { waitFor } from '../../../../../support/wait-for.ts';

const { gateway, idle, stubborn } = STAND_INS;
const EXTERNAL = { NATS_URL: 'nats://127.0.0.1:1', MONGODB_URL: 'mongodb://127.0.0.1:1' };
const workspaces: Workspace[] = [];

function workspace(): Workspace {
  const made = new Workspace();
  workspaces.push(made);
  return made;
}

after(async () => {
  await Promise.all(workspaces.map((made) => made.close()));
});

describe('the supervisor (interfaces: Settings)', { concurrency: 4 }, () => {
  test('starts a role again when it dies, run.json follows, and nothing else is touched', async () => {
    const work = workspace();
    const supervised = work.start({ actors: idle, gateway }, EXTERNAL);
    await work.ready(supervised);
    const before = supervised.runFile();
    await killHard(supervised, 'actors');
    assert.deepEqual(supervised.runFile().pids.gateway, before.pids.gateway);
    assert.equal(supervised.runFile().baseUrl, before.baseUrl);
    assert.match(supervised.output(), /actors \(pid \d+\) was ended by SIGKILL/);
  });

  test('runs as many processes of a role as the formation says, and no servers that are given', async () => {
    const work = workspace();
    const { nats, mongo } = STAND_INS;
    const settings = { ...EXTERNAL, FORMATION: 'actors=3' };
    const supervised = work.start({ nats, mongo, actors: idle, gateway }, settings);
    await work.ready(supervised);
    const { pids, natsUrl, node } = supervised.runFile();
    assert.equal(pids.actors?.length, 3);
    assert.deepEqual([pids.nats, pids.mongo, pids.sandbox], [[], [], []]);
    assert.equal(natsUrl, EXTERNAL.NATS_URL);
    assert.equal(node, process.execPath);
  });

  test('ends cleanly on SIGTERM although a role hangs and another one just died', async () => {
    const work = workspace();
    const supervised = work.start({ sandbox: stubborn, actors: idle, gateway }, EXTERNAL);
    await work.ready(supervised);
    const pids = Object.values(supervised.runFile().pids).flat();
    process.kill(pidOf(supervised.runFile(), 'actors'), 'SIGKILL');
    supervised.process.kill('SIGTERM');
    supervised.process.kill('SIGINT');
    assert.equal(await supervised.ended, 0);
    assert.deepEqual(pids.filter(runs), []);
    assert.equal(existsSync(work.runFile), false);
  });

  test('leaves nothing running when it is killed itself, not even a role that hangs', async () => {
    const work = workspace();
    const supervised = work.start({ sandbox: stubborn, actors: idle, gateway }, EXTERNAL);
    await work.ready(supervised);
    const pids = Object.values(supervised.runFile().pids).flat();
    supervised.process.kill('SIGKILL');
    await waitFor(() => !pids.some(runs), { what: () => `${pids.filter(runs)} end` });
  });

  test('takes a data folder over from a killed one at once, ending what that one left', async () => {
    const work = workspace();
    const first = work.start({ sandbox: stubborn, gateway }, EXTERNAL);
    await work.ready(first);
    const pids = Object.values(first.runFile().pids).flat();
    first.process.kill('SIGKILL');
    await first.ended;
    const second = work.start({ sandbox: stubborn, gateway }, EXTERNAL);
    await work.ready(second);
    assert.deepEqual(pids.filter(runs), []);
  });

  test('refuses a data folder that another instance uses, with one sentence', async () => {
    const work = workspace();
    const first = work.start({ gateway }, EXTERNAL);
    await work.ready(first);
    const second = work.start({ gateway }, EXTERNAL);
    assert.equal(await second.ended, 1);
    const sentence = /^Another instance \(pid \d+\) is already using this DATA_DIR.*\n$/;
    assert.match(second.output(), sentence);
    assert.ok(existsSync(work.runFile));
    assert.ok(runs(pidOf(first.runFile(), 'gateway')));
  });

  test('refuses a port that is taken, with one sentence that names the setting', async () => {
    const work = workspace();
    const server = await serveTcp();
    const supervised = work.start({ gateway }, { ...EXTERNAL, PORT: String(server.port) });
    assert.equal(await supervised.ended, 1);
    assert.match(supervised.output(), /^Port \d+ on 127\.0\.0\.1 is already in use.*PORT\.\n$/);
    await server.close();
  });

  test('refuses wrong settings before it starts anything', async () => {
    const work = workspace();
    const supervised = work.start({ gateway }, { LOG_LEVEL: 'loud', FORMATION: 'x' });
    assert.equal(await supervised.ended, 1);
    assert.match(supervised.output(), /^LOG_LEVEL takes .*\nFORMATION takes .*\n$/);
    assert.equal(existsSync(work.dataDir), false);
  });
});
