/** Tests that run in one thread, by the packages that their files load. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Imports } from '../../../../../infra/tools/mutation-score/imports.ts';

const TARGET = 'actors/domain/a.ts';
const loading = (line: string) => [
  { path: TARGET, text: '' },
  { path: 'tests/model.ts', text: line },
  {
    path: 'tests/a.test.ts',
    text: "import { a } from '../actors/domain/a.ts';\nimport { b } from './model.ts';",
  },
];

test('a test that loads the driver of the store is not run in one thread', () => {
  for (const line of ["import { MongoClient } from 'mongodb';", "await import('mongodb');"]) {
    assert.deepEqual(new Imports(loading(line)).pureTests([TARGET]), [], line);
  }
});

test('a test that names a type of the driver is', () => {
  const line = "const BSON: typeof import('mongodb').BSON = load();";
  assert.deepEqual(new Imports(loading(line)).pureTests([TARGET]), ['tests/a.test.ts']);
});
