// `npm run chaos`: the service in real processes under faults (docs/reliability.md).
import { launch } from './launch.mjs';

await launch(['tests/faults/chaos/program/main.ts', ...process.argv.slice(2)]);
