/** Two processes answer queries over a real server, and one of them falls silent. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { systemClock as clock } from '../../../../../infra/adapters/clock/clock.ts';
import { connectBus } from '../../../../../infra/adapters/nats/bus.ts';
import type { NetworkBus } from '../../../../../infra/adapters/nats/network-bus.ts';
import { freePort } from '../../../../../infra/programs/service/supervisor/ports.ts';
import type { Answer } from '../../../../../shared/ports/bus.ts';
import { SILENT } from '../../../../support/engine.ts';
import { type Launched, launch } from '../../../../support/launch.ts';

const RESOURCES = ['contacts', 'recount'] as const;
const QUERIES = 60;

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

/** What one process was asked; it answers with its name until it is silent. */
class Responding {
  readonly name: string;
  asked = 0;
  isSilent = false;

  constructor(name: string) {
    this.name = name;
  }

  async join(): Promise<void> {
    const bus = await connectBus({ natsUrl, clock, log: SILENT, processId: this.name });
    buses.push(bus);
    for (const resource of RESOURCES) bus.answerQueries(resource, () => this.#answer());
  }

  #answer(): Promise<Answer> {
    this.asked++;
    if (this.isSilent) return new Promise(() => undefined);
    return Promise.resolve({ status: 200, body: this.name });
  }
}

async function askerOf() {
  const counts = { hedged: 0, repeated: 0 };
  const metrics = {
    ask: (_kind: string, _ms: number, repeats: number) => {
      counts.repeated += repeats;
    },
    askFailed: () => undefined,
    hedged: () => {
      counts.hedged++;
    },
  };
  const bus = await connectBus({ natsUrl, clock, log: SILENT, processId: 'asker', metrics });
  buses.push(bus);
  const query = async (resource: (typeof RESOURCES)[number]): Promise<string> => {
    const payload = { orgId: 'org_1', page: 1, limit: 1 } as never;
    return (await bus.query(resource, payload, { deadline: clock.now() + 60_000 })).body;
  };
  return { query, counts };
}

test('what a silent process leaves is answered by the other one, which gets the rest', async () => {
  const [one, other] = [new Responding('one'), new Responding('other')];
  await Promise.all([one.join(), other.join()]);
  const { query, counts } = await askerOf();
  const heard = new Set<string>();
  while (heard.size < 2) heard.add(await query('contacts'));

  one.isSilent = true;
  const before = { one: one.asked, other: other.asked, ...counts };
  for (let n = 0; n < QUERIES; n++) assert.equal(await query('contacts'), 'other');
  const hedged = counts.hedged - before.hedged;
  const repeated = counts.repeated - before.repeated;
  const sent = one.asked - before.one + other.asked - before.other;
  assert.ok(one.asked - before.one <= hedged + repeated, 'each of its queries was asked again');
  assert.ok(sent <= QUERIES + hedged + repeated, `${sent} were asked`);
  assert.ok(other.asked - before.other >= QUERIES);

  const { hedged: hedges } = counts;
  assert.equal(await query('recount'), 'other');
  assert.equal(counts.hedged, hedges, 'a query that writes is not hedged');

  one.isSilent = false;
  other.isSilent = true;
  assert.equal(await query('contacts'), 'one');
});
