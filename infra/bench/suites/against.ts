/**
 * This checkout against another one (`--against FOLDER`). Both services run beside each other, and
 * each load goes to one after the other, so that both meet the same hour of the machine.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type CheckoutSide, checkoutSide, type Figures } from '../against/sides.ts';
import { ROOT } from '../child-processes.ts';
import { exactCpuMs } from '../cpu.ts';
import { median, round } from '../rounds.ts';
import type { Cell, Context, Result, Suite } from '../suite.ts';

/** Caches fill, and new owners poll a second time after 10 s. */
const SETTLE_MS = 20_000;
const REST_MS = 40_000;
const REST = 'at rest, processor % of a core';

export const against: Suite = {
  name: 'against',
  about: 'this checkout and the one that --against names, in turns: accept, end to end, deliveries',
  run,
};

/** Figures by the side's name, in the order of the rounds. */
type Measured = ReadonlyMap<string, Figures[]>;

async function run(context: Context): Promise<Result> {
  const { against: other, rounds } = context.options;
  if (other === null) throw new Error('--against names the other checkout');
  const sides = [
    await checkoutSide(context, { name: 'this', root: ROOT }),
    await checkoutSide(context, { name: 'other', root: other }),
  ];
  const measured: Measured = new Map(sides.map(({ name }) => [name, []]));
  try {
    await sleep(SETTLE_MS);
    const rest = await Promise.all(sides.map(atRest));
    for (const side of sides) await side.measure();
    for (let number = 0; number < rounds; number++) {
      const order = number % 2 === 0 ? sides : sides.toReversed();
      for (const side of order) {
        const figures = await side.measure();
        measured.get(side.name)?.push(figures);
        context.logProgress(`${number + 1} of ${rounds}, ${side.name}: ${listed(figures)}`);
      }
    }
    return resultOf(measured, rest);
  } finally {
    for (const side of sides) await side.close();
  }
}

async function atRest({ service }: CheckoutSide): Promise<number> {
  const before = exactCpuMs(service.run().pids);
  await sleep(REST_MS);
  return (100 * (exactCpuMs(service.run().pids) - before)) / REST_MS;
}

function resultOf(measured: Measured, rest: readonly number[]): Result {
  const [ours = [], others = []] = [...measured.values()];
  const rows = Object.keys(ours[0] ?? {}).map((name): Cell[] => {
    const of = (side: readonly Figures[]) => side.map((figures) => figures[name] ?? Number.NaN);
    const ratios = of(ours).map((value, at) => value / (of(others)[at] ?? Number.NaN));
    return [name, round(median(of(ours)), 2), round(median(of(others)), 2), ...spreadOf(ratios)];
  });
  const [ourRest = Number.NaN, otherRest = Number.NaN] = rest;
  const restRow = [
    REST,
    round(ourRest, 2),
    round(otherRest, 2),
    ...spreadOf([ourRest / otherRest]),
  ];
  const columns = ['figure', 'this', 'other', 'this / other', 'least', 'most'];
  return {
    tables: [
      {
        title: 'This checkout and the other one, in turns',
        columns: columns.map((name) => ({ name, unit: '' })),
        rows: [...rows, restRow],
      },
    ],
    notes: ['medians of the rounds; the ratio is the median of the rounds’ ratios'],
  };
}

function listed(figures: Figures): string {
  return Object.values(figures)
    .map((figure) => round(figure, 2))
    .join(', ');
}

function spreadOf(ratios: readonly number[]): Cell[] {
  return [median(ratios), Math.min(...ratios), Math.max(...ratios)].map((each) => round(each, 2));
}
