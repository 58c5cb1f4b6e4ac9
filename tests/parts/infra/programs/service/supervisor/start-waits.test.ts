/** `npm start` without its bus and store, or with wrong ones: told by it and by each role. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { engineAddress } from '../../../../../../infra/programs/service/mongo-engine/address.ts';
import { freePort } from '../../../../../../infra/programs/service/supervisor/ports.ts';
import {
  STAND_INS,
  Workspace,
} from '../../../../../support/infra/programs/service/supervisor/supervised.ts';
import { type Launched, launch } from '../../../../../support/launch.ts';
import { record } from '../../../../../support/stand-ins/server.ts';
import { waitFor } from '../../../../../support/wait-for.ts';

const ROLES = {
  actors: 'node actors/main.ts',
  gateway: 'node gateway/main.ts',
  sandbox: 'node infra/programs/simulator/main.ts',
};
const TOKEN = 'hidden-token';

const works: Workspace[] = [];
const servers: Launched[] = [];

function workspace(): Workspace {
  const work = new Workspace();
  works.push(work);
  return work;
}

/** A server of ours, by itself: it listens where the settings say. */
function serve(file: string, settings: Readonly<Record<string, string>>): Launched {
  const server = launch([file], settings);
  servers.push(server);
  return server;
}

after(async () => {
  for (const work of works) await work.close();
  for (const { stop } of servers) await stop();
});

describe('a start that waits', { concurrency: 2 }, () => {
  test('without bus and store says what it waits for, and goes on when they come', async () => {
    const [work, store] = [workspace(), workspace()];
    const port = await freePort('127.0.0.1');
    const natsUrl = `nats://${TOKEN}@127.0.0.1:${port}`;
    const { url: mongodbUrl, socketPath } = engineAddress(store.dataDir);
    const supervised = work.start(ROLES, { NATS_URL: natsUrl, MONGODB_URL: mongodbUrl });
    const { output } = supervised;
    const bus = `waiting for the NATS server at 127.0.0.1:${port}`;
    const record = `waiting for MongoDB at ${socketPath}`;
    const told = (line: string, why: string) =>
      output()
        .split('\n')
        .some((each) => each.startsWith(`recado: ${line}`) && each.endsWith(why));
    await waitFor(() => told(bus, `connect ECONNREFUSED 127.0.0.1:${port}`), { what: output });
    await waitFor(() => told(record, `connect ENOENT ${socketPath}`), { what: output });
    const log = (role: string) => readFileSync(join(work.dataDir, 'logs', `${role}.log`), 'utf8');
    await waitFor(() => [bus, record].every((line) => log('actors').includes(line)), {
      what: output,
    });
    await waitFor(() => log('gateway').includes(bus) && log('sandbox').includes(bus), {
      what: output,
    });

    const env = { NATS_URL: natsUrl, NATS_PORT: `${port}` };
    const nats = serve('infra/programs/service/nats-server/main.ts', env);
    const actors = `waiting for an actors process on the bus at 127.0.0.1:${port}`;
    await waitFor(() => log('gateway').includes(actors), { what: output });
    serve('infra/programs/service/mongo-engine/main.ts', { DATA_DIR: store.dataDir });
    await work.ready(supervised);
    const answers = `recado: MongoDB answers at ${socketPath}`;
    await waitFor(() => output().includes(answers), { what: output });
    const reached = `the NATS server answers at 127.0.0.1:${port}`;
    await waitFor(() => log('actors').includes(reached), { what: output });
    assert.ok(![output(), log('actors'), log('gateway')].some((text) => text.includes(TOKEN)));

    const { baseUrl } = supervised.runFile();
    await nats.stop();
    const lost = () => log('gateway').split(bus).length > 2;
    await waitFor(lost, { what: () => log('gateway') });
    serve('infra/programs/service/nats-server/main.ts', env);
    const isReady = async () => (await fetch(`${baseUrl}/readyz`)).status === 200;
    await waitFor(isReady, { what: 'the service is ready again' });
  });

  test('on a bus that refuses it and a store that is none says so', async () => {
    const port = await freePort('127.0.0.1');
    const website = await record(() => ({ body: 'hello' }));
    serve('infra/programs/service/nats-server/main.ts', {
      NATS_URL: `nats://another@127.0.0.1:${port}`,
      NATS_PORT: `${port}`,
    });
    const { output } = workspace().start(
      { actors: STAND_INS.idle },
      {
        NATS_URL: `nats://${TOKEN}@127.0.0.1:${port}`,
        MONGODB_URL: `mongodb://ana:${TOKEN}@127.0.0.1:${website.port}/vendas`,
      },
    );
    const [bus, store] = [
      `the NATS server at 127.0.0.1:${port} \\(NATS_URL\\).*: the server refuses these credentials`,
      `MongoDB at 127.0.0.1:${website.port} \\(MONGODB_URL\\).*: .*no MongoDB may be there`,
    ];
    const told = (line: string) => new RegExp(`^recado: waiting for ${line}`, 'm').test(output());
    await waitFor(() => told(bus) && told(store), { what: output });
    assert.ok(!output().includes(TOKEN));
    await website.close();
  });
});
