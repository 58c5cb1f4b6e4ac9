/**
 * Whether operations on one register have an order that explains them all (Wing and Gong's search,
 * with a memory of what was tried).
 *
 * 1. An operation takes effect at one moment between its start and its end.
 * 2. An optional one, of which nobody knows, may take effect at any moment after its start, or not.
 * 3. Every answer is the one that the register gives at that moment.
 */

export interface Operation<State> {
  readonly startedAt: number;
  readonly endedAt: number;
  readonly optional: boolean;
  /** The state after it; null where the answer contradicts the state before it. */
  readonly apply: (state: State) => State | null;
}

export interface Register<State> {
  readonly initial: State;
  /** Equal states have equal keys. */
  readonly keyOf: (state: State) => string;
}

/** Beyond so many it is given up; a history that has an order shows it long before. */
const STATES_MAX = 2_000_000;

/** Null where there were too many ways to try. */
export function isLinearizable<State>(
  { initial, keyOf }: Register<State>,
  operations: readonly Operation<State>[],
): boolean | null {
  const sure = operations.filter(({ optional }) => !optional).length;
  const tried = new Set<string>();
  const stack = [{ state: initial, done: 0n, left: sure }];
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    if (at.left === 0) return true;
    const { state, done, left } = at;
    const name = `${done} ${keyOf(state)}`;
    if (tried.has(name)) continue;
    if (tried.size >= STATES_MAX) return null;
    tried.add(name);
    for (const [index, operation] of firstOnes(operations, done)) {
      const next = operation.apply(state);
      if (next === null) continue;
      // One that changes nothing now might as well not happen.
      if (operation.optional && keyOf(next) === keyOf(state)) continue;
      const place = done | (1n << BigInt(index));
      stack.push({ state: next, done: place, left: operation.optional ? left : left - 1 });
    }
  }
  return false;
}

/** Those of the rest that no other one of the rest has to come before. */
function firstOnes<State>(
  operations: readonly Operation<State>[],
  done: bigint,
): (readonly [number, Operation<State>])[] {
  const rest = operations
    .map((operation, index) => [index, operation] as const)
    .filter(([index]) => (done & (1n << BigInt(index))) === 0n);
  const firstEnd = Math.min(...rest.map(([, { endedAt }]) => endedAt));
  return rest.filter(([, { startedAt }]) => startedAt <= firstEnd);
}
