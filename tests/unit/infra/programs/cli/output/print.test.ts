/** Tables of the command line (D185). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  fromNow,
  humanizeLastAttempt,
} from '../../../../../../infra/programs/cli/output/humanize.ts';
import {
  render,
  renderTable,
  TABLE_MAX_COLUMNS,
} from '../../../../../../infra/programs/cli/output/print.ts';

const ID = 'cnv_ln0bvUmCEGRrcos9mYKBntXX';
const NOW = Date.UTC(2026, 4, 4, 12);
const ago = (ms: number): string => new Date(NOW - ms).toISOString();

const rowArb = fc.record({
  ref: fc.string({ minLength: 1, maxLength: 64 }),
  name: fc.string({ unit: 'grapheme', maxLength: 200 }),
  reason: fc.lorem({ maxCount: 40 }),
});
const rowsArb = fc.array(rowArb, { minLength: 1, maxLength: 5 });

test('a table fits 100 columns, and cuts no id', () => {
  fc.assert(
    fc.property(rowsArb, fc.constantFrom('cut' as const, 'wrap' as const), (rows, fit) => {
      const identified = rows.map((row) => ({ id: ID, ...row }));
      const table = renderTable(identified, fit);
      const lines = table.trimEnd().split('\n');
      for (const line of lines) assert.ok([...line].length <= TABLE_MAX_COLUMNS, line);
      assert.equal(lines.filter((line) => line.startsWith(ID)).length, rows.length);
      if (fit === 'cut') assert.equal(lines.length, rows.length + 1);
    }),
    { numRuns: 100 },
  );
});

test('what is wrapped is there word by word', () => {
  const words = Array.from({ length: 60 }, (_, n) => `palavra${n}`);
  const table = renderTable([{ id: ID, reason: words.join(' ') }], 'wrap');
  const found = table.split(/\s+/).filter((word) => word.startsWith('palavra'));
  assert.deepEqual(found, words);
  assert.equal(renderTable([]), '(none)\n');
  assert.equal(render({ id: 'a', tags: [], name: null }), 'id    a\ntags  -\nname  -\n');
});

test('attempts and moments are told in words', () => {
  const attempt = (status: number | null, error: string | null, ms: number) =>
    humanizeLastAttempt([{ at: ago(ms), status, error }], NOW);
  assert.equal(attempt(500, 'status 500', 180_000), 'answered 500, 3 min ago');
  assert.equal(attempt(200, null, 0), 'answered 200, now');
  assert.equal(attempt(null, 'timeout: no answer in 10 s', 7_200_000), 'timed out, 2 h ago');
  assert.equal(attempt(null, 'dns: getaddrinfo', 172_800_000), 'name not found, 2 d ago');
  assert.equal(attempt(null, 'strange', 5_000), 'strange, 5 s ago');
  assert.equal(humanizeLastAttempt([], NOW), 'none yet');
  assert.equal(fromNow(ago(-90_000), NOW), 'in 1 min');
});
