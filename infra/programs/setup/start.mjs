// `npm start`: the whole service on this machine.
import { launch } from './launch.mjs';

await launch(['infra/programs/service/supervisor/main.ts', ...process.argv.slice(2)]);
