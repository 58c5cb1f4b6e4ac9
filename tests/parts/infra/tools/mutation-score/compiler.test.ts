/** Refusals of the compiler concern mutated texts alone, and no file of the project is touched. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { refusedBy } from '../../../../../infra/tools/mutation-score/compiler.ts';
import { ROOT, readTexts } from '../../../../../infra/tools/source.ts';

const runtime = join(ROOT, '.runtime');
mkdirSync(runtime, { recursive: true });
const folder = mkdtempSync(join(runtime, 'compiler-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Additions of a kind to the types of `shared` count, although no text imports them. */
const CONTRADICTION = `declare module '../shared/wire/command-map.ts' {
  interface ContactCommands { readonly ensure: string }
}
export {};`;

const paths = readTexts().map(({ path }) => join(ROOT, path));

test('a text that breaks another file ends the run, and that file remains', async () => {
  const texts = [{ file: 'actors/broken.ts', text: CONTRADICTION }];
  await assert.rejects(refusedBy(texts, folder), /refuses other files: .*actors\//);
  const gone = paths.filter((path) => !existsSync(path));
  assert.deepEqual(gone, []);
});
