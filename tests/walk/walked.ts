/** The files that one request walked through, from the samples of the processes. */
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Phase, Ran } from './phases.ts';

export interface Step {
  /** From the project's root. */
  readonly file: string;
  /** The functions that ran for the request alone, in the order of the file. */
  readonly functions: readonly string[];
}

/**
 * Files with a function that ran in the phase and not while the process was idle, in the order in
 * which they were first seen. Files of one sample are in the order of `path`.
 *
 * @param path the rank of a file in the order of imports, from the programs down
 */
export function walked(
  ran: readonly Ran[],
  phase: Phase,
  { root, path }: { readonly root: string; readonly path: (file: string) => number },
): readonly Step[] {
  const idle = new Set(ran.filter((each) => each.phase === 'idle').map(keyOf));
  const files = new Map<string, { atMs: number; functions: Map<number, string> }>();
  for (const each of ran) {
    if (each.phase !== phase || idle.has(keyOf(each))) continue;
    const file = relative(root, fileURLToPath(each.file));
    const known = files.get(file);
    const functions = (known?.functions ?? new Map<number, string>()).set(each.at, each.name);
    files.set(file, { atMs: Math.min(known?.atMs ?? each.atMs, each.atMs), functions });
  }
  return [...files]
    .sort(([a, left], [b, right]) => left.atMs - right.atMs || path(a) - path(b))
    .map(([file, { functions }]) => ({
      file,
      functions: [...functions].sort(([a], [b]) => a - b).map(([, name]) => name),
    }));
}

function keyOf({ file, at }: Ran): string {
  return `${file}:${at}`;
}
