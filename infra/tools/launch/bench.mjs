// `npm run bench`: the benchmark suites, each with a baseline in the same run.
import { join } from 'node:path';
import { installDependencies } from '../../programs/setup/dependencies.mjs';
import { NODE, ROOT } from '../../programs/setup/environment.mjs';
import { launch, prepare } from '../../programs/setup/launch.mjs';

const args = process.argv.slice(2);
const names = args.filter((arg) => /^[a-z]/.test(arg));

/** Folders of the peers, and the suites that measure beside them, which also run without. */
const PEERS = { peer: ['accept', 'peers'], restate: ['peers'] };

async function installPeer(folder) {
  const say = (text) => process.stderr.write(`bench: ${text} of ${folder}\n`);
  try {
    await installDependencies(NODE, say, { root: join(ROOT, 'infra', 'bench', folder) });
  } catch (error) {
    process.stderr.write(`bench: ${folder} is left out: ${error.message}\n`);
  }
}

await prepare({ development: true });
const without = ['--help', '--chart', '--model', '--no-peer', '--against'];
const mayInstall = !without.some((option) => args.includes(option));
for (const [folder, suites] of Object.entries(PEERS)) {
  const isMeasured = names.length === 0 || suites.some((suite) => names.includes(suite));
  if (mayInstall && isMeasured) await installPeer(folder);
}
await launch(['infra/bench/main.ts', ...args]);
