/**
 * Lines of `recado top`: tables of right-aligned numbers, blocks beside each other, colours. Pure.
 *
 * 1. No line is wider than asked for: columns that do not fit are left out, the last ones first,
 *    and what is still too wide is cut. Nothing wraps.
 * 2. Colours take no room, and nothing that was stored reaches the terminal as a control character.
 */
import { visible } from '../output/visible.ts';

export type Tone = 'title' | 'head' | 'dim' | 'good' | 'warn' | 'bad';

export interface Piece {
  readonly text: string;
  readonly tone?: Tone | undefined;
}

export type Line = readonly Piece[];

export interface Column<Row> {
  readonly head: string;
  readonly text: (row: Row) => string;
  readonly tone?: (row: Row) => Tone | undefined;
  /** Names are aligned left, numbers right. */
  readonly left?: true;
  /** Left out where it does not fit; behind it only others that are. */
  readonly spare?: true;
}

const GAP = 2;
const BLOCK_GAP = 4;
const SGR: Readonly<Record<Tone, string>> = {
  ...{ title: '1;36', head: '2', dim: '2' },
  ...{ good: '32', warn: '33', bad: '1;31' },
};

export function widthOf(line: Line): number {
  return line.reduce((width, { text }) => width + [...text].length, 0);
}

/** A part of the window. */
export interface Block {
  /** Columns without which it is not shown beside another block. */
  readonly leastWidth: number;
  readonly lines: (width: number) => readonly Line[];
}

/** Heads, then a line for each row; the first head is the table's title. */
export function table<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): Block {
  const cells = columns.map(({ head, text }) => [head, ...rows.map((row) => visible(text(row)))]);
  const widths = cells.map((texts) => Math.max(...texts.map((text) => [...text].length)));
  const lineAt = (at: number, shown: number): Line =>
    columns.slice(0, shown).map(({ left, tone }, column) => {
      const text = cells[column]?.[at] ?? '';
      const padding = ' '.repeat((widths[column] ?? 0) - [...text].length);
      const row = rows[at - 1];
      return {
        text: `${column > 0 ? ' '.repeat(GAP) : ''}${left ? text + padding : padding + text}`,
        tone: row === undefined ? headTone(column) : tone?.(row),
      };
    });
  const needed = columns.flatMap(({ spare }, column) => (spare ? [] : [widths[column] ?? 0]));
  return {
    leastWidth: needed.reduce((sum, width) => sum + width, (needed.length - 1) * GAP),
    lines(width) {
      const shown = fitting(widths, width);
      return [0, ...rows.map((_, at) => at + 1)].map((at) => lineAt(at, shown));
    },
  };
}

function headTone(column: number): Tone {
  return column === 0 ? 'title' : 'head';
}

/** Number of the first columns that fit, at least one. */
function fitting(widths: readonly number[], width: number): number {
  let used = widths[0] ?? 0;
  const at = widths.slice(1).findIndex((next) => {
    used += GAP + next;
    return used > width;
  });
  return at < 0 ? widths.length : at + 1;
}

/** Blocks beside each other as far as they fit, further ones below; between them an empty line. */
export function flow(blocks: readonly Block[], width: number): readonly Line[] {
  const bands: { lines: readonly Line[]; width: number }[] = [];
  for (const block of blocks) {
    const band = bands.at(-1);
    const from = band ? band.width + BLOCK_GAP : 0;
    if (band && from + block.leastWidth <= width) {
      const lines = block.lines(width - from);
      band.lines = beside(band.lines, lines, from);
      band.width = from + widest(lines);
    } else {
      const lines = block.lines(width);
      bands.push({ lines, width: widest(lines) });
    }
  }
  return bands.flatMap(({ lines }, at) => (at === 0 ? lines : [[], ...lines]));
}

function widest(lines: readonly Line[]): number {
  return Math.max(0, ...lines.map(widthOf));
}

function beside(left: readonly Line[], right: readonly Line[], from: number): readonly Line[] {
  const height = Math.max(left.length, right.length);
  return Array.from({ length: height }, (_, at) => {
    const line = left[at] ?? [];
    const other = right[at] ?? [];
    return other.length === 0
      ? line
      : [...line, { text: ' '.repeat(from - widthOf(line)) }, ...other];
  });
}

export function cutTo(line: Line, width: number): Line {
  let remaining = width;
  return line.flatMap(({ text, tone }) => {
    const cut = [...text].slice(0, remaining).join('');
    remaining -= [...cut].length;
    return cut === '' ? [] : [{ text: cut, tone }];
  });
}

/** @param coloured for a terminal that shows colours */
export function printed(line: Line, coloured: boolean): string {
  const text = line.map((piece) => (coloured ? painted(piece) : piece.text)).join('');
  return coloured ? text : text.trimEnd();
}

function painted({ text, tone }: Piece): string {
  return tone === undefined ? text : `\u001b[${SGR[tone]}m${text}\u001b[0m`;
}
