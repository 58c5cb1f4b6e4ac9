/**
 * Plan of a run: which test files run beside which. Files that strain a machine run one after
 * another, so that none of them starves another. Files share a process where they can: its start is
 * half of the processor time of a file that starts no service.
 */
import { importersIn } from './changed-tests.ts';

/** Test files that one process runs. */
export type Step = readonly string[];

export interface Plan {
  /** One after another, beside the others. */
  readonly straining: readonly Step[];
  /** They use all cores and wait for nothing: one after another, in the background. */
  readonly computing: readonly Step[];
  /** They wait mostly, and work in bursts. */
  readonly others: readonly Step[];
  /** Files that start nothing: tens of milliseconds each. */
  readonly small: readonly Step[];
}

/** They kill or overload a whole service, and expect it back within seconds. */
const STRAINING = /^tests\/(chaos|overload)\/[^/]+$|[-/](killed|rolling-restart)\.test\.ts$/;
const COMPUTING = /^tests\/(simulation|mutations)\/[^/]+$/;
/** A minute each. */
const LONG = /^tests\/fuzz\/[^/]+$/;
const STARTS_PROGRAMS = /^import (?!type).*'node:child_process'/m;
const STARTS_THREADS = /^import (?!type).*'node:worker_threads'/m;
/** Servers and commands that most files use: such a file is none that starts programs. */
const ENGINE = 'tests/simulation/memory/conformance/engine.ts';
const SERVICE = 'tests/support/stack.ts';
const COMMAND = 'tests/support/run-program.ts';
const BROWSER = 'infra/programs/chromium/chromium.ts';
/** It asks for its thread, and starts none. */
const EMBEDDED_ENGINE = 'tests/support/engine.ts';
/** Its compiler has ended when it answers. */
const BUNDLED = 'tests/support/bundled.ts';
const OF_THEIR_OWN = new Set([ENGINE, EMBEDDED_ENGINE, SERVICE, COMMAND, BROWSER]);
/** They measure their process. */
const MEASURES = /\bgc\(|heapUsed|memoryUsage|setFlagsFromString|eventloop_lag/;
const CHANGES_SETTINGS = /process\.env\b/;
/** A crash, or a leak, concerns one group. */
const GROUP_MAX = 60;
/** Files of services take seconds each: a long group would be the last one to end. */
const SERVICE_GROUP_MAX = 10;
/** They start programs of their own, which take a while, at the end of a run. */
const PROGRAM_GROUP_MAX = 4;
const STRAINING_GROUP_MAX = 4;
/** They use one service with a panel in turn, and load the driver of browsers once. */
const BROWSER_GROUP_MAX = 3;

/**
 * @param files paths from the root
 * @param texts of all files of code, by path
 */
export function planOf(files: readonly string[], texts: ReadonlyMap<string, string>): Plan {
  const importersOf = importersIn(new Map([...texts, [BUNDLED, '']]));
  const importersOfAll = (isOne: (path: string, text: string) => boolean) =>
    importersOf([...texts].flatMap(([path, text]) => (isOne(path, text) ? path : [])));
  const starting = (pattern: RegExp) =>
    importersOfAll((path, text) => pattern.test(text) && !OF_THEIR_OWN.has(path));
  const measuring = importersOfAll(
    (path, text) => path.startsWith('tests/') && MEASURES.test(text),
  );
  const ofThreads = starting(STARTS_THREADS);
  const ofPrograms = starting(STARTS_PROGRAMS);
  const ofServices = importersOf([SERVICE]);
  const ofBrowsers = importersOf([BROWSER]);
  const isApart = (path: string): boolean =>
    measuring.has(path) || ofThreads.has(path) || CHANGES_SETTINGS.test(texts.get(path) ?? '');
  const kindOf = (path: string) => {
    if (COMPUTING.test(path)) return 'computing';
    if (LONG.test(path)) return 'long';
    if (isApart(path)) return 'apart';
    if (ofBrowsers.has(path)) return 'ofBrowsers';
    if (ofServices.has(path)) return 'ofServices';
    return ofPrograms.has(path) ? 'ofPrograms' : 'grouped';
  };
  const isAlone = (path: string): boolean => isApart(path) || ofBrowsers.has(path);
  const straining = files.filter((path) => STRAINING.test(path));
  const others = files.filter((path) => !STRAINING.test(path));
  const of = Object.groupBy(others, kindOf);
  return {
    straining: [
      ...inSteps(straining.filter(isAlone), 1),
      ...inSteps(
        straining.filter((path) => !isAlone(path)),
        STRAINING_GROUP_MAX,
      ),
    ],
    computing: inSteps(of.computing, 1),
    others: [
      ...inSteps(of.long, 1),
      ...inSteps(of.ofServices, SERVICE_GROUP_MAX),
      ...inSteps(of.ofBrowsers, BROWSER_GROUP_MAX),
      ...inSteps(of.ofPrograms, PROGRAM_GROUP_MAX),
      ...inSteps(of.apart, 1),
    ],
    small: inSteps(of.grouped, GROUP_MAX),
  };
}

function inSteps(files: readonly string[] = [], most: number): readonly Step[] {
  const steps = Object.groupBy(files, (_, index) => Math.floor(index / most));
  return Object.values(steps).flatMap((step) => (step ? [step] : []));
}
