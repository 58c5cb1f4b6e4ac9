/** Two installations on one bus: the second one is refused, the first one notices nothing. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { MongoClient } from 'mongodb';
import { systemClock } from '../../../../../../infra/adapters/clock/clock.ts';
import { connectBus } from '../../../../../../infra/adapters/nats/bus.ts';
import { requireSoleInstallation } from '../../../../../../infra/adapters/nats/sole-installation.ts';
import { freePort } from '../../../../../../infra/programs/service/supervisor/ports.ts';
import type { Clock } from '../../../../../../shared/ports/clock.ts';
import {
  endsWell,
  STAND_INS,
  Workspace,
} from '../../../../../support/infra/programs/service/supervisor/supervised.ts';
import { type Launched, launch } from '../../../../../support/launch.ts';
import { waitFor } from '../../../../../support/wait-for.ts';

const ROLES = {
  mongo: STAND_INS.mongo,
  actors: 'node actors/main.ts',
  gateway: 'node gateway/main.ts',
};
const TOKEN = 't0ken';
const REFUSED = 78;
const quiet = (): void => undefined;
const SILENT = { debug: quiet, info: quiet, warn: quiet, error: quiet };

/** Its late answers are waited for no longer than this. */
const HASTY_MS = 250;
const HASTY: Clock = {
  ...systemClock,
  after: (ms, run) => systemClock.after(Math.min(ms, HASTY_MS), run),
};

const [first, second] = [new Workspace(), new Workspace()];
let nats: Launched | undefined;

after(async () => {
  await first.close();
  await second.close();
  await nats?.stop();
});

test('the second one is refused with one sentence, and nothing of it reaches the first', async () => {
  const port = await freePort('127.0.0.1');
  const natsUrl = `nats://${TOKEN}@127.0.0.1:${port}`;
  const settings = { NATS_URL: natsUrl, NATS_PORT: `${port}` };
  nats = launch(['infra/programs/service/nats-server/main.ts'], settings);
  const incumbent = first.start(ROLES, { NATS_URL: natsUrl });
  await first.ready(incumbent);
  const { pids, mongodbUrl, baseUrl } = incumbent.runFile();
  const isTold = () => incumbent.output().includes('mongo.sock holds no organization yet');
  await waitFor(isTold, { what: incumbent.output });

  const newcomer = second.start(ROLES, { NATS_URL: natsUrl }, { words: [] });
  assert.equal(await newcomer.ended, REFUSED, newcomer.output());
  const sentence = `Another installation is on the bus at 127.0.0.1:${port} (NATS_URL): give each`;
  assert.ok(newcomer.output().includes(sentence), newcomer.output());
  assert.ok(!newcomer.output().includes(TOKEN));

  assert.deepEqual(incumbent.runFile().pids, pids);
  const isReady = async () => (await fetch(`${baseUrl}/readyz`)).status === 200;
  await waitFor(isReady, { what: 'the first one is ready' });
  const client = new MongoClient(mongodbUrl, { retryWrites: false });
  assert.equal(await client.db('recado').collection('organizations').countDocuments(), 0);
  await client.close();

  // Two others that start at one moment, with the bus to themselves.
  await endsWell(incumbent);
  await twoAtOnce(natsUrl);
});

/** Of two that start at one moment at least one is refused. */
async function twoAtOnce(natsUrl: string): Promise<void> {
  const names = ['north', 'south'];
  const buses = await Promise.all(
    names.map((processId) => connectBus({ natsUrl, clock: systemClock, log: SILENT, processId })),
  );
  const refusals = buses.map(() => Promise.withResolvers<void>());
  const starts = buses.map((bus, index) => {
    const refusal = refusals[index] ?? Promise.withResolvers<void>();
    const refuse = (): Promise<never> => {
      refusal.resolve();
      return new Promise(() => undefined);
    };
    const installation = { salt: names[index] ?? '' };
    const found = requireSoleInstallation({ bus, clock: HASTY, installation, refuse });
    return Promise.race([found, refusal.promise]);
  });
  await Promise.all(starts);
  await Promise.race(refusals.map(({ promise }) => promise));
  await Promise.all(buses.map((bus) => bus.close()));
}
