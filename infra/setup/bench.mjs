// `npm run bench`: the benchmark suite, against the floor of the same parts in the same run.
import { launch } from './launch.mjs';

await launch(['infra/bench/main.ts', ...process.argv.slice(2)]);
