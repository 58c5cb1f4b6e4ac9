/**
 * Linearizability check: whether operations on one register have an order that explains them all
 * (Wing and Gong's search, with a memory of what was tried).
 * 1. An operation takes effect at one moment between its start and its end.
 * 2. An optional one, with unknown outcome, takes effect at any moment after its start, or never.
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
const STATES_MAX = 500_000;

/** Null where there were too many ways to try. */
export function isLinearizable<State>(
  register: Register<State>,
  operations: readonly Operation<State>[],
): boolean | null {
  const optional = operations.filter((operation) => operation.optional).length;
  // Operations without an answer have seldom taken effect: few of them are tried before many.
  for (let happened = 0; happened <= optional; happened++) {
    const found = search(register, operations, happened);
    if (found !== false) return found;
  }
  return false;
}

/** With so many of the optional ones at most. */
function search<State>(
  { initial, keyOf }: Register<State>,
  operations: readonly Operation<State>[],
  happened: number,
): boolean | null {
  const sure = operations.filter(({ optional }) => !optional).length;
  const tried = new Set<string>();
  const stack = [{ state: initial, done: 0n, left: sure, may: happened }];
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    if (at.left === 0) return true;
    const { state, done, left, may } = at;
    const name = `${done} ${keyOf(state)}`;
    if (tried.has(name)) continue;
    if (tried.size >= STATES_MAX) return null;
    tried.add(name);
    for (const [index, operation] of firstOnes(operations, done)) {
      const next = operation.apply(state);
      if (next === null) continue;
      const place = done | (1n << BigInt(index));
      if (!operation.optional) stack.push({ state: next, done: place, left: left - 1, may });
      // One that changes nothing now might as well not happen.
      else if (may > 0 && keyOf(next) !== keyOf(state))
        stack.push({ state: next, done: place, left, may: may - 1 });
    }
  }
  return false;
}

/** Remaining operations that no other remaining operation must precede. */
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
