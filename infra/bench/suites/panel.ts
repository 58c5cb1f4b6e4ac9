/**
 * The panel: the delay of a contact's message to the pixel. Then the processor time of an accepted
 * message, with and without open pages in turns.
 */
import type { CpuByRole } from '../cpu.ts';
import { type Delays, measureDelays, spreadOf } from '../panel/delays.ts';
import { openStage, PAGES, STREAMS, type Stage, startWith } from '../panel/stage.ts';
import { median, round } from '../rounds.ts';
import { costOf, type Formation } from '../scale-out/formations.ts';
import type { Cell, Column, Context, Result, Suite, Table } from '../suite.ts';

/** Contacts' messages of an organization; the target is for the second. */
const RATES = [1, 5, 20];
/** Of a round: 60 s by default. */
const DELAY_ROUNDS = 15;
const PAIRS_AT_LEAST = 5;
/** As in `against`: below what any machine sustains. */
const PER_SECOND = 100;
const WARM_UP_ROUNDS = 5;
/** A side rests while the others are measured: it collects garbage, and its caches cool. */
const AWAKE_SECONDS = 2;

export const panel: Suite = {
  name: 'panel',
  about: `webhook to pixel with ${STREAMS} streams and ${PAGES} pages; their cost for a message`,
  run,
};

async function run(context: Context): Promise<Result> {
  const stage = await openStage(context);
  const without = await startWith(context, 0);
  try {
    const long = { perSecond: PER_SECOND, seconds: WARM_UP_ROUNDS * context.options.seconds };
    for (const each of [stage.formation, without]) await costOf(each, long, {});
    context.logProgress('warm');
    // The costs first: until then both services have done the same.
    const costs = await costTable(context, stage, without);
    return { tables: [await delayTable(context, stage), costs], notes: NOTES };
  } finally {
    await stage.close();
    await without.close();
  }
}

const NOTES = [
  'delay: from ahead of the request to the simulator, which posts the webhook, until the frame is painted',
  `list: on each of ${PAGES} pages; thread: of the conversation that is open in one of them`,
  `cost: ${PER_SECOND} messages/s, each accepted, sent, delivered, read, told to one subscriber`,
  'cost: processor time of every process of the service but the simulator; ratios are medians of the pairs’ ratios',
];

const DELAYS: Column[] = [
  { name: 'messages', unit: '/s' },
  { name: 'place', unit: '' },
  { name: 'painted', unit: '' },
  { name: 'p50', unit: 'ms' },
  { name: 'p95', unit: 'ms' },
  { name: 'p99', unit: 'ms' },
  { name: 'max', unit: 'ms' },
];

async function delayTable({ logProgress, options }: Context, stage: Stage): Promise<Table> {
  const { contacts, pages } = stage;
  const rows: Cell[][] = [];
  await stage.enter();
  const warmUp = { perSecond: 5, seconds: 10, from: 0 };
  await measureDelays(contacts, pages, warmUp);
  let from = contacts.phones.length * 100;
  for (const perSecond of RATES) {
    const delays = await measureDelays(contacts, pages, {
      ...{ perSecond, from, seconds: DELAY_ROUNDS * options.seconds },
    });
    from += contacts.phones.length * 100;
    for (const place of ['list', 'thread'] as const) rows.push(rowOf(perSecond, place, delays));
    logProgress(`${perSecond}/s: ${rows.slice(-2).join('; ')}`);
  }
  await stage.leave();
  const title = `From the webhook to the pixel, ${STREAMS} streams and ${PAGES} pages open`;
  return { title, columns: DELAYS, rows };
}

function rowOf(perSecond: number, place: keyof Delays, delays: Delays): Cell[] {
  return [perSecond, place, delays[place].length, ...spreadOf(delays[place])];
}

interface CostSide {
  readonly name: string;
  readonly formation: Formation;
  enter?(): Promise<void>;
  leave?(): Promise<void>;
}

/** Milliseconds for a message by the side's name, in the order of the rounds. */
type Costs = ReadonlyMap<string, CpuByRole[]>;

async function costTable(context: Context, stage: Stage, without: Formation): Promise<Table> {
  const sides: readonly CostSide[] = [
    { name: 'no panel process', formation: without },
    { name: 'a panel process, no page', formation: stage.formation },
    { name: `${STREAMS} streams, ${PAGES} pages`, ...stage },
  ];
  const costs: Costs = new Map(sides.map(({ name }) => [name, []]));
  const pairs = Math.max(PAIRS_AT_LEAST, context.options.rounds);
  const pace = { perSecond: PER_SECOND, seconds: 2 * context.options.seconds };
  for (let pair = 0; pair < pairs; pair++) {
    for (const side of pair % 2 === 0 ? sides : sides.toReversed()) {
      await side.enter?.();
      await costOf(side.formation, { ...pace, seconds: AWAKE_SECONDS }, {});
      const { msByRole } = await costOf(side.formation, pace, {});
      await side.leave?.();
      costs.get(side.name)?.push(msByRole);
      context.logProgress(`${side.name}: ${round(serviceMs(msByRole), 2)} ms a message`);
    }
  }
  return tableOf(costs);
}

const ROLES = ['gateway', 'actors', 'panel', 'nats', 'mongo'] as const;

/** The simulator is the network's, not the service's. */
function serviceMs(ms: CpuByRole): number {
  return ROLES.reduce((sum, role) => sum + (ms[role] ?? 0), 0);
}

function tableOf(costs: Costs): Table {
  let before: readonly CpuByRole[] = [];
  const rows = [...costs].map(([name, measured]): Cell[] => {
    const ratios = measured.map((ms, at) => serviceMs(ms) / serviceMs(before[at] ?? {}));
    before = measured;
    const of = (value: (ms: CpuByRole) => number): number => round(median(measured.map(value)), 2);
    const [least, most] = [Math.min(...ratios), Math.max(...ratios)];
    return [
      name,
      ...ROLES.map((role) => of((ms) => ms[role] ?? 0)),
      of(serviceMs),
      ...[median(ratios), least, most].map((ratio) =>
        Number.isFinite(ratio) ? round(ratio, 3) : null,
      ),
    ];
  });
  const units = [...ROLES, 'all'].map((name) => ({ name, unit: 'ms' }));
  const ratios = ['of the row above', 'least', 'most'].map((name) => ({ name, unit: '' }));
  return {
    title: 'Processor time of an accepted message',
    columns: [{ name: 'side', unit: '' }, ...units, ...ratios],
    rows,
  };
}
