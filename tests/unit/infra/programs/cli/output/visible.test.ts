/** What stored text does to the operator's terminal: nothing. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parse } from 'yaml';
import { render, renderTable } from '../../../../../../infra/programs/cli/output/print.ts';
import { isObeyed, visible } from '../../../../../../infra/programs/cli/output/visible.ts';
import { writeYaml } from '../../../../../../infra/programs/cli/output/yaml-writer.ts';

/** Each with what it would do, and as it is printed. */
const OBEYED = [
  ['OSC 52 writes the clipboard', 'Ana\u001b]52;c;cm0=\u0007', 'Ana\\u001b]52;c;cm0=\\u0007'],
  ['hides what follows', '\u001b[8mAna', '\\u001b[8mAna'],
  ['sets the title', '\u001b]0;root\u001b\\', '\\u001b]0;root\\u001b\\'],
  ['the same in one character', '\u009d0;root\u009c', '\\u009d0;root\\u009c'],
  ['overwrites the line', 'Ana\rBia\b\u007f', 'Ana\\u000dBia\\u0008\\u007f'],
  ['turns the line around', 'a\u202eb\u2066c\u200fd\u061c', 'a\\u202eb\\u2066c\\u200fd\\u061c'],
  ['ends the line', 'a\u2028b\u2029\u0085', 'a\\u2028b\\u2029\\u0085'],
  ['nothing: letters, emoji, layout', 'Zoë 👩‍👧 \\n\n\tçã', 'Zoë 👩‍👧 \\n\n\tçã'],
] as const;

test('control and bidirectional characters are shown instead of obeyed', () => {
  for (const [what, text, shown] of OBEYED) assert.equal(visible(text), shown, what);
});

const textArb = fc.string({
  unit: fc.oneof(
    fc.constantFrom('\u001b', '\u009b', '\u202e', '\u2028', '\\', '"', '\n', '\r', ' ', ':', '#'),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  ),
  maxLength: 120,
});

test('JSON and YAML with them are shown so that they read as the same value', () => {
  fc.assert(
    fc.property(textArb, textArb, (text, name) => {
      const value = { names: [text, { [`k${name}`]: text }] };
      for (const json of [JSON.stringify(value), JSON.stringify(value, null, 2)]) {
        assert.ok(!isObeyed(visible(json)));
        assert.deepEqual(JSON.parse(visible(json)), value);
      }
      const yaml = writeYaml(value);
      assert.ok(!isObeyed(yaml));
      assert.deepEqual(parse(yaml), value);
    }),
    { numRuns: 300 },
  );
});

test('YAML keeps lines of blanks alone', () => {
  for (const text of [' \n', '\n \n', '\t\n', ' \n\n', 'a\n \nb', ' ']) {
    assert.deepEqual(parse(writeYaml({ names: [text] })), { names: [text] });
  }
});

test('a table with them keeps its columns', () => {
  const table = renderTable([
    { name: 'Ana\u001b[2K', id: 'con_1' },
    { name: 'Bia', id: 'con_2' },
  ]);
  const columns = table
    .trimEnd()
    .split('\n')
    .map((line) => line.search(/con_|id/));
  assert.deepEqual(columns, [14, 14, 14]);
  assert.ok(!isObeyed(render({ name: '\u001bc\u202e', tags: ['\u0007'] })));
});
