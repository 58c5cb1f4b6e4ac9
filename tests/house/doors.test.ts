import assert from 'node:assert/strict';
import test from 'node:test';
import { parse, readTexts, report } from '../../infra/tools/source.ts';
import { keptBy, provesToBite } from './bites.ts';
import { doorCycles, doorLaw } from './doors.ts';

const sources = parse(readTexts());

test('kinds import of each other their api.ts only', () => keptBy(sources, doorLaw));

test('the law of doors bites', () =>
  provesToBite(doorLaw, {
    bad: [
      ['actors/channel/a.ts', "import { b } from '../contact/b.ts';"],
      ['actors/channel/a.ts', "import type { B } from '../deal/b.ts';"],
      ['actors/channel/api.ts', "import { b } from './b.ts';"],
      ['actors/channel/api.ts', "import type { B } from '../runtime/b.ts';"],
    ],
    good: [
      ['actors/channel/a.ts', "import { b } from '../contact/api.ts';"],
      ['actors/channel/a.ts', "import { b } from './b.ts';"],
      ['actors/channel/a.ts', "import { b } from '../runtime/b.ts';"],
      ['actors/channel/api.ts', "import type { B } from '../contact/api.ts';"],
      ['actors/channel/api.ts', "import type { B } from '../domain/b.ts';"],
      ['actors/queries/a.ts', "import { b } from '../contact/b.ts';"],
      ['actors/contact/a.ts', "import { b } from '../flow/b.ts';"],
    ],
  }));

test('folders form no cycle but through doors, nor do doors', () => {
  assert.deepEqual(report(doorCycles(sources)), []);
});

test('the rule against cycles of folders and doors bites', () => {
  const folders = parse([
    { path: 'actors/a/one.ts', text: "import { b } from '../b/two.ts';" },
    { path: 'actors/b/three.ts', text: "import { a } from '../a/other.ts';" },
    { path: 'actors/b/four.ts', text: "import { a } from '../a/api.ts';" },
  ]);
  assert.deepEqual(report(doorCycles(folders)), [
    'actors/b/three.ts:1: cycle: actors/a → actors/b → actors/a',
  ]);
  const doors = parse([
    { path: 'actors/a/api.ts', text: "import type { B } from '../b/api.ts';" },
    { path: 'actors/b/api.ts', text: "import type { A } from '../a/api.ts';" },
  ]);
  assert.deepEqual(report(doorCycles(doors)), [
    'actors/b/api.ts:1: cycle: actors/a/api.ts → actors/b/api.ts → actors/a/api.ts',
  ]);
});
