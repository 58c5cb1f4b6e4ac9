/**
 * Preloaded with `--import`: plants the mutant that `MUTANT` names as its file is loaded, in the
 * process and in all of its workers.
 */
import { writeSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { switchedOff } from './mutant.ts';
import { MUTANTS } from './mutants.ts';

const ROOT = new URL('../../../', import.meta.url);

const mutant = MUTANTS.find(({ name }) => name === process.env.MUTANT);
if (!mutant) throw new Error(`there is no mutant "${process.env.MUTANT}"`);
const target = new URL(mutant.file, ROOT).href;
if (typeof mutant.caughtBy === 'object') {
  const { configureGlobal } = await import('fast-check');
  // A counterexample is enough: the search for a smaller one takes most of the time.
  configureGlobal({ endOnFailure: true });
  const { afterEach } = await import('node:test');
  // The first failure is enough: the tests behind it need not run.
  afterEach((ended) => {
    if (!('passed' in ended) || ended.passed) return;
    writeSync(process.stdout.fd, `not ok ${ended.name}\n`);
    process.exit(1);
  });
}

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (url.split('?')[0] !== target) return loaded;
    const source = Buffer.from(loaded.source as Uint8Array).toString('utf8');
    return { ...loaded, source: switchedOff(mutant, source) };
  },
});
