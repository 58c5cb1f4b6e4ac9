/**
 * Deliveries: events to 100 subscribers of which 10 take a delivery and never answer, against a
 * bare loop that signs and posts, and against 100 that all answer.
 *
 * Every round has an organization of its own: breakers that have opened would flatter the next.
 */
import { runBareLoop } from '../deliveries/bare-loop.ts';
import {
  type Delivered,
  deliver,
  latencies,
  type Pace,
  ratePerSecond,
  type Stage,
} from '../deliveries/events.ts';
import { organizationsFile, type Wish } from '../organization.ts';
import { median, quantile, round } from '../rounds.ts';
import { startService } from '../service.ts';
import { startSubscribers } from '../subscribers.ts';
import type { Cell, Context, Result, Suite } from '../suite.ts';

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

async function run(context: Context): Promise<Result> {
  const service = await startService(context);
  const wanted = { prompt: SUBSCRIBERS, hanging: HANGING };
  const subscribers = await startSubscribers(context.pieces, wanted);
  const healthy = subscribers.prompt.slice(0, SUBSCRIBERS - HANGING);
  const troubled = [...healthy, ...subscribers.hanging];
  const wish = (ref: string, urls: readonly string[]): Wish => ({
    ref,
    channels: 0,
    subscribers: urls,
    events: EVENTS,
  });
  const numbers = Array.from({ length: context.options.rounds }, (_, number) => number);
  await service.apply(
    organizationsFile([
      wish('warm', subscribers.prompt),
      ...numbers.flatMap((n) => [
        wish(`calm-${n}`, subscribers.prompt),
        wish(`troubled-${n}`, troubled),
        wish(`burst-${n}`, troubled),
      ]),
    ]),
  );
  const stage: Stage = { context, service, subscribers };
  await deliver(stage, { ref: 'warm', prompt: SUBSCRIBERS }, pacesOf(context).burst);
  const measured: Measured[] = [];
  for (const number of numbers) measured.push(await measure(stage, healthy, number));
  return resultOf(measured, pacesOf(context).steady);
}

async function measure(
  stage: Stage,
  healthy: readonly string[],
  number: number,
): Promise<Measured> {
  const { context, subscribers } = stage;
  const { burst, steady } = pacesOf(context);
  const calm = { ref: `calm-${number}`, prompt: SUBSCRIBERS };
  const troubled = { ref: `troubled-${number}`, prompt: healthy.length };
  const backlog = { ref: `burst-${number}`, prompt: healthy.length };
  const ports = new Set(healthy.map((url) => Number(new URL(url).port)));
  const times = (delivered: Delivered): readonly number[] => latencies(delivered, ports);
  const bareRate = await runBareLoop(context.pieces, {
    urls: subscribers.prompt,
    inFlight: BARE_IN_FLIGHT,
    seconds: context.options.seconds,
    body: JSON.stringify({ event: 'task.created', data: { notes: 'x'.repeat(500) } }),
  });
  const measured = {
    bareRate,
    calmRate: ratePerSecond(await deliver(stage, calm, burst)),
    troubledRate: ratePerSecond(await deliver(stage, backlog, burst)),
    calm: times(await deliver(stage, calm, steady)),
    troubled: times(await deliver(stage, troubled, steady)),
  };
  const { calmRate, troubledRate } = measured;
  context.say(`${[bareRate, calmRate, troubledRate].map((rate) => Math.round(rate)).join(', ')}/s`);
  return measured;
}

function resultOf(measured: readonly Measured[], steady: Pace): Result {
  const of = (pick: (each: Measured) => number): number => median(measured.map(pick));
  const bare = of(({ bareRate }) => bareRate);
  const rate = (name: string, pick: (each: Measured) => number): Cell[] => {
    const ratio = median(measured.map((each) => pick(each) / each.bareRate));
    return [name, round(of(pick), 0), round(ratio, 2)];
  };
  const times = (name: string, pick: (each: Measured) => readonly number[]): Cell[] => [
    name,
    ...[0.5, 0.99, 0.999].map((share) => round(of((each) => quantile(pick(each), share)))),
  ];
  const p99Ratio = of((each) => quantile(each.troubled, 0.99) / quantile(each.calm, 0.99));
  return {
    tables: [
      {
        title: 'Deliveries per second, of a backlog',
        columns: [
          { name: 'side', unit: '' },
          { name: 'deliveries', unit: '/s' },
          { name: 'of the bare loop', unit: '' },
        ],
        rows: [
          ['a bare loop that signs and posts', round(bare, 0), 1],
          rate('100 that answer', ({ calmRate }) => calmRate),
          rate('90 that answer, 10 that hang', ({ troubledRate }) => troubledRate),
        ],
      },
      {
        title: 'From the event to the first byte at those 90, steady load',
        columns: [
          { name: 'side', unit: '' },
          ...['p50', 'p99', 'p99.9'].map((name) => ({ name, unit: 'ms' })),
        ],
        rows: [
          times('all answer', ({ calm }) => calm),
          times('10 hang', ({ troubled }) => troubled),
          ['ratio of p99', null, round(p99Ratio, 2), null],
        ],
      },
    ],
    notes: [
      `steady: ${steady.perSecond} events/s to each of the subscribers, for ${steady.seconds} s`,
      'hanging: takes the request and never answers; its attempts end after 10 s',
      'every delivery to a subscriber that answers arrived before the next load began',
    ],
  };
}
