// `npm test`: the first run of tests, or the files and folders named after `--`. `npm run test:all`:
// every test. The conformance suite gets its real network in the environment: docs/networks.md.
import { launch, prepare } from '../../programs/setup/launch.mjs';
import { PRELOADED } from './preloaded.mjs';

const NETWORK = [
  ...['--bridge', '--key', '--session'],
  ...['--graph-token', '--phone-number-id', '--graph', '--to'],
];

/** @type {Record<string, string>} */
const settings = {};
/** @type {string[]} */
const rest = [];
const words = process.argv.slice(2);
for (let word = words.shift(); word !== undefined; word = words.shift()) {
  if (NETWORK.includes(word)) settings[settingOf(word)] = words.shift() ?? '';
  else rest.push(word);
}

await prepare({ development: true });
await launch([...PRELOADED, 'tests/main.ts', ...rest], settings);

/** @param {string} option */
function settingOf(option) {
  return `CONFORMANCE_${option.slice(2).replaceAll('-', '_').toUpperCase()}`;
}
