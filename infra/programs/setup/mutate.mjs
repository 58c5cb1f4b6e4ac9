// `npm run mutate`: mutation testing, small faults in the source that the tests must notice
// (docs/reliability.md).
import { launch } from './launch.mjs';

await launch(['infra/tools/mutation-score/main.ts', ...process.argv.slice(2)]);
