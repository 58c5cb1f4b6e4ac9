/** Writes the history of a run down as it happens. */
import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import type { Outcome, Recorded } from '../records.ts';

export interface Ending {
  readonly type: Outcome;
  readonly body: unknown;
}

export interface Recorder {
  readonly history: readonly Recorded[];
  /** Records the call before it is made and how it ended. */
  call<E extends Ending>(process: string, op: string, made: Made<E>): Promise<E>;
  /** Records an observation without a call. */
  seen(op: string, body: unknown, process?: string): void;
  /** Adds records that another process has written. */
  take(lines: readonly Recorded[]): void;
  close(): Promise<void>;
}

export interface Made<E extends Ending> {
  readonly request: unknown;
  readonly ask: () => Promise<E>;
}

/** Epoch milliseconds that never go back. */
export function now(): number {
  return performance.timeOrigin + performance.now();
}

/** In memory, and in a file where one is named. */
export function recorderTo(file: string | null): Recorder {
  const history: Recorded[] = [];
  const out = file === null ? null : createWriteStream(file);
  const add = (recorded: Recorded) => {
    history.push(recorded);
    out?.write(`${JSON.stringify(recorded)}\n`);
  };
  return {
    history,
    call: async (process, op, { request, ask }) => {
      add({ process, op, type: 'invoke', t: now(), body: request });
      const ending = await ask();
      add({ process, op, type: ending.type, t: now(), body: ending.body });
      return ending;
    },
    seen: (op, body, process = 'observer') => add({ process, op, type: 'ok', t: now(), body }),
    take: (lines) => {
      for (const line of lines) add(line);
    },
    close: async () => {
      if (out === null) return;
      out.end();
      await finished(out);
    },
  };
}
