/**
 * Runner of the tests: the folders one after another, the cheapest first, until one of them fails.
 *
 *     node tests/main.ts                   the first run (`npm test`)
 *     node tests/main.ts --all             every test (`npm run test:all`)
 *     node tests/main.ts FILE|FOLDER...    these, each file as its folder runs it
 */
import { globSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { type EventData, run, type TestsStream } from 'node:test';
import { spec, type TestEvent } from 'node:test/reporters';

interface Folder {
  readonly path: string;
  /** Test files that one process runs, one after another. */
  readonly filesAProcess: number;
  /** Processes beside each other. */
  readonly processes: number;
}

type Report = InstanceType<typeof spec>;

const CORES = availableParallelism();
const TOGETHER = join(import.meta.dirname, 'together.ts');
const STOP_MS = 10_000;
/**
 * A process from which nothing is heard for so long hangs, also one that blocks or that does not
 * exit. The longest test takes five minutes of a quick machine.
 */
const SILENT_MAX_MS = 1_800_000;

/** In the order of a run. A file belongs to the last folder that holds it. */
const FOLDERS: readonly Folder[] = [
  { path: 'tests/house', filesAProcess: 40, processes: 1 },
  { path: 'tests/unit', filesAProcess: 40, processes: CORES },
  { path: 'tests/parts', filesAProcess: 12, processes: CORES },
  { path: 'tests/service', filesAProcess: 20, processes: CORES + 1 },
  { path: 'tests/browser', filesAProcess: 6, processes: CORES },
  { path: 'tests/faults', filesAProcess: 1, processes: CORES },
  { path: 'tests/faults/fencing', filesAProcess: 20, processes: CORES },
  { path: 'tests/faults/fuzz', filesAProcess: 5, processes: 1 },
  { path: 'tests/faults/killed', filesAProcess: 7, processes: 1 },
];

const FIRST_RUN = [
  'tests/unit',
  'tests/parts',
  'tests/service/api',
  'tests/browser/first-minute.test.ts',
  'tests/faults/simulation/first-worlds.test.ts',
  'tests/faults/simulation/installation/installation.test.ts',
  'tests/faults/chaos/smoke.test.ts',
];

/** Paths from the root, in order. */
function filesIn(paths: readonly string[]): readonly string[] {
  const files = paths.flatMap((path) =>
    statSync(path).isDirectory() ? globSync(join(path, '**/*.test.ts')) : path,
  );
  if (files.length === 0) throw new Error(`no file of tests in ${paths.join(', ')}`);
  return [...new Set(files.map((path) => relative('', resolve(path))))].sort();
}

function folderOf(file: string): Folder {
  const found = FOLDERS.findLast(({ path }) => file.startsWith(`${path}/`));
  if (!found) throw new Error(`${file} is in no folder of tests`);
  return found;
}

function inGroups(files: readonly string[], most: number): readonly (readonly string[])[] {
  const count = Math.ceil(files.length / most);
  return Array.from({ length: count }, (_, at) => files.slice(at * most, (at + 1) * most));
}

const NONE = { tests: 0, passed: 0, cancelled: 0, skipped: 0, todo: 0 };
const total = { ...NONE };
const stopping = new AbortController();

/** Runs the folder's files and prints their tests; false if one of them failed. */
async function runFolder(folder: Folder, files: readonly string[]): Promise<boolean> {
  const report = new spec();
  report.pipe(process.stdout, { end: false });
  const groups = inGroups(files, folder.filesAProcess).values();
  const counts = { ...NONE };
  let success = true;
  const lane = async (): Promise<void> => {
    for (const argv of groups) {
      if (stopping.signal.aborted) return;
      const ran = run({ files: [TOGETHER], argv: [...argv], signal: stopping.signal });
      const summary = await tell(ran, report, argv);
      success &&= summary.success;
      for (const name of namesOf(counts)) counts[name] += summary.counts[name];
    }
  };
  await Promise.all(Array.from({ length: folder.processes }, lane));
  const printed = new Promise((resolve) => report.once('end', resolve));
  report.end();
  await printed;
  for (const name of namesOf(counts)) total[name] += counts[name];
  return success && !stopping.signal.aborted;
}

function namesOf(counts: typeof NONE): readonly (keyof typeof NONE)[] {
  return Object.keys(counts).filter((name): name is keyof typeof NONE => name in NONE);
}

/** Each file's tests appear together, though other processes tell of theirs meanwhile. */
async function tell(
  ran: TestsStream,
  report: Report,
  files: readonly string[],
): Promise<EventData.TestSummary> {
  let events: TestEvent[] = [];
  let summary: EventData.TestSummary | null = null;
  const underWay = new Set<string>();
  const silent = setTimeout(() => hangs([...underWay], files), SILENT_MAX_MS);
  using _silent = { [Symbol.dispose]: () => clearTimeout(silent) };
  for await (const event of ran as AsyncIterable<TestEvent>) {
    silent.refresh();
    if (event.type === 'test:dequeue') underWay.add(event.data.name);
    if (event.type === 'test:complete') underWay.delete(event.data.name);
    if (event.type === 'test:summary') {
      if (event.data.file === undefined) summary = event.data;
    } else events.push(event);
    const isOfFile = event.type === 'test:pass' || event.type === 'test:fail';
    if (!isOfFile || event.data.nesting > 0) continue;
    for (const each of events) report.write(each);
    events = [];
  }
  if (summary === null) throw new Error('a run ended without its summary');
  return summary;
}

function hangs(underWay: readonly string[], files: readonly string[]): void {
  const minutes = SILENT_MAX_MS / 60_000;
  console.log(
    `hangs, nothing for ${minutes} minutes: ${underWay.join(' > ')}, of ${files.join(', ')}`,
  );
  stop();
}

/** What has ended by then is reported. */
function stop(): void {
  stopping.abort();
  setTimeout(() => process.exit(1), STOP_MS).unref();
}

for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, stop);

const words = process.argv.slice(2);
const isAll = words[0] === '--all';
const named = words.length > 0 ? words : FIRST_RUN;
const files = filesIn(isAll ? FOLDERS.map(({ path }) => path) : named);
const byFolder = Map.groupBy(files, folderOf);
for (const folder of FOLDERS) {
  const ofFolder = byFolder.get(folder);
  if (!ofFolder) continue;
  const startedAt = performance.now();
  const good = await runFolder(folder, ofFolder);
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  console.log(`${folder.path}: ${ofFolder.length} files, ${seconds} s${good ? '' : ', failed'}\n`);
  if (good) continue;
  process.exitCode = 1;
  break;
}
const { tests, passed, skipped, todo } = total;
console.log(`${passed} passed, ${tests - passed - skipped - todo} failed, ${skipped} skipped`);
