/**
 * Preloaded with `--import`: plants the mutant that `MUTANT` names as its file is loaded, in the
 * process and in all of its workers.
 */
import { registerHooks } from 'node:module';
import { editsOf } from './mutant.ts';
import { MUTANTS } from './mutants.ts';

const ROOT = new URL('../../', import.meta.url);

const mutant = MUTANTS.find(({ name }) => name === process.env.MUTANT);
if (!mutant) throw new Error(`there is no mutant "${process.env.MUTANT}"`);
const target = new URL(mutant.file, ROOT).href;

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (url.split('?')[0] !== target) return loaded;
    const source = Buffer.from(loaded.source as Uint8Array).toString('utf8');
    const planted = editsOf(mutant).reduce(
      (text, { find, replace }) => text.replace(find, () => replace),
      source,
    );
    return { ...loaded, source: planted };
  },
});
