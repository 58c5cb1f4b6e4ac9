/** A checker is a set of rules: pure functions over a history, which say what broke a promise. */
import type { Call, History, Message, Store } from './history.ts';

/** One sentence for each violation; none is a pass. Null where the history lacks a fact. */
export type Rule = (history: History) => readonly string[] | null;

export interface Checker {
  readonly rules: Readonly<Record<string, Rule>>;
  /** The denominators. */
  readonly counted?: (history: History) => Readonly<Record<string, number>>;
}

export interface Verdict {
  readonly violations: readonly string[];
  readonly counted: Readonly<Record<string, number>>;
  /** Rules without the facts that they need. */
  readonly skipped: readonly string[];
}

export function verdictOf({ rules, counted }: Checker, history: History): Verdict {
  const found = Object.entries(rules).map(([name, rule]) => ({ name, wrong: rule(history) }));
  return {
    violations: found.flatMap(({ wrong }) => wrong ?? []),
    counted: counted?.(history) ?? {},
    skipped: found.flatMap(({ name, wrong }) => (wrong === null ? [name] : [])),
  };
}

/** A rule that looks into the record. */
export function fromStore(rule: (store: Store, history: History) => readonly string[]): Rule {
  return (history) => (history.store ? rule(history.store, history) : null);
}

/** Groups, and gives the groups of one key alone: `of` answers an empty list where none is. */
export function grouped<T>(list: readonly T[], keyOf: (each: T) => string) {
  const groups = Map.groupBy(list, keyOf);
  return { groups, of: (key: string): readonly T[] => groups.get(key) ?? [] };
}

/** Statuses of a message that the network has taken. */
export const TRANSMITTED: ReadonlySet<string> = new Set(['sent', 'delivered', 'read']);

export function callsOf({ calls }: History, ...operations: readonly string[]): readonly Call[] {
  return calls.filter(({ operation }) => operations.includes(operation));
}

/** Calls that ask for a message of their own, each with its text. */
export function sendsOf(history: History): readonly (Call & { readonly text: string })[] {
  return callsOf(history, 'send', 'schedule').flatMap((call) =>
    call.request.text ? [{ ...call, text: call.request.text }] : [],
  );
}

export function outOf({ messages }: History): readonly Message[] {
  return messages.filter(({ direction }) => direction === 'out');
}

/**
 * Of one thing that was asked for under one name: accepted, it is there once and under the answered
 * id; refused, it is not there; of unknown outcome, it is there once or not at all.
 */
export function presence(
  name: string,
  calls: readonly Call[],
  there: readonly string[],
): readonly string[] {
  const ids = new Set(calls.flatMap(({ answer }) => answer?.messageId ?? answer?.id ?? []));
  const [[answered], [id]] = [[...ids], there];
  if (there.length > 1) return [`${name} is there ${there.length} times: ${there.join(', ')}`];
  if (ids.size > 1) return [`${name} was answered as ${[...ids].join(', ')}`];
  if (calls.every(({ outcome }) => outcome === 'refused')) {
    return id === undefined ? [] : [`${name} was refused and is there`];
  }
  if (calls.every(({ outcome }) => outcome !== 'ok')) return [];
  if (id === undefined) return [`${name} was accepted and is lost`];
  return answered === undefined || answered === id
    ? []
    : [`${name} was answered ${answered} and is ${id}`];
}
