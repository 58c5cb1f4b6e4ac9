/** Accepted sends: POST /api/v1/messages with everything on, against the bare parts. */
import { MongoClient } from 'mongodb';
import { floorSide } from '../accept/floor-side.ts';
import { peerIsInstalled, peerSide } from '../accept/peer-side.ts';
import { recadoSide } from '../accept/recado-side.ts';
import { type AcceptSide, measureAccepted } from '../accept/sides.ts';
import type { Loaded } from '../load.ts';
import { inTurns, median, round, type Side } from '../rounds.ts';
import { startService } from '../service.ts';
import type { Cell, Column, Context, Result, Suite } from '../suite.ts';

const CONNECTIONS = [1, 16, 64, 128, 256, 512];
const WARM_UP = { connections: 64, rounds: 1.5 };

export const accept: Suite = {
  name: 'accept',
  about: 'accepted sends per second and their latency, against the bare parts',
  run,
};

async function run(context: Context): Promise<Result> {
  const service = await startService(context);
  const client = await new MongoClient(service.run().mongodbUrl).connect();
  try {
    const { logProgress } = context;
    const sides = [
      await recadoSide({ service, client, logProgress }),
      await floorSide({ name: 'floor', context, service, client }),
      await floorSide({ name: 'harder', context, service, client }),
      await floorSide({ name: 'limit', context, service, client }),
      ...(context.options.peer && peerIsInstalled()
        ? [await peerSide({ context, service, client })]
        : []),
    ];
    return await compare(context, sides);
  } finally {
    await client.close();
  }
}

async function compare(context: Context, sides: readonly AcceptSide[]): Promise<Result> {
  const { options, logProgress } = context;
  for (const side of sides) {
    const { connections, rounds } = WARM_UP;
    await measureAccepted(context, side, { connections, seconds: rounds * options.seconds });
    await side.drain();
  }
  const rows: Cell[][] = [];
  for (const connections of options.connections ?? CONNECTIONS) {
    const measured = await inTurns(
      sides.map(
        (side): Side<Loaded> => ({
          name: side.name,
          measure: () => measureAccepted(context, side, { connections, seconds: options.seconds }),
          drain: side.drain,
        }),
      ),
      options.rounds,
    );
    rows.push(rowOf(connections, sides, measured));
    logProgress(`${connections} connections measured`);
  }
  const y = sides.map(({ name }) => `${name} /s`);
  const chart = { title: 'Accepted sends per second', x: 'connections', y };
  const table = { title: 'Accepted sends', columns: columnsOf(sides), rows, chart };
  return {
    tables: [table],
    notes: ['every 201 was found in MongoDB afterwards; none was refused'],
  };
}

function columnsOf(sides: readonly AcceptSide[]): readonly Column[] {
  const [, ...others] = sides;
  return [
    { name: 'connections', unit: '' },
    ...sides.map(({ name }) => ({ name: `${name} /s`, unit: '' })),
    ...others.map(({ name }) => ({ name: `of ${name}`, unit: '' })),
    ...sides.flatMap(({ name }) =>
      ['p50', 'p99', 'p99.9'].map((each) => ({ name: `${name} ${each}`, unit: 'ms' })),
    ),
  ];
}

function rowOf(
  connections: number,
  sides: readonly AcceptSide[],
  measured: ReadonlyMap<string, readonly Loaded[]>,
): Cell[] {
  const of = (name: string, pick: (loaded: Loaded) => number): number =>
    median((measured.get(name) ?? []).map(pick));
  const perSecond = sides.map(({ name }) => of(name, (loaded) => loaded.perSecond));
  const [ours = Number.NaN, ...others] = perSecond;
  return [
    connections,
    ...perSecond.map((each) => round(each, 0)),
    ...others.map((each) => round(ours / each, 2)),
    ...sides.flatMap(({ name }) => [
      round(of(name, ({ p50Ms }) => p50Ms)),
      round(of(name, ({ p99Ms }) => p99Ms)),
      round(of(name, ({ p999Ms }) => p999Ms)),
    ]),
  ];
}
