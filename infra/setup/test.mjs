// `npm test`: every test, or the files named after `--`.
import { availableParallelism } from 'node:os';
import { launch } from './launch.mjs';

const files = process.argv.slice(2);
await launch([
  ...['--import', 'tsx', '--test', '--test-reporter=spec'],
  `--test-concurrency=${availableParallelism()}`,
  ...(files.length > 0 ? files : ['tests/**/*.test.ts']),
]);
