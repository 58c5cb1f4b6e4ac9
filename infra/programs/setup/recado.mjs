// `npm run -s recado -- …`: the operator's command line.
import { launch } from './launch.mjs';

await launch(['infra/programs/cli/main.ts', ...process.argv.slice(2)]);
