// `npm run mutate`: what the tests notice of small faults in the source (docs/reliability.md).
import { launch } from './launch.mjs';

await launch(['tests/mutation-score/main.ts', ...process.argv.slice(2)]);
