// `npm run -s recado -- …`: the operator's command line.
import { launch } from './launch.mjs';

await launch(['infra/cli/main.ts', ...process.argv.slice(2)]);
