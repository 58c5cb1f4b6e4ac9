/** Draws a run's tables as SVG, lines over evenly spaced steps: one file for the documents. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import * as v from 'valibot';
import { ROOT } from './child-processes.ts';

const WIDTH = 720;
const HEIGHT = 300;
const LEFT = 70;
const RIGHT = 60;
const TOP = 58;
const BOTTOM = 30;
const GRID_LINES = 4;
/** Of one line's name, unless there are many. */
const LEGEND = 150;
const COLORS = ['#0b7a75', '#d1495b', '#edae49', '#5b5f97', '#30638e', '#6c757d'];

const TableSchema = v.object({
  columns: v.array(v.object({ name: v.string(), unit: v.string() })),
  rows: v.array(v.array(v.union([v.number(), v.string(), v.null()]))),
  chart: v.optional(v.object({ title: v.string(), x: v.string(), y: v.array(v.string()) })),
});
type ChartTable = v.InferOutput<typeof TableSchema>;

const ReportSchema = v.object({ suite: v.string(), tables: v.array(TableSchema) });

interface Line {
  readonly name: string;
  readonly values: readonly (number | null)[];
}

function cellsOf({ columns, rows }: ChartTable, name: string): (number | string | null)[] {
  const at = columns.findIndex((column) => column.name === name);
  if (at < 0) throw new Error(`no column ${name}`);
  return rows.map((row) => row[at] ?? null);
}

/** The next of 1, 2, 2.5, 5, 10 … above. */
function ceiling(value: number): number {
  const scale = 10 ** Math.floor(Math.log10(value || 1));
  return scale * ([1, 2, 2.5, 5, 10].find((step) => step * scale >= value) ?? 10);
}

function words(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

function drawing(title: string, steps: readonly string[], lines: readonly Line[]): string {
  const top = ceiling(Math.max(...lines.flatMap(({ values }) => values.map((each) => each ?? 0))));
  const stepX = (WIDTH - LEFT - RIGHT) / Math.max(1, steps.length - 1);
  const x = (at: number): number => Math.round(LEFT + at * stepX);
  const y = (value: number): number =>
    Math.round(HEIGHT - BOTTOM - (value / top) * (HEIGHT - TOP - BOTTOM));
  const grid = Array.from({ length: GRID_LINES + 1 }, (_, at) => {
    const value = (top * at) / GRID_LINES;
    return `<path d="M${LEFT} ${y(value)}H${WIDTH - RIGHT}" stroke="#ddd"/>
<text x="${LEFT - 8}" y="${y(value) + 4}" text-anchor="end">${value.toLocaleString('en-US')}</text>`;
  });
  const below = steps.map(
    (step, at) => `<text x="${x(at)}" y="${HEIGHT - 8}" text-anchor="middle">${words(step)}</text>`,
  );
  const drawn = lines.map(({ name, values }, at) => {
    const color = COLORS[at % COLORS.length];
    const points = values.flatMap((value, step) =>
      value === null ? [] : `${x(step)},${y(value)}`,
    );
    const legend = LEFT + at * Math.min(LEGEND, (WIDTH - LEFT - RIGHT) / lines.length);
    return `<polyline points="${points.join(' ')}" fill="none" stroke="${color}" stroke-width="2"/>
<text x="${legend}" y="42" fill="${color}">— ${words(name)}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-size="12" font-family="sans-serif">
<title>${words(title)}</title>
<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>
<text x="${LEFT}" y="20" font-size="14">${words(title)}</text>
${[...grid, ...below, ...drawn].join('\n')}
</svg>
`;
}

/** Draws the charts of `file` and returns their paths. */
export function drawCharts(file: string): readonly string[] {
  const { suite, tables } = v.parse(ReportSchema, JSON.parse(readFileSync(resolve(file), 'utf8')));
  mkdirSync(join(ROOT, 'docs', 'charts'), { recursive: true });
  return tables.flatMap((table, at) => {
    if (!table.chart) return [];
    const { title, x, y } = table.chart;
    const lines = y.map((name) => ({
      name,
      values: cellsOf(table, name).map((cell) => (typeof cell === 'number' ? cell : null)),
    }));
    const name = basename(at === 0 ? `${suite}.svg` : `${suite}-${at + 1}.svg`);
    const path = join('docs', 'charts', name);
    writeFileSync(join(ROOT, path), drawing(title, cellsOf(table, x).map(String), lines));
    return [path];
  });
}
