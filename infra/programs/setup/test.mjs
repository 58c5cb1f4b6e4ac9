// `npm test`: every test, or the files and folders named after `--`. With `--changed [REVISION]`:
// the tests that a change since the revision (HEAD) can have touched. The conformance suite gets
// its real network in the environment: docs/networks.md.
import { statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { changedSince, readCode, testsTouchedBy } from './changed-tests.mjs';
import { TEST } from './environment.mjs';
import { launch } from './launch.mjs';

const NETWORK = [
  ...['--bridge', '--key', '--session'],
  ...['--graph-token', '--phone-number-id', '--graph', '--to'],
];

/** @type {Record<string, string>} */
const settings = {};
/** @type {string[]} */
const files = [];
const words = process.argv.slice(2);
for (let word = words.shift(); word !== undefined; word = words.shift()) {
  if (word === '--changed') files.push(...touchedSince(words.shift() ?? 'HEAD'));
  else if (NETWORK.includes(word)) settings[settingOf(word)] = words.shift() ?? '';
  else files.push(isFolder(word) ? `${word.replace(/\/$/, '')}/**/*.test.ts` : word);
}

await launch(
  [
    ...TEST,
    '--test-reporter=spec',
    '--test-global-setup=tests/support/shared-stack.ts',
    // Two more than there are cores, since many tests wait for time to pass.
    `--test-concurrency=${availableParallelism() + 2}`,
    ...(files.length > 0 ? files : ['tests/**/*.test.ts']),
  ],
  settings,
);

/** @param {string} revision */
function touchedSince(revision) {
  const changed = changedSince(revision);
  const touched = testsTouchedBy(changed, readCode());
  process.stderr.write(`${changed.length} changed files can touch ${touched.length} test files\n`);
  if (touched.length === 0) process.exit(0);
  return touched;
}

/** @param {string} option */
function settingOf(option) {
  return `CONFORMANCE_${option.slice(2).replaceAll('-', '_').toUpperCase()}`;
}

/** @param {string} path */
function isFolder(path) {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
