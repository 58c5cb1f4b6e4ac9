/**
 * The same work by Recado, by Restate and by Moleculer: a call is accepted when it is durable, the
 * messages of a conversation are sent in order, each once, and a subscriber is told of each. All
 * call one network and tell one subscriber, in turns.
 */
import { peerIsInstalled } from '../accept/peer-side.ts';
import { CHANNELS } from '../end-to-end/fixture.ts';
import { numberOf } from '../organization.ts';
import { moleculerSide } from '../peers/moleculer-side.ts';
import { networkOf } from '../peers/network.ts';
import { PROMISES } from '../peers/promises.ts';
import { recadoSide } from '../peers/recado-side.ts';
import { restateIsInstalled, restateSide } from '../peers/restate-side.ts';
import {
  type Effort,
  type Killed,
  measureKilled,
  measureWhole,
  type PeerSide,
  REF,
  type Stage,
  type Whole,
} from '../peers/sides.ts';
import { sumOf } from '../peers/verdict.ts';
import { inTurns, median, round } from '../rounds.ts';
import { startService } from '../service.ts';
import { startSubscribers } from '../subscribers.ts';
import type { Cell, Column, Context, Result, Suite, Table } from '../suite.ts';

const CONNECTIONS = [16, 32, 128];
/** 6,000 with the four seconds that are usual. */
const MESSAGES_PER_SECOND = 1_500;
const KILLED_MESSAGES_PER_SECOND = 500;

export const peers: Suite = {
  name: 'peers',
  about: 'the same work by Recado, Restate and Moleculer: rates, costs, and what a kill -9 costs',
  run,
};

/** One load, and what was measured of each side by its name. */
interface Measured {
  readonly load: string;
  readonly connections: number;
  readonly wholes: ReadonlyMap<string, readonly Whole[]>;
}

async function run(context: Context): Promise<Result> {
  const stage = await stageOf(context);
  const { peer, seconds } = context.options;
  const sides = [
    await recadoSide(stage),
    ...(peer && restateIsInstalled() ? [await restateSide(stage)] : []),
    ...(peer && peerIsInstalled() ? [await moleculerSide(stage)] : []),
  ];
  const messages = Math.round(MESSAGES_PER_SECOND * seconds);
  const efforts = (context.options.connections ?? CONNECTIONS).map((connections) => ({
    connections,
    messages,
  }));
  const [first, second] = efforts;
  const usual = second ?? first ?? { connections: 1, messages };
  for (const side of sides) await measureWhole(stage, side, usual);
  const loads = [];
  for (const effort of efforts) loads.push(await measure(stage, sides, effort));
  const keyed = sides.filter(({ honoursKeys }) => honoursKeys);
  const withKeys = await measure(stage, keyed, { ...usual, hasKeys: true });
  const tables = [ratesTable(sides, loads), costsTable([...loads, withKeys])];
  // Alone, Recado under kills is judged by `npm run chaos`.
  if (sides.length > 1) tables.push(await killedTable(stage, sides, usual));
  return {
    tables: [...tables, PROMISES],
    notes: [
      `${messages} messages a load; a rate counts from the first call to the last event`,
      'the network reports no receipts, but for Recado beside the kill',
      'the processor time is that of all processes of a side, without network and subscriber',
    ],
  };
}

async function stageOf(context: Context): Promise<Stage> {
  const service = await startService(context);
  const subscribers = await startSubscribers(context.children, { prompt: 1, hanging: 0 });
  const numbers = Object.fromEntries(
    Array.from({ length: CHANNELS }, (_, number) => {
      const { phoneNumberId, accessToken } = numberOf(REF, number);
      return [phoneNumberId, accessToken];
    }),
  );
  const network = networkOf(service, Object.keys(numbers));
  return { context, service, subscribers, network, numbers };
}

async function measure(
  stage: Stage,
  sides: readonly PeerSide[],
  effort: Effort,
): Promise<Measured> {
  const { context } = stage;
  const turns = sides.map((side) => ({
    name: side.name,
    measure: () => measureWhole(stage, side, effort),
  }));
  const wholes = await inTurns(turns, context.options.rounds);
  const { connections, hasKeys = false } = effort;
  const load = `${connections}${hasKeys ? ', keys' : ''}`;
  const rates = [...wholes].map(([name, found]) => `${name} ${round(rateOf(found), 0)}/s`);
  context.logProgress(`${load}: ${rates.join(', ')}`);
  return { load, connections, wholes };
}

function rateOf(wholes: readonly Whole[] = []): number {
  return median(wholes.map(({ perSecond }) => perSecond));
}

function ratesTable(sides: readonly PeerSide[], loads: readonly Measured[]): Table {
  const names = sides.map(({ name }) => name);
  const [ours = '', ...others] = names;
  const rows = loads.map(({ connections, wholes }): Cell[] => {
    const rates = names.map((name) => rateOf(wholes.get(name)));
    return [
      connections,
      ...rates.map((rate) => round(rate, 0)),
      ...others.map((name) => round(rateOf(wholes.get(ours)) / rateOf(wholes.get(name)), 2)),
    ];
  });
  const y = names.map((name) => `${name} /s`);
  return {
    title: 'Whole messages per second',
    columns: namedColumns(['connections', ...y, ...others.map((name) => `of ${name}`)]),
    rows,
    chart: { title: 'Whole messages per second, by connections', x: 'connections', y },
  };
}

function costsTable(loads: readonly Measured[]): Table {
  const rows = loads.flatMap(({ load, wholes }) =>
    [...wholes].map(([name, found]): Cell[] => {
      const of = (pick: (whole: Whole) => number): number => round(median(found.map(pick)), 2);
      const network = sumOf(found.map(({ atNetwork }) => atNetwork));
      const events = sumOf(found.map(({ atSubscriber }) => atSubscriber));
      return [
        load,
        name,
        round(rateOf(found), 0),
        of(({ loaded }) => loaded.p50Ms),
        of(({ loaded }) => loaded.p99Ms),
        of(({ cpuMs, loaded }) => cpuMs / loaded.accepted),
        network.lost,
        network.doubled,
        network.outOfOrder,
        events.lost,
        events.doubled,
      ];
    }),
  );
  return { title: 'Acceptance, processor time, and what went wrong', columns: COSTS, rows };
}

async function killedTable(
  stage: Stage,
  sides: readonly PeerSide[],
  { connections }: Effort,
): Promise<Table> {
  const { options, logProgress } = stage.context;
  const messages = Math.round(KILLED_MESSAGES_PER_SECOND * options.seconds);
  const turns = sides.map((side) => ({
    name: side.name,
    measure: () => measureKilled(stage, side, { connections, messages }),
  }));
  const killed = await inTurns<Killed>(turns, options.rounds);
  logProgress('killed');
  const rows = sides.map(({ name, victim }): Cell[] => {
    const found = killed.get(name) ?? [];
    const network = sumOf(found.map(({ atNetwork }) => atNetwork));
    const events = sumOf(found.map(({ atSubscriber }) => atSubscriber));
    const accepted = found.reduce((sum, { loaded }) => sum + loaded.accepted, 0);
    const refused = found.reduce((sum, { loaded }) => sum + loaded.refusedNumbers.length, 0);
    const { lost, doubled, outOfOrder } = network;
    return [
      ...[name, victim, found.length, accepted, refused],
      ...[lost, doubled, outOfOrder, events.lost, events.doubled],
      round(median(found.map(({ reportedAfterMs }) => reportedAfterMs / 1_000))),
    ];
  });
  return { title: 'kill -9 in the middle of a load', columns: KILLS, rows };
}

function namedColumns(names: readonly string[]): readonly Column[] {
  return names.map((name) => ({ name, unit: '' }));
}

const WRONG = namedColumns(['lost', 'doubled', 'out of order', 'events lost', 'events doubled']);

const COSTS: readonly Column[] = [
  ...namedColumns(['connections', 'side']),
  { name: 'rate', unit: '/s' },
  { name: 'p50', unit: 'ms' },
  { name: 'p99', unit: 'ms' },
  { name: 'processor time of a message', unit: 'ms' },
  ...WRONG,
];

const KILLS: readonly Column[] = [
  ...namedColumns(['side', 'killed', 'times', 'accepted', 'not accepted']),
  ...WRONG,
  { name: 'last event after the kill', unit: 's' },
];
