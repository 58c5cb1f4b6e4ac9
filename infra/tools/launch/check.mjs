// `npm run check`: types, style, dead code and the house rules, all of them even if one fails.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../programs/setup/environment.mjs';
import { prepare, runNode } from '../../programs/setup/launch.mjs';
import { PRELOADED } from './preloaded.mjs';

const CHECKS = [
  ['node_modules/typescript/bin/tsc', '--noEmit'],
  ['node_modules/typescript/bin/tsc', '--noEmit', '-p', 'gateway/panel/browser'],
  ['node_modules/typescript/bin/tsc', '--noEmit', '-p', 'gateway/docs/browser'],
  ['node_modules/@biomejs/biome/bin/biome', 'check'],
  ['node_modules/knip/bin/knip.js'],
];
const HOUSE = 'tests/house';

await prepare({ development: true });
let failed = false;
for (const command of CHECKS) {
  if (existsSync(join(ROOT, command[0]))) failed = (await runNode(command)) !== 0 || failed;
}
if (existsSync(join(ROOT, HOUSE))) {
  failed = (await runNode([...PRELOADED, 'tests/main.ts', HOUSE])) !== 0 || failed;
}
process.exitCode = failed ? 1 : 0;
