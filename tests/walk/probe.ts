/**
 * Precise coverage of one process, for `npm run walk`: loaded by `--import` before the process's
 * own program. While a phase's mark is in the folder, every function that runs is recorded with the
 * time of the sample that first saw it.
 */
import { appendFileSync, existsSync } from 'node:fs';
import { Session } from 'node:inspector';
import { join } from 'node:path';
import { PHASES, type Ran, WALK_FOLDER } from './phases.ts';

const SAMPLE_MS = 2;

const folder = process.env[WALK_FOLDER];
if (folder !== undefined) sampleInto(folder);

function sampleInto(folder: string): void {
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  const out = join(folder, `${process.pid}.jsonl`);
  let last: string | null = null;
  const seen = new Set<string>();
  const sample = () => {
    const phase = PHASES.find((name) => existsSync(join(folder, name))) ?? null;
    const ran = take(session);
    if (phase !== last) seen.clear();
    else if (phase !== null) {
      const fresh = ran.filter(({ file, at }) => !seen.has(`${file}:${at}`));
      for (const { file, at } of fresh) seen.add(`${file}:${at}`);
      const atMs = performance.timeOrigin + performance.now();
      const lines = fresh.map(
        (each) => `${JSON.stringify({ ...each, phase, atMs } satisfies Ran)}\n`,
      );
      if (lines.length > 0) appendFileSync(out, lines.join(''));
    }
    last = phase;
  };
  setInterval(sample, SAMPLE_MS).unref();
}

/** The functions of files that ran since the last time, by file and offset. */
function take(session: Session): readonly Pick<Ran, 'file' | 'at' | 'name'>[] {
  const ran: Pick<Ran, 'file' | 'at' | 'name'>[] = [];
  session.post('Profiler.takePreciseCoverage', (error, answer) => {
    if (error !== null) throw error;
    for (const { url, functions } of answer.result) {
      if (!url.startsWith('file:') || url.includes('/node_modules/')) continue;
      for (const { functionName, ranges } of functions) {
        const [range] = ranges;
        if (range === undefined || range.count === 0) continue;
        ran.push({ file: url, at: range.startOffset, name: functionName });
      }
    }
  });
  return ran;
}
