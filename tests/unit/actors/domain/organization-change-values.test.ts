/** Values in the rows of `recado apply --diff`, which are cut around their first difference. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { OrganizationState } from '../../../../actors/domain/organization/state.ts';
import { NO_TAG_CHANGES } from '../../../../actors/domain/organization/tags.ts';
import { organizationChanges } from '../../../../actors/domain/organization/written.ts';
import { APPLY_CHANGE_VALUE_MAX_CHARS as MAX } from '../../../../shared/limits.ts';
import { applied, LOJA } from '../../../support/actors/domain/organization-fixture.ts';

const stored = applied(LOJA);

/** Both values as they are shown where a step's property changes from one to the other. */
function shown(before: unknown, after: unknown): readonly unknown[] {
  const having = (text: unknown): OrganizationState => ({
    ...stored,
    flows: stored.flows.map((flow) => ({ ...flow, steps: [{ id: 'hi', text }] })),
  });
  const { changes } = organizationChanges(having(before), having(after), NO_TAG_CHANGES);
  assert.equal(changes.length, 1);
  return [changes[0]?.before, changes[0]?.after];
}

const a = (count: number) => 'a'.repeat(count);
const b = (count: number) => 'b'.repeat(count);

describe('a value that changes', () => {
  it('is shown whole up to the bound, wherever the difference is', () => {
    const [before, after] = [`${a(100)}1${b(MAX - 101)}`, `${a(100)}2${b(MAX - 101)}`];
    assert.equal(before.length, MAX);
    assert.deepEqual(shown(before, after), [before, after]);
  });

  it('is counted in characters, not in their halves', () => {
    const emojis = '😀'.repeat(MAX - 1);
    assert.deepEqual(shown(`${emojis}1`, `${emojis}2`), [`${emojis}1`, `${emojis}2`]);
    assert.deepEqual(shown('', `${emojis}12`), ['', `${emojis}1…`]);
  });

  it('is cut at its end alone where it differs within the first 20 characters', () => {
    for (const same of [0, 1, 19, 20]) {
      const text = (mark: string) => `${a(same)}${mark}${b(MAX)}`;
      assert.deepEqual(
        shown(text('1'), text('2')),
        ['1', '2'].map((mark) => `${a(same)}${mark}${b(MAX - same - 1)}…`),
        String(same),
      );
    }
  });

  it('begins with 20 characters of what is the same behind that', () => {
    const text = (mark: string) => `${a(21)}${mark}${b(MAX)}`;
    assert.deepEqual(
      shown(text('1'), text('2')),
      ['1', '2'].map((mark) => `…${a(20)}${mark}${b(MAX - 21)}…`),
    );
  });

  it('is cut at its beginning alone where its end is near', () => {
    const text = (mark: string, end: number) => `${a(MAX)}${mark}${b(end)}`;
    for (const end of [0, 50, MAX - 21]) {
      assert.deepEqual(
        shown(text('1', end), text('2', end)),
        ['1', '2'].map((mark) => `…${a(20)}${mark}${b(end)}`),
        String(end),
      );
    }
  });

  it('begins before what is added to its end', () => {
    const before = a(MAX + 100);
    assert.deepEqual(shown(before, `${before}bc`), [`…${a(20)}`, `…${a(20)}bc`]);
    assert.deepEqual(shown(`${before}bc`, before), [`…${a(20)}bc`, `…${a(20)}`]);
  });

  it('begins with its first character where it is no text, or was none', () => {
    const list = Array.from({ length: MAX }, () => 1);
    assert.deepEqual(shown([0], list), [[0], `${JSON.stringify(list).slice(0, MAX)}…`]);
    assert.deepEqual(shown(undefined, a(MAX + 1)), [null, `${a(MAX)}…`]);
    assert.deepEqual(shown(a(MAX + 1), undefined), [`${a(MAX)}…`, null]);
  });
});
