import assert from 'node:assert/strict';
import test from 'node:test';
import { parse, readTexts, report } from '../../infra/tools/source.ts';
import { firstFolderOf, folderCycles } from './folders.ts';

const sources = parse(readTexts());

test('the folders of actors form no cycle', () => {
  assert.deepEqual(report(folderCycles(sources, firstFolderOf)), []);
});

test('the rule against cycles of folders bites, over types too', () => {
  const planted = parse([
    { path: 'actors/a/one.ts', text: "import { b } from '../b/two.ts';" },
    { path: 'actors/b/three.ts', text: "import { c } from '../c/deep/four.ts';" },
    { path: 'actors/c/five.ts', text: "import type { A } from '../a/six.ts';" },
    { path: 'actors/main.ts', text: "import { a } from './a/one.ts';" },
  ]);
  assert.deepEqual(report(folderCycles(planted, firstFolderOf)), [
    'actors/c/five.ts:1: cycle: actors/a → actors/b → actors/c → actors/a',
  ]);
});

test('a cycle that is planted among the folders is found', () => {
  const [planted] = parse([
    { path: 'actors/model/planted.ts', text: "import type { Actor } from '../runtime/kind.ts';" },
  ]);
  assert.ok(planted);
  const cycles = report(folderCycles([...sources, planted], firstFolderOf)).join('\n');
  assert.match(cycles, /actors\/(model|runtime) → /);
});
