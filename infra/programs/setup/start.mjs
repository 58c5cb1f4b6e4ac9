// `npm start`: the whole service on this machine.
import { launch } from './launch.mjs';

await launch(['infra/programs/supervisor/main.ts', ...process.argv.slice(2)]);
