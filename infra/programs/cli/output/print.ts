/**
 * How the command line shows values: one JSON value, or a table for people.
 *
 * 1. No table is wider than 100 columns: its widest cells are cut, or go on in the next line.
 * 2. Ids are never cut: they are the next command's input.
 */
import { visible } from './visible.ts';

export const TABLE_MAX_COLUMNS = 100;
const GAP = 2;
/** Cells are cut down to it, not further. */
const CELL_MIN = 6;
/** Columns to copy from: cut last. */
const COPIED: ReadonlySet<string> = new Set(['id', 'ref']);

export type Row = Readonly<Record<string, unknown>>;

/** The treatment of cells that are too wide. */
export type Fit = 'cut' | 'wrap';

function cell(value: unknown): string {
  // A line break in a name would break the table, and an escape later on would widen its column.
  return visible(written(value).replace(/\s+/g, ' '));
}

function written(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) {
    return value.length === 0 ? '-' : value.join(',');
  }
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function lengthOf(text: string): number {
  return [...text].length;
}

/** Widths that fit, where possible: the widest column shrinks first, ids never. */
function fitted(names: readonly string[], natural: readonly number[]): readonly number[] {
  const widths = [...natural];
  const available = TABLE_MAX_COLUMNS - GAP * (names.length - 1);
  const isCut = (name: string): boolean => !COPIED.has(name);
  for (const gives of [isCut, (name: string) => name !== 'id']) {
    for (;;) {
      const sum = widths.reduce((total, width) => total + width, 0);
      const widest = names.reduce(
        (most, name, column) =>
          gives(name) && (widths[column] ?? 0) > (widths[most] ?? CELL_MIN) ? column : most,
        -1,
      );
      if (sum <= available || widest < 0) break;
      widths[widest] = (widths[widest] ?? 0) - 1;
    }
  }
  return widths;
}

function cut(text: string, width: number): readonly string[] {
  const signs = [...text];
  return [signs.length <= width ? text : `${signs.slice(0, width - 1).join('')}…`];
}

/** Lines of whole words; a word that is too long is broken. */
function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (lengthOf(longer) <= width) {
      line = longer;
      continue;
    }
    if (line !== '') lines.push(line);
    const signs = [...word];
    while (signs.length > width) lines.push(signs.splice(0, width).join(''));
    line = signs.join('');
  }
  return [...lines, line];
}

/** Columns are the properties of the rows, in the order in which they first come up. */
export function renderTable(rows: readonly Row[], fit: Fit = 'cut'): string {
  if (rows.length === 0) return '(none)\n';
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const lines = [names, ...rows.map((row) => names.map((name) => cell(row[name])))];
  const natural = names.map((_, column) =>
    Math.max(...lines.map((line) => lengthOf(line[column] ?? ''))),
  );
  const widths = fitted(names, natural);
  const fold = fit === 'cut' ? cut : wrap;
  return lines
    .flatMap((line) => {
      const cells = line.map((text, column) => fold(text, widths[column] ?? 0));
      const height = Math.max(...cells.map((parts) => parts.length));
      return Array.from({ length: height }, (_, at) => cells.map((parts) => parts[at] ?? ''));
    })
    .map((line) =>
      line
        .map((text, column) => text + ' '.repeat((widths[column] ?? 0) - lengthOf(text)))
        .join(' '.repeat(GAP))
        .trimEnd(),
    )
    .map((line) => `${line}\n`)
    .join('');
}

/** A list's rows, or one entity's properties one below the other. */
export function render(value: Row, fit: Fit = 'cut'): string {
  const { data } = value;
  if (Array.isArray(data)) return renderTable(data, fit);
  const entries = Object.entries(value).map(([name, own]) => [name, cell(own)] as const);
  const width = Math.max(...entries.map(([name]) => name.length));
  return entries.map(([name, text]) => `${name.padEnd(width)}  ${text}\n`).join('');
}
