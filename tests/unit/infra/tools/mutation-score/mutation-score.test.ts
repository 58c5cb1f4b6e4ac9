/** The mutator itself: the changes it makes, and its report. */
import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { mutated, mutatedLines } from '../../../../../infra/tools/mutation-score/mutation.ts';
import { mutationsOf } from '../../../../../infra/tools/mutation-score/operators.ts';
import { reportOf } from '../../../../../infra/tools/mutation-score/report.ts';
import { parse, readTexts } from '../../../../../infra/tools/source.ts';

const TARGET = 'actors/domain/conversation/settlement.ts';
const files = readTexts();

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

test('a report fails for a survivor, and for a name that names none', () => {
  const text = files.find(({ path }) => path === TARGET)?.text ?? '';
  const start = text.indexOf('return');
  const survivor = { file: TARGET, operator: 'gone', start, end: start + 6, replacement: ';' };
  const stale = { file: TARGET, text: 'return null;', why: '' };
  const byFile = [{ file: TARGET, counted: 20, killed: 19, equivalent: 1, invalid: 2 }];
  const good = reportOf({ byFile, survivors: [], stale: [] }, files);
  assert.equal(good.well, true);
  assert.equal(good.lines.at(-1), '95.0 % of 20 mutations of 1 files');
  const survived = reportOf({ byFile, survivors: [survivor], stale: [] }, files);
  assert.equal(survived.well, false);
  assert.ok(survived.lines.some((line) => line.startsWith(`survived: ${TARGET}:`)));
  const named = reportOf({ byFile, survivors: [], stale: [stale] }, files);
  assert.equal(named.well, false);
  assert.ok(named.lines.includes(`names no survivor: ${TARGET}: ${stale.text}`));
  const few = [{ ...byFile[0], file: TARGET, counted: 20, killed: 10, equivalent: 0, invalid: 0 }];
  assert.equal(reportOf({ byFile: few, survivors: [], stale: [] }, files).well, false);
});
