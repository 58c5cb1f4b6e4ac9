/**
 * Registers that calls write, whole or in part: an order of the calls explains what is there. A state
 * is never null.
 */
import type { Call } from './history.ts';
import { isLinearizable, type Operation } from './linearize.ts';

export interface Written<State extends object> {
  readonly initial: State;
  readonly last: State;
  /** When it was read. */
  readonly readAt: number;
  readonly calls: readonly Call[];
  readonly apply: (state: State, call: Call) => State;
}

/** A refused call has no effect, one of unknown outcome has one or none. */
export function isExplained<State extends object>(written: Written<State>): boolean {
  const { initial, last, readAt, calls, apply } = written;
  const keyOf = (state: State): string => JSON.stringify(state);
  const operations = calls
    .filter(({ outcome }) => outcome !== 'refused')
    .map(
      (call): Operation<State> => ({
        startedAt: call.startedAt,
        endedAt: call.endedAt,
        optional: call.outcome === 'unknown',
        apply: (state) => apply(state, call),
      }),
    );
  const read: Operation<State> = {
    startedAt: readAt,
    endedAt: Number.POSITIVE_INFINITY,
    optional: false,
    apply: (state) => (keyOf(state) === keyOf(last) ? state : null),
  };
  return isLinearizable({ initial, keyOf }, [...operations, read]) === true;
}
