/**
 * The window of `recado top`: the terminal's other screen, as an editor uses it.
 *
 * 1. However the process ends, the screen that was there before is back, but after SIGKILL.
 * 2. `q`, a signal, or a reader that has gone away ends the command in order.
 */
import type { Environment } from '../../../config/config.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** The other screen, without a cursor; a character of two columns must not begin a new line. */
const ENTER = '\u001b[?1049h\u001b[?25l\u001b[?7l';
const LEAVE = '\u001b[?7h\u001b[?25h\u001b[?1049l';
const HOME = '\u001b[H';
/** Before the line: behind a full one it would take its last character. */
const CLEAR_LINE = '\u001b[2K';
const CLEAR_BELOW = '\u001b[J';
/** Ctrl-C too, which a raw terminal sends as a character. */
const QUIT: ReadonlySet<string> = new Set(['q', 'Q', '\u0003']);

/** Of a terminal that does not tell its size. */
const COLUMNS = 80;
const ROWS = 24;

export interface FullScreen {
  readonly columns: number;
  readonly rows: number;
  /** Replaces what is shown: at most as many lines as there are rows. */
  show(lines: readonly string[]): void;
  close(): void;
}

interface ScreenEvents {
  readonly onQuit: () => void;
  readonly onResize: () => void;
}

/** The terminal that a command runs in. */
export interface OperatorTerminal {
  readonly coloured: boolean;
  /** Undefined where standard output is no terminal. */
  readonly columns: number | undefined;
  /** Null where standard output is no terminal. */
  openScreen(events: ScreenEvents): FullScreen | null;
  /** Calls `end` in the place of the usual ends, until the returned function is called. */
  watchEnd(end: () => void): () => void;
}

export function processTerminal(environment: Environment): OperatorTerminal {
  const isTerminal = process.stdout.isTTY;
  return {
    columns: process.stdout.columns || undefined,
    coloured: isTerminal && !environment.NO_COLOR,
    openScreen: (events) => (isTerminal ? openScreen(events) : null),
    watchEnd,
  };
}

function watchEnd(end: () => void): () => void {
  for (const signal of SIGNALS) process.on(signal, end);
  // It stays: what is still written to a closed pipe must not become a fault.
  process.stdout.on('error', end);
  return () => {
    for (const signal of SIGNALS) process.removeListener(signal, end);
  };
}

function openScreen({ onQuit, onResize }: ScreenEvents): FullScreen {
  const { stdin, stdout } = process;
  const onKeys = (keys: Buffer) => {
    if ([...keys.toString()].some((key) => QUIT.has(key))) onQuit();
  };
  let isOpen = true;
  const restore = () => {
    if (!isOpen) return;
    isOpen = false;
    if (stdin.isTTY) stdin.setRawMode(false);
    stdout.write(LEAVE);
  };
  if (stdin.isTTY) {
    stdin.setRawMode(true);
    stdin.on('data', onKeys);
  }
  stdout.on('resize', onResize);
  process.once('exit', restore);
  // Before the fault is printed: on the other screen nobody would read it.
  process.once('uncaughtExceptionMonitor', restore);
  stdout.write(ENTER);
  return {
    get columns() {
      return stdout.columns || COLUMNS;
    },
    get rows() {
      return stdout.rows || ROWS;
    },
    show(lines) {
      const text = lines.map((line) => `${CLEAR_LINE}${line}`).join('\r\n');
      if (isOpen) stdout.write(`${HOME}${text}${CLEAR_BELOW}`);
    },
    close() {
      restore();
      stdin.off('data', onKeys);
      stdin.pause();
      stdout.off('resize', onResize);
      process.off('exit', restore);
      process.off('uncaughtExceptionMonitor', restore);
    },
  };
}
