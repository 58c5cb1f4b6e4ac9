// `npm run bench`: the benchmark suites, each with a baseline in the same run.
import { join } from 'node:path';
import { installDependencies } from './dependencies.mjs';
import { NODE, ROOT } from './environment.mjs';
import { launch, prepare } from './launch.mjs';

const args = process.argv.slice(2);
const names = args.filter((arg) => /^[a-z]/.test(arg));

/** The peer is a baseline of the accept suite only; the suite also runs without it. */
async function installPeer() {
  const say = (text) => process.stderr.write(`bench: ${text} of the peer\n`);
  try {
    await installDependencies(NODE, say, join(ROOT, 'infra', 'bench', 'peer'));
  } catch (error) {
    process.stderr.write(`bench: the peer is left out: ${error.message}\n`);
  }
}

await prepare();
const without = ['--help', '--chart', '--model', '--no-peer', '--against'];
const needsPeer = !without.some((option) => args.includes(option));
if (needsPeer && (names.length === 0 || names.includes('accept'))) await installPeer();
await launch(['infra/bench/main.ts', ...args]);
