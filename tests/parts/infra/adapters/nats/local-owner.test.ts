/** An ask of an actor in the asker's own process, whose owner loses its lease meanwhile. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { systemClock as clock } from '../../../../../infra/adapters/clock/clock.ts';
import { connectBus } from '../../../../../infra/adapters/nats/bus.ts';
import type { NetworkBus } from '../../../../../infra/adapters/nats/network-bus.ts';
import { freePort } from '../../../../../infra/programs/service/supervisor/ports.ts';
import { partitionOf } from '../../../../../shared/wire/subjects.ts';
import { SILENT } from '../../../../support/engine.ts';
import { type Launched, launch } from '../../../../support/launch.ts';

const ADDRESS = { kind: 'contact', key: 'somebody' } as const;
const PARTITION = { kind: ADDRESS.kind, number: partitionOf(ADDRESS.kind, ADDRESS.key) };
const ignore = (): void => undefined;

let nats: Launched;
let natsUrl: string;
const buses: NetworkBus[] = [];

before(async () => {
  const port = await freePort('127.0.0.1');
  natsUrl = `nats://t0ken@127.0.0.1:${port}`;
  const settings = { NATS_URL: natsUrl, NATS_PORT: `${port}` };
  nats = launch(['infra/programs/service/nats-server/main.ts'], settings);
});

after(async () => {
  await Promise.all(buses.map((bus) => bus.close()));
  await nats.stop();
});

test('the next owner learns that the one before may have run it', async () => {
  const busOf = async (processId: string): Promise<NetworkBus> => {
    const bus = await connectBus({ natsUrl, clock, log: SILENT, processId });
    buses.push(bus);
    return bus;
  };
  const [asker, other] = await Promise.all([busOf('asker'), busOf('other')]);
  const disown = asker.own(PARTITION, {
    ask: ({ answer }) => {
      disown();
      answer(null);
    },
    nudge: ignore,
  });
  const marks: boolean[] = [];
  other.own(PARTITION, {
    ask: ({ repeat, answer }) => {
      marks.push(repeat);
      answer({ status: 200, body: '' });
    },
    nudge: ignore,
  });
  const command = { id: 'cmd_1', type: 'change' } as never;
  await asker.ask(ADDRESS, command, { deadline: clock.now() + 60_000 });
  assert.deepEqual(marks, [true]);
});
