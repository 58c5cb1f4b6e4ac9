/** Clients' calls and their answers: a time-out or a 5xx may or may not have happened. */
import type { Operation } from './coverage.ts';

export interface Asked {
  readonly operation: Operation;
  readonly client: number;
  /** The key under which calls are counted; null or absent where none are. */
  readonly key?: string | null;
  readonly startedAt: number;
  readonly endedAt: number;
  /** `unknown` is a 5xx or no answer at all. */
  readonly outcome: 'done' | 'refused' | 'unknown';
  readonly status: number;
  /** Of several tries the last one is answered: as things are by then. */
  readonly isRepeated: boolean;
  /** The request, in the operation's own words. */
  readonly request: Readonly<Record<string, unknown>>;
  /** The answer's body, parsed; null without one. */
  readonly response: Readonly<Record<string, unknown>> | null;
}

export function outcomeOf(status: number): Asked['outcome'] {
  if (status >= 200 && status < 300) return 'done';
  return status >= 400 && status < 500 ? 'refused' : 'unknown';
}
