/**
 * Reads one entry of a provisioning file and finds every problem in it. Invalid values are removed
 * and the rest is read again, so that later checks still run on it. The problems have the paths
 * that need no second check.
 */
import * as v from 'valibot';
import type { ProblemAt } from '../problems/provisioning.ts';
import { problemOf } from './problem-message.ts';

export interface ReadEntry<T> {
  /** The readable part; null without a usable name. */
  readonly entry: T | null;
  readonly issues: readonly ProblemAt[];
}

type Tree = Record<string, unknown>;

function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function joinPath(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('.');
}

/** A copy without the property that `keys` lead to; a list on the way goes as a whole. */
function without(tree: Tree, keys: readonly string[]): Tree {
  const [name = '', ...rest] = keys;
  const child = tree[name];
  const others = Object.entries(tree).filter(([key]) => key !== name);
  const retained = isTree(child) && rest.length > 0 ? [[name, without(child, rest)]] : [];
  return Object.fromEntries([...others, ...retained]);
}

function hasKey(tree: unknown, name: string | undefined): boolean {
  return isTree(tree) && name !== undefined && Object.hasOwn(tree, name);
}

function keysOf(issue: v.BaseIssue<unknown>): string[] {
  return (issue.path ?? []).map((item) => String(item.key));
}

/** Reads `raw`, found at `path` (dots, 0-based indexes), as `schema` has it. */
export function readEntry<S extends v.GenericSchema>(
  schema: S,
  raw: unknown,
  path: string,
): ReadEntry<v.InferOutput<S>> {
  const issues: ProblemAt[] = [];
  let rest = raw;
  for (;;) {
    const read = v.safeParse(schema, rest);
    if (read.success) return { entry: read.output, issues };
    for (const issue of read.issues) {
      const found = { path: joinPath(path, ...keysOf(issue)), problem: problemOf(issue.message) };
      if (!issues.some((known) => known.path === found.path)) issues.push(found);
    }
    const wrong = read.issues.map(keysOf);
    // Without its name an entry cannot be checked; else each iteration removes a value.
    if (!isTree(rest) || wrong.some((keys) => keys[0] === 'ref' || !hasKey(rest, keys[0]))) {
      return { entry: null, issues };
    }
    rest = wrong.reduce(without, rest);
  }
}

/** Whether a problem at `path` repeats, or follows from, one of `issues`. */
export function isCovered(issues: readonly ProblemAt[], path: string): boolean {
  return issues.some(
    (issue) =>
      issue.path === path || issue.path.startsWith(`${path}.`) || path.startsWith(`${issue.path}.`),
  );
}
