// `npm run shots`: the pictures of the pages (docs/panel.md), taken anew from the demo.
import { launch } from './launch.mjs';

await launch(['infra/tools/shots/main.ts', ...process.argv.slice(2)]);
