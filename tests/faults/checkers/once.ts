/**
 * What is made takes effect once (I1, I8; D29: Idempotency-Key): deals and tasks by their titles,
 * and calls under a key, however often they were repeated. Messages have the same rule in `sends`.
 */
import { type Checker, callsOf, fromStore, grouped, presence, type Rule } from './checker.ts';
import type { History } from './history.ts';

const createdIsThere: Rule = (history) => [
  ...missing(history, 'deal', history.deals),
  ...missing(history, 'task', history.store?.tasks ?? []),
];

interface Titled {
  readonly id: string;
  readonly title: string;
}

function missing(history: History, what: 'deal' | 'task', stored: readonly Titled[]) {
  const creates = callsOf(history, `${what}-create`);
  const found = grouped(withFirstTitles(history, what, stored), ({ title }) => title);
  return [...grouped(creates, ({ request }) => request.title ?? '').groups].flatMap(
    ([title, mine]) => {
      const ids = found.of(title).map(({ id }) => id);
      return presence(`the ${what} ${title}`, mine, ids);
    },
  );
}

/** Each with its title at its creation. A title of a later change is of no call that creates. */
function withFirstTitles(history: History, what: string, stored: readonly Titled[]) {
  const made = new Map(
    callsOf(history, `${what}-create`).map(({ answer, request }) => [answer?.id, request.title]),
  );
  const changes = callsOf(history, `${what}-change`);
  const later = new Set(changes.flatMap(({ request }) => request.title ?? []));
  return stored.flatMap(({ id, title }): Titled[] => {
    const first = made.get(id);
    if (first !== undefined) return [{ id, title: first }];
    return later.has(title) ? [] : [{ id, title }];
  });
}

/** Calls under a key write a value of their own: a record takes it once. */
const noKeyedCallHasTwoEffects = fromStore((store, { calls }) => {
  const times = grouped(store.changes, ({ value }) => value);
  return calls.flatMap(({ operation, outcome, status, request: { keyed } }) => {
    if (keyed === undefined) return [];
    const effects = times.of(keyed).length;
    const what = `${operation} ${keyed} (${status})`;
    if (effects > 1) return [`${what} took effect ${effects} times`];
    if (outcome === 'ok' && effects === 0) return [`${what} was acknowledged and had no effect`];
    return outcome === 'refused' && effects > 0 ? [`${what} took effect all the same`] : [];
  });
});

export const once: Checker = {
  rules: { createdIsThere, noKeyedCallHasTwoEffects },
  counted: ({ calls }) => {
    const tries = calls.filter(({ request }) => request.onceKey !== undefined);
    const keys = [...Map.groupBy(tries, ({ request }) => request.onceKey).values()];
    const repeated = keys.filter(({ length }) => length > 1).length;
    return { tries: tries.length, keys: keys.length, repeated };
  },
};
