/** `npm test -- --changed` runs every test that a change can have touched. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readCode, testsTouchedBy } from './changed-tests.ts';

const SMALL = new Map([
  ['actors/a.ts', ''],
  ['actors/b.ts', "import { a } from './a.ts';"],
  ['tests/b.test.ts', "import { b } from '../actors/b.ts';"],
  ['tests/c.test.ts', "import { c } from './c.ts';"],
  ['tests/c.ts', "spawn(node, ['actors/a.ts']);"],
  ['tests/d.test.ts', "import { d } from 'node:fs';\nreadFileSync('docs/d.md');"],
  ['tests/tidy/source.ts', ''],
  ['tests/tidy/e.test.ts', "import { readTexts } from './source.ts';\nreadTexts();"],
]);

test('a test is touched by the files that it imports, by any way', () => {
  assert.deepEqual(testsTouchedBy(['actors/b.ts'], SMALL), [
    'tests/b.test.ts',
    'tests/tidy/e.test.ts',
  ]);
});

test('a program that a fixture starts touches the tests of the fixture', () => {
  assert.ok(testsTouchedBy(['actors/a.ts'], SMALL).includes('tests/c.test.ts'));
});

test('a page touches the tests that read it', () => {
  assert.deepEqual(testsTouchedBy(['docs/d.md'], SMALL), [
    'tests/d.test.ts',
    'tests/tidy/e.test.ts',
  ]);
});

test('dependencies and the set-up touch every test, no change touches none', () => {
  assert.equal(testsTouchedBy(['package-lock.json'], SMALL).length, 4);
  assert.deepEqual(testsTouchedBy([], SMALL), []);
});

test('a change of an actor touches the tests that start the whole service', () => {
  const touched = testsTouchedBy(['actors/channel/transmit.ts'], readCode());
  for (const each of ['tests/api/messages.test.ts', 'tests/chaos/smoke.test.ts']) {
    assert.ok(touched.includes(each), each);
  }
  const ofSimulator = testsTouchedBy(['tests/infra/ids/fresh-ids.test.ts'], readCode());
  assert.ok(!ofSimulator.includes('tests/chaos/smoke.test.ts'), 'not everything');
});

test('a page of the panel, its style and what it imports touch the tests that open a browser', () => {
  const texts = readCode();
  const pages = 'gateway/panel/browser';
  const changes = [`${pages}/flows/flows.tsx`, `${pages}/styles/base.css`, 'shared/events.ts'];
  for (const changed of changes) {
    const touched = testsTouchedBy([changed], texts);
    for (const each of ['tests/panel/tools.test.ts', 'tests/panel/pure.test.ts']) {
      assert.ok(touched.includes(each), `${changed} touches ${each}`);
    }
  }
  const touched = testsTouchedBy([`${pages}/styles/base.css`], texts);
  assert.ok(!touched.includes('tests/actors/domain/delivery.test.ts'), 'not everything');
});

test('a reader of a folder beside it is touched by each of its files', () => {
  const bundler = "const SOURCE = join(import.meta.dirname, 'pages');";
  const texts = new Map([...SMALL, ['tests/f.test.ts', bundler]]);
  assert.deepEqual(testsTouchedBy(['tests/pages/new.css'], texts), [
    ...['tests/f.test.ts', 'tests/tidy/e.test.ts'],
  ]);
});
