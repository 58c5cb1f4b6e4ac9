// `npm run sim`: the service in simulated worlds under faults (docs/reliability.md).
import { launch } from './launch.mjs';

await launch(['tests/faults/simulation/main.ts', ...process.argv.slice(2)]);
