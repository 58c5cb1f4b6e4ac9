// `npm run walk`: the files that one request passes (docs/architecture.md).
import { launch } from './launch.mjs';

await launch(['tests/walk/main.ts', ...process.argv.slice(2)]);
