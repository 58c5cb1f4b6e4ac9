/** The mutator itself: the changes it makes, the survivors it finds, and its report. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it, test } from 'node:test';
import { parse, readTexts } from '../tidy/source.ts';
import type { Equivalent } from './equivalents/equivalent.ts';
import { mutated, mutatedLines } from './mutation.ts';
import { mutationsOf } from './operators.ts';
import { reportOf } from './report.ts';
import { Results } from './results.ts';
import { scoreOf } from './score.ts';

const SAMPLE = 'tests/mutation-sample/share.ts';

function mutants(text: string): readonly string[] {
  const [source] = parse([{ path: 'sample.ts', text }]);
  assert.ok(source);
  return mutationsOf(source).map((each) => mutated(text, each));
}

describe('the operators', () => {
  const table: readonly (readonly [string, readonly string[]])[] = [
    ['a + b;', ['a - b;', ';']],
    ['a % b;', ['a * b;', ';']],
    ['x = a < b;', ['x = a <= b;', 'x = a >= b;', ';']],
    ['x = a !== b;', ['x = a === b;', ';']],
    ['x = a && b;', ['x = a || b;', ';']],
    ['x = a ?? b;', ['x = a && b;', ';']],
    ['x += a;', ['x -= a;', ';']],
    ['x = !a;', ['x = a;', ';']],
    ['x = -a;', ['x = a;', ';']],
    ['x++;', ['x--;', ';']],
    ['if (a) b();', ['if (true) b();', 'if (false) b();', 'if (a) ;']],
    ['x = a ? b : c;', ['x = true ? b : c;', 'x = false ? b : c;', ';']],
    ['while (a) b();', ['while (false) b();', 'while (a) ;']],
    ['x = true;', ['x = false;', ';']],
    ["x = 'a';", ["x = '';", ';']],
    ["x = '';", ["x = 'mutated';", ';']],
    [`x = \`a\${b}\`;`, ['x = ``;', ';']],
    ['x = 60_000;', ['x = 60001;', ';']],
    ['x = 1;', ['x = 2;', 'x = -1;', ';']],
    ['x = [a];', ['x = [];', ';']],
    ['x = { a };', ['x = {};', ';']],
    ['x = [...a];', ['x = [];', 'x = [...[]];', ';']],
    ['x = /^a+$/;', ['x = /a+$/;', 'x = /^a+/;', 'x = /^a$/;', ';']],
    ['x = a.sort();', ['x = a;', ';']],
    ['x = a.slice(b);', ['x = a;', ';']],
    ['x = a.some(b);', ['x = a.every(b);', ';']],
    ['x = Math.min(a, b);', ['x = Math.max(a, b);', ';']],
    ['x = a?.b;', ['x = a.b;', ';']],
    ['x = a?.[b];', ['x = a[b];', ';']],
    ['function f() { return a; }', ['function f() {}']],
    ['x = () => a;', ['x = () => undefined;', ';']],
    ['import { a } from "b";\ntype A = "a" | 1;\ninterface B { a: "b" }', []],
  ];
  for (const [text, expected] of table) {
    it(`change ${text}`, () => {
      assert.deepEqual([...mutants(text)].sort(), [...expected].sort());
    });
  }

  it('name a mutation by its lines, whatever its place in the file', () => {
    const text = 'const a = 1;\n  if (b ||\n      c) d();\n';
    const [source] = parse([{ path: 'sample.ts', text }]);
    const swapped = source && mutationsOf(source).find(({ operator }) => operator === 'logical');
    assert.ok(swapped);
    assert.equal(mutatedLines(text, swapped), 'if (b &&');
    const condition =
      source && mutationsOf(source).find(({ operator }) => operator === 'conditional');
    assert.ok(condition);
    assert.equal(mutatedLines(text, condition), 'if (true) d();');
    const gone = { file: '', operator: '', start: 15, end: text.length - 1, replacement: ';' };
    assert.equal(mutatedLines(text, gone), 'if (b || c) d(); => ;');
  });
});

const folder = mkdtempSync(join(tmpdir(), 'mutation-score-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const files = readTexts();
const kept = join(folder, 'results.json');

async function score(threads: number, equivalents: readonly Equivalent[] = []) {
  const results = new Results(kept, false);
  const found = await scoreOf({ files, targets: [SAMPLE], equivalents, results, threads });
  results.write(true);
  return { ...found, ...reportOf(found, files) };
}

const SURVIVORS = [
  'if (whole < 0) return 0;',
  'if (whole <= 1) return 0;',
  'return Math.min(2, part / whole);',
  "if (false) throw new Error('a part is not negative');",
  "if (part <= 0) throw new Error('a part is not negative');",
  "if (part < 1) throw new Error('a part is not negative');",
];
const UNCOVERED = ["if (part < 0) throw new Error('');"];

test('a score', { timeout: 360_000 }, async (t) => {
  const first = await score(1);
  const lines = (found: typeof first) =>
    found.survivors.map((each) =>
      mutatedLines(files.find(({ path }) => path === SAMPLE)?.text ?? '', each),
    );
  await t.test('counts what tests noticed, and reports what none did', () => {
    assert.deepEqual([...lines(first)].sort(), [...SURVIVORS, ...UNCOVERED].sort());
    assert.equal(first.well, false);
    for (const line of SURVIVORS) assert.ok(first.lines.some((each) => each.endsWith(`| ${line}`)));
    const [file] = first.byFile;
    assert.ok(file && file.killed > 5 && file.counted === file.killed + 7 && file.invalid > 0);
  });

  const equivalents = [...SURVIVORS, ...UNCOVERED].map((text) => ({ file: SAMPLE, text, why: '' }));
  await t.test(
    'leaves out what is named as equivalent, and needs no thread for what it knows',
    async () => {
      const named = await score(0, equivalents);
      assert.deepEqual([named.survivors, named.stale, named.well], [[], [], true]);
      assert.equal(named.byFile[0]?.equivalent, 7);
      assert.equal(
        named.lines.at(-1),
        `100.0 % of ${first.byFile[0]?.killed} mutations of 1 files`,
      );
    },
  );

  await t.test('a name that names no survivor fails the run', async () => {
    const stale = { file: SAMPLE, text: 'return Math.max(1, part / whole);', why: '' };
    const found = await score(0, [...equivalents, stale]);
    assert.deepEqual([found.stale, found.well], [[stale], false]);
    assert.ok(found.lines.includes(`names no survivor: ${SAMPLE}: ${stale.text}`));
  });
});
