import assert from 'node:assert/strict';
import test from 'node:test';
import { parse, readTexts, report } from '../../infra/tools/source.ts';
import { firstFolderOf, folderCycles, folderOf, largeFolders } from './folders.ts';

const sources = parse(readTexts());

test('the first folders of actors form no cycle', () => {
  assert.deepEqual(report(folderCycles(sources, firstFolderOf)), []);
});

test('nor do all of its folders, nested ones each by itself', () => {
  assert.deepEqual(report(folderCycles(sources, folderOf)), []);
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
  assert.deepEqual(report(folderCycles(planted, folderOf)), []);
});

test('a folder and a folder in it do not import each other', () => {
  const planted = parse([
    { path: 'actors/a/one.ts', text: "import type { B } from './b/two.ts';" },
    { path: 'actors/a/b/three.ts', text: "import type { A } from '../four.ts';" },
  ]);
  assert.deepEqual(report(folderCycles(planted, folderOf)), [
    'actors/a/b/three.ts:1: cycle: actors/a → actors/a/b → actors/a',
  ]);
});

test('a cycle that is planted among the folders is found', () => {
  const [planted] = parse([
    { path: 'actors/model/planted.ts', text: "import type { Actor } from '../runtime/kind.ts';" },
  ]);
  assert.ok(planted);
  for (const named of [firstFolderOf, folderOf]) {
    const cycles = report(folderCycles([...sources, planted], named)).join('\n');
    assert.match(
      cycles,
      /cycle: .*actors\/model → actors\/runtime|actors\/runtime → .*actors\/model/,
    );
  }
});

test('a folder outside of tests directly holds at most 25 files', () => {
  assert.deepEqual(largeFolders(readTexts()), []);
});

test('the rule of sizes bites at one file too many', () => {
  const filesOf = (folder: string, count: number) =>
    Array.from({ length: count }, (_, index) => ({ path: `${folder}/${index}.ts`, text: '' }));
  const planted = [
    ...filesOf('infra/a', 26),
    ...filesOf('infra/b', 25),
    ...filesOf('infra/b/c', 25),
    ...filesOf('tests/e', 26),
  ];
  assert.deepEqual(largeFolders(planted), ['infra/a holds 26 files; 25 at most']);
});
