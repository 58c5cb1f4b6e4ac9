/** Costs of a message, from the JSON of the suite `scale-out`. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import * as v from 'valibot';
import { type Costs, costsAt, shareApart } from './model.ts';

const CellSchema = v.union([v.number(), v.string(), v.null()]);
const ReportSchema = v.object({
  suite: v.literal('scale-out'),
  tables: v.tuple([
    v.object({
      columns: v.array(v.object({ name: v.string() })),
      rows: v.array(v.array(CellSchema)),
    }),
    v.object({ rows: v.array(v.tuple([v.string(), v.number()])) }),
  ]),
});
export type Report = v.InferOutput<typeof ReportSchema>;

/** Of the formations with the fewest and with the most processes of a role. */
const TOGETHER = 1;
const SPREAD = 4;

export function readReport(file: string): Report {
  return v.parse(ReportSchema, JSON.parse(readFileSync(resolve(file), 'utf8')));
}

export function costsOf({ tables: [formations, kinds] }: Report): Costs {
  const cell = (processes: number, name: string): number => {
    const value = cellOf(formations, processes, name);
    if (value === null) throw new Error(`the run has no ${name} for ${processes}`);
    return value;
  };
  /** With no two parts in one process: four processes show three quarters of it. */
  const apart = (name: string): number => {
    const together = cell(TOGETHER, name);
    return together + Math.max(0, cell(SPREAD, name) - together) / shareApart(SPREAD);
  };
  return {
    gateway: cell(SPREAD, 'gateway'),
    actors: cell(TOGETHER, 'actors'),
    actorsApart: apart('actors'),
    nats: cell(TOGETHER, 'nats'),
    natsApart: apart('nats'),
    mongo: cell(SPREAD, 'mongo'),
    byKind: Object.fromEntries(kinds.rows),
  };
}

type Formations = Report['tables'][0];

function cellOf({ columns, rows }: Formations, processes: number, name: string): number | null {
  const at = columns.findIndex((column) => column.name === name);
  const row = rows.find(([formation]) => formation === `${processes} + ${processes}`);
  const value = row?.[at];
  return typeof value === 'number' ? value : null;
}

interface Checked {
  readonly processes: number;
  readonly part: 'actors' | 'nats';
  /** Milliseconds of a core a message. */
  readonly measured: number;
  readonly predicted: number;
}

/** What the model says of formations from which it takes no cost, beside what they cost. */
export function checkedAgainst({ tables: [formations] }: Report, costs: Costs): readonly Checked[] {
  const others = formations.rows
    .map(([name]) => Number(String(name).split(' ')[0]))
    .filter((processes) => processes > TOGETHER && processes !== SPREAD);
  return others.flatMap((processes) =>
    (['actors', 'nats'] as const).flatMap((part) => {
      const measured = cellOf(formations, processes, part);
      if (measured === null) return [];
      return [{ processes, part, measured, predicted: costsAt(costs, processes)[part] }];
    }),
  );
}
