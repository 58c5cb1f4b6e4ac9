/**
 * Plan of a run: which test files run beside which. Files that strain a machine run one after
 * another, so that none of them starves another. Files that start no service share a process: half
 * of such a file's processor time is the start of its process.
 */
import { dependentsOn, IMPORT } from './changed-tests.ts';

/** Test files that one process runs. */
export type Step = readonly string[];

export interface Plan {
  /** One after another, beside the others. */
  readonly straining: readonly Step[];
  /** The longest first: no core waits for them at the end. */
  readonly others: readonly Step[];
}

/** They kill or overload a whole service, and expect it back within seconds. */
const STRAINING = /^tests\/(chaos|overload)\/[^/]+$|[-/](killed|rolling-restart)\.test\.ts$/;
const LONGEST = /^tests\/(simulation|fuzz|mutations)\/[^/]+$/;
const STARTS_PROGRAMS = /^import (?!type).*'node:(child_process|worker_threads)'/m;
/** An engine of a file's own is no service: its start is all that it costs. */
const ENGINE = 'tests/simulation/memory/conformance/engine.ts';
/** They measure their process. */
const MEASURES = /\bgc\(|heapUsed|memoryUsage|setFlagsFromString/;
const CHANGES_SETTINGS = /process\.env\b/;
/** A crash, or a leak, concerns one group. */
const GROUP_MAX = 60;

/**
 * @param files paths from the root
 * @param texts of all files of code, by path
 */
export function planOf(files: readonly string[], texts: ReadonlyMap<string, string>): Plan {
  const apartThemselves = [...texts].flatMap(([path, text]) => {
    const starts = STARTS_PROGRAMS.test(text) && path !== ENGINE;
    return starts || (path.startsWith('tests/') && MEASURES.test(text)) ? path : [];
  });
  const allApart = dependentsOn(apartThemselves, texts, IMPORT);
  const kindOf = (path: string): 'straining' | 'longest' | 'grouped' | 'apart' => {
    if (STRAINING.test(path)) return 'straining';
    if (LONGEST.test(path)) return 'longest';
    const isApart = allApart.has(path) || CHANGES_SETTINGS.test(texts.get(path) ?? '');
    return isApart ? 'apart' : 'grouped';
  };
  const { straining, longest, grouped, apart } = Object.groupBy(files, kindOf);
  return {
    straining: inSteps(straining, 1),
    others: [...inSteps(longest, 1), ...inSteps(grouped, GROUP_MAX), ...inSteps(apart, 1)],
  };
}

function inSteps(files: readonly string[] = [], most: number): readonly Step[] {
  const steps = Object.groupBy(files, (_, index) => Math.floor(index / most));
  return Object.values(steps).flatMap((step) => (step ? [step] : []));
}
