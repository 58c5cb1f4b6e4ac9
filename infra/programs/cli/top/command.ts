/**
 * `recado top` (D360): the running service in one window, for an operator. In a terminal it goes on
 * until `q`, elsewhere it prints one interval; with `--json` a line for each interval.
 */
import { type Command, InvalidArgumentError } from 'commander';
import type { Log } from '../../../../shared/ports/log.ts';
import { systemClock } from '../../../adapters/clock/clock.ts';
import { TABLE_MAX_COLUMNS } from '../output/print.ts';
import { type OpenBus, TIMEOUT_MS } from '../service/service.ts';
import { cutTo, type Line, printed } from './lines.ts';
import { BusLink } from './link.ts';
import { type Reading, readMoment, readRefs } from './reading.ts';
import { screenOf } from './screen.ts';
import { organizationsIn, type Snapshot, snapshotOf } from './snapshot.ts';
import type { OperatorTerminal } from './terminal.ts';

const EVERY_SECONDS = 2;
const EVERY_MAX_SECONDS = 3_600;
const SECOND_MS = 1_000;
const REACH_AGAIN_MS = 1_000;

const quiet = (): void => undefined;
const SILENT: Log = { debug: quiet, info: quiet, warn: quiet, error: quiet };

export interface ReachOptions {
  readonly timeoutMs: number;
  readonly log: Log;
  /** Ends the tries, and closes the bus. */
  readonly signal: AbortSignal;
}

export interface TopContext {
  readonly reach: (options: ReachOptions) => Promise<OpenBus>;
  readonly log: Log;
  /** Standard output. */
  readonly write: (text: string) => void;
  /** Absent where the command line runs inside another process. */
  readonly terminal?: OperatorTerminal | undefined;
}

interface TopOptions {
  readonly every: number;
  readonly once?: true;
}

export function addTop(program: Command, context: TopContext): void {
  program
    .command('top')
    .description('shows rates, latencies, backlog, processes and the busiest organizations, live')
    .option('--every <seconds>', 'length of an interval, from 0.5', parseSeconds, EVERY_SECONDS)
    .option('--once', 'print one interval and end')
    .action(async (options: TopOptions) => {
      const { json } = program.opts<{ json?: boolean }>();
      await top(context, options, json === true);
    });
}

/** @throws {InvalidArgumentError} */
function parseSeconds(text: string): number {
  const seconds = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && seconds >= 0.5 && seconds <= EVERY_MAX_SECONDS) return seconds;
  throw new InvalidArgumentError(`Give seconds from 0.5 to ${EVERY_MAX_SECONDS}.`);
}

async function top(context: TopContext, options: TopOptions, json: boolean): Promise<void> {
  const { reach, log, terminal } = context;
  const link = new BusLink((signal) => reach({ timeoutMs: REACH_AGAIN_MS, log: SILENT, signal }));
  let isWaiting = true;
  const warn: Log['warn'] = (...said) => {
    // Later on it would be written into the window.
    if (isWaiting) log.warn(...said);
  };
  await link.open((signal) => reach({ timeoutMs: TIMEOUT_MS, log: { ...SILENT, warn }, signal }));
  isWaiting = false;
  const ended = new AbortController();
  const end = () => ended.abort();
  const forget = terminal?.watchEnd(end);
  const watch = { link, everyMs: options.every * SECOND_MS, signal: ended.signal };
  try {
    if (json || options.once === true || !(await showLive(context, watch, end))) {
      await print(context, watch, { json, once: options.once === true || !json });
    }
  } finally {
    link.close();
    forget?.();
  }
}

interface Watch {
  readonly link: BusLink;
  readonly everyMs: number;
  /** Aborted when the operator ends the command. */
  readonly signal: AbortSignal;
}

/** False where there is no terminal. */
async function showLive(
  { terminal }: TopContext,
  watch: Watch,
  onQuit: () => void,
): Promise<boolean> {
  let shown: Snapshot | null = null;
  const draw = () => {
    if (!screen) return;
    const { columns, rows } = screen;
    const lines: readonly Line[] = shown ? screenOf(shown, { columns, rows }) : [READING];
    screen.show(lines.map((line) => printed(cutTo(line, columns), terminal?.coloured === true)));
  };
  const screen = terminal?.openScreen({ onQuit, onResize: draw });
  if (!screen) return false;
  try {
    draw();
    for await (const snapshot of snapshots(watch)) {
      shown = snapshot;
      draw();
    }
  } finally {
    screen.close();
  }
  return true;
}

const READING: Line = [{ text: 'recado top: reading the processes' }];

async function print(
  { write, terminal }: TopContext,
  watch: Watch,
  { json, once }: { readonly json: boolean; readonly once: boolean },
): Promise<void> {
  for await (const snapshot of snapshots(watch)) {
    // Without a reading before there are no rates.
    if (snapshot.seconds === 0) continue;
    write(json ? `${JSON.stringify(snapshot)}\n` : textOf(snapshot, terminal));
    if (once) return;
  }
}

/** As wide as other tables where there is no terminal: nothing is left out of `--json`. */
function textOf(snapshot: Snapshot, terminal: OperatorTerminal | undefined): string {
  const columns = terminal?.columns ?? TABLE_MAX_COLUMNS;
  const lines = screenOf(snapshot, { columns, rows: null });
  return lines.map((line) => `${printed(line, false)}\n`).join('');
}

/** A snapshot at once and then for each interval, until the signal. */
async function* snapshots({ link, everyMs, signal }: Watch): AsyncGenerator<Snapshot> {
  const refs = new Map<string, string>();
  let before: Reading | null = null;
  while (!signal.aborted) {
    const startedAt = systemClock.monotonic();
    const reading = await orEnd(signal, read(link, refs));
    if (reading === null) return;
    yield snapshotOf(before, reading, refs);
    before = reading;
    const leftMs = startedAt + everyMs - systemClock.monotonic();
    await orEnd(signal, new Promise((resume) => setTimeout(resume, Math.max(0, leftMs))));
  }
}

/** @param refs of organizations by id: gets those that are new */
async function read(link: BusLink, refs: Map<string, string>): Promise<Reading> {
  const bus = await link.bus();
  const reading = await readMoment(bus);
  const unknown = organizationsIn(reading).filter((id) => !refs.has(id));
  if (bus !== null && unknown.length > 0) {
    for (const [id, ref] of await readRefs(bus, unknown)) refs.set(id, ref);
  }
  return reading;
}

/** Null once the signal is aborted, whatever is under way. */
function orEnd<T>(signal: AbortSignal, work: Promise<T>): Promise<T | null> {
  const { promise, resolve } = Promise.withResolvers<null>();
  const end = () => resolve(null);
  if (signal.aborted) end();
  signal.addEventListener('abort', end, { once: true });
  return Promise.race([work, promise]).finally(() => signal.removeEventListener('abort', end));
}
