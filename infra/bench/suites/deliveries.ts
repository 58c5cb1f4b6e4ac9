/**
 * Deliveries: events to 100 subscribers of which 10 accept a delivery and never answer. They are
 * compared with a bare loop that signs and posts, and with 100 subscribers that all answer.
 *
 * 1. Every load has an organization of its own, because open breakers would flatter the next load.
 *    Also, an organization's first event costs more than later ones.
 * 2. All work of a load ends before the next begins, deferrable writes included.
 */
import { type Collection, MongoClient } from 'mongodb';
import { runBareLoop } from '../deliveries/bare-loop.ts';
import {
  type Delivered,
  deliver,
  latencies,
  type Pace,
  ratePerSecond,
  type Stage,
} from '../deliveries/events.ts';
import { untilParked } from '../deliveries/until-parked.ts';
import { type OrganizationSpec, organizationsFile } from '../organization.ts';
import { median, quantile, round } from '../rounds.ts';
import { startService } from '../service.ts';
import { startSubscribers } from '../subscribers.ts';
import type { Cell, Context, Result, Suite, Table } from '../suite.ts';

const SUBSCRIBERS = 100;
const HANGING = 10;
const EVENTS: readonly string[] = ['task.created'];
const BARE_IN_FLIGHT = 200;

export const deliveries: Suite = {
  name: 'deliveries',
  about: 'deliveries per second to 100 subscribers, 10 of which hang; what the others notice of it',
  run,
};

/**
 * Burst: as fast as they come, what waits is then as much as there is. Steady: with the usual
 * seconds beyond the 10 s after which a hanging attempt ends, so that breakers open meanwhile.
 */
function pacesOf({ options: { seconds } }: Context) {
  return {
    burst: { perSecond: 400, seconds: 0.1875 * seconds },
    steady: { perSecond: 6, seconds: 3.75 * seconds },
  };
}

interface Measured {
  readonly calmRate: number;
  readonly troubledRate: number;
  readonly bareRate: number;
  readonly calm: readonly number[];
  readonly troubled: readonly number[];
}

/** A stage, its healthy subscribers, and the collection that shows the state of deliveries. */
interface DeliveriesFixture extends Stage {
  readonly healthy: readonly string[];
  readonly deliveries: Collection;
  /** By the organization's name. */
  readonly orgIds: ReadonlyMap<string, string>;
}

async function run(context: Context): Promise<Result> {
  const service = await startService(context);
  const wanted = { prompt: SUBSCRIBERS, hanging: HANGING };
  const subscribers = await startSubscribers(context.children, wanted);
  const healthy = subscribers.prompt.slice(0, SUBSCRIBERS - HANGING);
  const numbers = Array.from({ length: context.options.rounds }, (_, number) => number);
  const { orgs } = await service.apply(
    organizationsFile([
      request('warm', subscribers.prompt),
      ...numbers.flatMap((number) => [
        ...['calm-burst', 'calm'].map((side) => request(`${side}-${number}`, subscribers.prompt)),
        ...['troubled-burst', 'troubled'].map((side) =>
          request(`${side}-${number}`, [...healthy, ...subscribers.hanging]),
        ),
      ]),
    ]),
  );
  const orgIds = new Map(Object.entries(orgs).map(([ref, { id }]) => [ref, id]));
  const client = await new MongoClient(service.run().mongodbUrl).connect();
  const collection = client.db('recado').collection('deliveries');
  const fixture: DeliveriesFixture = {
    context,
    service,
    subscribers,
    healthy,
    deliveries: collection,
    orgIds,
  };
  try {
    await deliver(fixture, { ref: 'warm', prompt: SUBSCRIBERS }, pacesOf(context).burst);
    const measured: Measured[] = [];
    for (const number of numbers) measured.push(await measure(fixture, number));
    return resultOf(measured, pacesOf(context).steady);
  } finally {
    await client.close();
  }
}

function request(ref: string, urls: readonly string[]): OrganizationSpec {
  return { ref, channels: 0, subscribers: urls, events: EVENTS };
}

async function calmly(fixture: DeliveriesFixture, ref: string, pace: Pace): Promise<Delivered> {
  return deliver(fixture, { ref, prompt: SUBSCRIBERS }, pace);
}

async function inTrouble(fixture: DeliveriesFixture, ref: string, pace: Pace): Promise<Delivered> {
  const delivered = await deliver(fixture, { ref, prompt: fixture.healthy.length }, pace);
  const orgId = fixture.orgIds.get(ref) ?? '';
  await untilParked(fixture.deliveries, { orgId, hanging: HANGING });
  return delivered;
}

async function measure(fixture: DeliveriesFixture, number: number): Promise<Measured> {
  const { context, subscribers } = fixture;
  const { burst, steady } = pacesOf(context);
  const ports = new Set(fixture.healthy.map((url) => Number(new URL(url).port)));
  const bareRate = await runBareLoop(context.children, {
    urls: subscribers.prompt,
    inFlight: BARE_IN_FLIGHT,
    seconds: context.options.seconds,
    body: JSON.stringify({ event: 'task.created', data: { notes: 'x'.repeat(500) } }),
  });
  const calmRate = ratePerSecond(await calmly(fixture, `calm-burst-${number}`, burst));
  const troubledRate = ratePerSecond(await inTrouble(fixture, `troubled-burst-${number}`, burst));
  const calmTimes = async () => latencies(await calmly(fixture, `calm-${number}`, steady), ports);
  // Each side goes first in turn.
  const calmFirst = number % 2 === 0 ? await calmTimes() : null;
  const troubled = latencies(await inTrouble(fixture, `troubled-${number}`, steady), ports);
  const calm = calmFirst ?? (await calmTimes());
  context.logProgress(
    `${[bareRate, calmRate, troubledRate].map((rate) => Math.round(rate)).join(', ')}/s`,
  );
  return { bareRate, calmRate, troubledRate, calm, troubled };
}

function resultOf(measured: readonly Measured[], steady: Pace): Result {
  return {
    tables: [ratesOf(measured), latenciesOf(measured)],
    notes: [
      `steady: ${steady.perSecond} events/s to each of the subscribers, for ${steady.seconds} s`,
      'latencies are those of all rounds together',
      'hanging: takes the request and never answers; its attempts end after 10 s',
      'every delivery to a subscriber that answers arrived before the next load began',
      'what was for those that hang was set aside by then',
    ],
  };
}

function ratesOf(measured: readonly Measured[]): Table {
  const of = (pick: (each: Measured) => number): number => median(measured.map(pick));
  const rate = (name: string, pick: (each: Measured) => number): Cell[] => {
    const ratio = median(measured.map((each) => pick(each) / each.bareRate));
    return [name, round(of(pick), 0), round(ratio, 2)];
  };
  return {
    title: 'Deliveries per second, of a backlog',
    columns: [
      { name: 'side', unit: '' },
      { name: 'deliveries', unit: '/s' },
      { name: 'of the bare loop', unit: '' },
    ],
    rows: [
      rate('a bare loop that signs and posts', ({ bareRate }) => bareRate),
      rate('100 that answer', ({ calmRate }) => calmRate),
      rate('90 that answer, 10 that hang', ({ troubledRate }) => troubledRate),
    ],
  };
}

/** Of all rounds together: in a single round, p99 is just the slowest event. */
function latenciesOf(measured: readonly Measured[]): Table {
  const together = (pick: (each: Measured) => readonly number[]): readonly number[] =>
    measured.flatMap(pick).toSorted((a, b) => a - b);
  const calm = together((each) => each.calm);
  const troubled = together((each) => each.troubled);
  const row = (name: string, sorted: readonly number[]): Cell[] => [
    name,
    ...[0.5, 0.99, 0.999].map((share) => round(quantile(sorted, share))),
  ];
  const ratio = quantile(troubled, 0.99) / quantile(calm, 0.99);
  return {
    title: 'From the event to the first byte at those 90, steady load',
    columns: [
      { name: 'side', unit: '' },
      ...['p50', 'p99', 'p99.9'].map((name) => ({ name, unit: 'ms' })),
    ],
    rows: [
      row('all answer', calm),
      row('10 hang', troubled),
      ['ratio of p99', null, round(ratio, 2), null],
    ],
  };
}
