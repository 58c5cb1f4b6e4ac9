import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { after, describe, test } from 'node:test';
import {
  exists,
  runs,
  STAND_INS,
  type Supervised,
  until,
  Workspace,
} from '../../../../support/infra/programs/supervisor/supervised.ts';

const { gateway, idle, stubborn } = STAND_INS;
const EXTERNAL = { NATS_URL: 'nats://127.0.0.1:1', MONGODB_URL: 'mongodb://127.0.0.1:1' };
const workspaces: Workspace[] = [];

function workspace(): Workspace {
  const made = new Workspace();
  workspaces.push(made);
  return made;
}

function pidOf(supervised: Supervised, role: string): number {
  const [pid] = supervised.run().pids[role] ?? [];
  assert.ok(pid !== undefined, `${role} runs`);
  return pid;
}

after(async () => {
  await Promise.all(workspaces.map((made) => made.close()));
});

describe('the supervisor (interfaces: Settings)', { concurrency: 4 }, () => {
  test('starts a role again when it dies, run.json follows, and nothing else is touched', async () => {
    const work = workspace();
    const supervised = work.start({ actors: idle, gateway }, EXTERNAL);
    await work.ready(supervised);
    const before = supervised.run();
    const killed = pidOf(supervised, 'actors');
    process.kill(killed, 'SIGKILL');
    await until(() => {
      const [pid] = supervised.run().pids.actors ?? [];
      return pid !== undefined && pid !== killed;
    }, supervised.output);
    assert.deepEqual(supervised.run().pids.gateway, before.pids.gateway);
    assert.equal(supervised.run().baseUrl, before.baseUrl);
    assert.match(supervised.output(), /actors \(pid \d+\) was ended by SIGKILL/);
  });

  test('runs as many processes of a role as the formation says, and no servers that are given', async () => {
    const work = workspace();
    const { nats, mongo } = STAND_INS;
    const settings = { ...EXTERNAL, FORMATION: 'actors=3' };
    const supervised = work.start({ nats, mongo, actors: idle, gateway }, settings);
    await work.ready(supervised);
    const { pids, natsUrl, node } = supervised.run();
    assert.equal(pids.actors?.length, 3);
    assert.deepEqual([pids.nats, pids.mongo, pids.sandbox], [[], [], []]);
    assert.equal(natsUrl, EXTERNAL.NATS_URL);
    assert.equal(node, process.execPath);
  });

  test('ends cleanly on SIGTERM although a role hangs and another one just died', async () => {
    const work = workspace();
    const supervised = work.start({ sandbox: stubborn, actors: idle, gateway }, EXTERNAL);
    await work.ready(supervised);
    const pids = Object.values(supervised.run().pids).flat();
    process.kill(pidOf(supervised, 'actors'), 'SIGKILL');
    const askedAt = performance.now();
    supervised.process.kill('SIGTERM');
    supervised.process.kill('SIGINT');
    assert.equal(await supervised.ended, 0);
    assert.ok(performance.now() - askedAt < 10_000);
    assert.deepEqual(pids.filter(runs), []);
    assert.equal(exists(work.runFile), false);
  });

  test('leaves nothing running when it is killed itself, not even a role that hangs', async () => {
    const work = workspace();
    const supervised = work.start({ sandbox: stubborn, actors: idle, gateway }, EXTERNAL);
    await work.ready(supervised);
    const pids = Object.values(supervised.run().pids).flat();
    supervised.process.kill('SIGKILL');
    await until(
      () => pids.every((pid) => !runs(pid)),
      () => `${pids.filter(runs)} still run`,
    );
  });

  test('takes a data folder over from a killed one at once, ending what that one left', async () => {
    const work = workspace();
    const first = work.start({ sandbox: stubborn, gateway }, EXTERNAL);
    await work.ready(first);
    const pids = Object.values(first.run().pids).flat();
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
    assert.ok(exists(work.runFile));
    assert.ok(runs(pidOf(first, 'gateway')));
  });

  test('refuses a port that is taken, with one sentence that names the setting', async () => {
    const work = workspace();
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    assert.ok(address !== null && typeof address === 'object');
    const supervised = work.start({ gateway }, { ...EXTERNAL, PORT: String(address.port) });
    assert.equal(await supervised.ended, 1);
    assert.match(supervised.output(), /^Port \d+ on 127\.0\.0\.1 is already in use.*PORT\.\n$/);
    await new Promise((resolve) => server.close(resolve));
  });

  test('refuses wrong settings before it starts anything', async () => {
    const work = workspace();
    const supervised = work.start({ gateway }, { LOG_LEVEL: 'loud', FORMATION: 'x' });
    assert.equal(await supervised.ended, 1);
    assert.match(supervised.output(), /^LOG_LEVEL takes .*\nFORMATION takes .*\n$/);
    assert.equal(exists(work.dataDir), false);
  });
});
