/** Costs of a message, from the JSON of the suite `scale-out`. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import * as v from 'valibot';
import { type Costs, shareApart } from './model.ts';

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
type Report = v.InferOutput<typeof ReportSchema>;

/** Of the formations with the fewest and with the most processes of a role. */
const TOGETHER = 1;
const SPREAD = 4;

export function readCosts(file: string): Costs {
  return costsOf(v.parse(ReportSchema, JSON.parse(readFileSync(resolve(file), 'utf8'))));
}

export function costsOf({ tables: [formations, kinds] }: Report): Costs {
  const cell = (processes: number, name: string): number => {
    const at = formations.columns.findIndex((column) => column.name === name);
    const row = formations.rows.find(([formation]) => formation === `${processes} + ${processes}`);
    const value = row?.[at];
    if (typeof value !== 'number') throw new Error(`the run has no ${name} for ${processes}`);
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
