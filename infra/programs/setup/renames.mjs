// `npm run renames`: whether commits change names alone (docs/reliability.md).
import { launch } from './launch.mjs';

await launch(['tests/renames/main.ts', ...process.argv.slice(2)]);
