/**
 * This checkout against another one (`--against FOLDER`). Both services run beside each other, and
 * each load goes to one after the other, so that both meet the same hour of the machine. All
 * processes of the service that started first cost more, up to a third: so there are two sittings,
 * each checkout starts first in one, and both sittings count alike (D498).
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Checkout, type CheckoutSide, checkoutSide, type Figures } from '../against/sides.ts';
import { ROOT } from '../child-processes.ts';
import { exactCpuMs } from '../cpu.ts';
import { median, round } from '../rounds.ts';
import type { Cell, Context, Result, Suite } from '../suite.ts';

/** Caches fill, and new owners poll a second time after 10 s. */
const SETTLE_MS = 20_000;
const REST_MS = 40_000;
const REST = 'at rest, processor % of a core';
const OURS = 'this';
const OTHERS = 'other';

export const against: Suite = {
  name: 'against',
  about: 'this checkout and the one that --against names, in turns: accept, end to end, deliveries',
  run,
};

interface Sitting {
  /** By the side's name, in the order of the rounds. */
  readonly measured: ReadonlyMap<string, readonly Figures[]>;
  readonly rest: ReadonlyMap<string, number>;
}

async function run(context: Context): Promise<Result> {
  const { against: other, rounds } = context.options;
  if (other === null) throw new Error('--against names the other checkout');
  const checkouts = [
    { name: OURS, root: ROOT },
    { name: OTHERS, root: other },
  ];
  const half = Math.ceil(rounds / 2);
  const sittings = [
    await sit(context, checkouts, half),
    await sit(context, checkouts.toReversed(), half),
  ];
  return resultOf(sittings);
}

/** @param checkouts in the order in which their services start */
async function sit(
  context: Context,
  checkouts: readonly Checkout[],
  rounds: number,
): Promise<Sitting> {
  const sides: CheckoutSide[] = [];
  for (const checkout of checkouts) sides.push(await checkoutSide(context, checkout));
  const [first = ''] = sides.map(({ name }) => name);
  const measured = new Map<string, Figures[]>(sides.map(({ name }) => [name, []]));
  try {
    await sleep(SETTLE_MS);
    const rests = sides.map(async (side) => [side.name, await atRest(side)] as const);
    const rest = new Map(await Promise.all(rests));
    for (const side of sides) await side.measure();
    for (let number = 0; number < rounds; number++) {
      const order = number % 2 === 0 ? sides : sides.toReversed();
      for (const side of order) {
        const figures = await side.measure();
        measured.get(side.name)?.push(figures);
        const at = `${first} started first, ${number + 1} of ${rounds}`;
        context.logProgress(`${at}, ${side.name}: ${listed(figures)}`);
      }
    }
    return { measured, rest };
  } finally {
    for (const side of sides) await side.close();
  }
}

async function atRest({ service }: CheckoutSide): Promise<number> {
  const before = exactCpuMs(service.run().pids);
  await sleep(REST_MS);
  return (100 * (exactCpuMs(service.run().pids) - before)) / REST_MS;
}

function resultOf(sittings: readonly Sitting[]): Result {
  const of = (side: string) => sittings.map(({ measured }) => measured.get(side) ?? []);
  const [ours, others] = [of(OURS), of(OTHERS)];
  const rows = Object.keys(ours[0]?.[0] ?? {}).map((name): Cell[] => {
    const values = (side: readonly (readonly Figures[])[]) =>
      side.map((rounds) => rounds.map((figures) => figures[name] ?? Number.NaN));
    return rowOf(name, values(ours), values(others));
  });
  const rests = (side: string) => sittings.map(({ rest }) => [rest.get(side) ?? Number.NaN]);
  const columns = ['figure', OURS, OTHERS, `${OURS} / ${OTHERS}`, 'least', 'most'];
  return {
    tables: [
      {
        title: 'This checkout and the other one, in turns',
        columns: columns.map((name) => ({ name, unit: '' })),
        rows: [...rows, rowOf(REST, rests(OURS), rests(OTHERS))],
      },
    ],
    notes: [
      'medians of the rounds; the ratio is the geometric mean of two medians of the rounds’ ratios: with this checkout started first, and with the other one',
    ],
  };
}

/** @param ours a list of the rounds' values for each sitting, as in `others` */
function rowOf(
  name: string,
  ours: readonly (readonly number[])[],
  others: readonly (readonly number[])[],
): Cell[] {
  const ratios = ours.map((values, sitting) =>
    values.map((value, at) => value / (others[sitting]?.[at] ?? Number.NaN)),
  );
  const ratio = Math.sqrt(ratios.map(median).reduce((product, each) => product * each, 1));
  const figures = [median(ours.flat()), median(others.flat()), ratio];
  return [
    name,
    ...[...figures, Math.min(...ratios.flat()), Math.max(...ratios.flat())].map((each) =>
      round(each, 2),
    ),
  ];
}

function listed(figures: Figures): string {
  return Object.values(figures)
    .map((figure) => round(figure, 2))
    .join(', ');
}
