/**
 * `npm run mutate -- [--fresh] [--threads N] [PATH...]`: the mutation score of the targets, or of
 * any files of the source whose paths begin so. Exits with 1 when it is too low, when a survivor
 * is neither killed nor named as equivalent, or when a name has become stale.
 */
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ROOT, readTexts } from '../source.ts';
import { EQUIVALENTS } from './equivalents.ts';
import { reportOf } from './report.ts';
import { Results } from './results.ts';
import { scoreOf } from './score.ts';
import { TARGETS } from './targets.ts';

const KEPT = join(ROOT, '.runtime', 'mutation-score', 'results.json');
const SHOWN_EVERY = 200;
const SOURCE = /^(?:actors|gateway|infra|shared)\/.*\.ts$/;

const { values, positionals } = parseArgs({
  options: {
    fresh: { type: 'boolean', default: false },
    threads: { type: 'string', default: String(availableParallelism()) },
  },
  allowPositionals: true,
});

const startedAt = performance.now();
const files = readTexts();
const isTarget = (path: string): boolean =>
  positionals.length === 0
    ? TARGETS.some((pattern) => pattern.test(path))
    : SOURCE.test(path) && positionals.some((each) => path.startsWith(each));
const targets = files.map(({ path }) => path).filter(isTarget);
const results = new Results(KEPT, values.fresh);
let tried = 0;
const score = await scoreOf({
  ...{ files, targets, results, equivalents: EQUIVALENTS, threads: Number(values.threads) },
  onVerdict: () => {
    tried += 1;
    if (tried % SHOWN_EVERY === 0) console.log(`${tried} mutations`);
  },
});
results.write(positionals.length === 0);
const { lines, well } = reportOf(score, files);
for (const line of lines) console.log(line);
console.log(`in ${((performance.now() - startedAt) / 1_000).toFixed(0)} s`);
// A pipe takes some 280 lines at once: to exit at once would drop the rest of them.
process.stdout.write('', () => process.exit(well ? 0 : 1));
