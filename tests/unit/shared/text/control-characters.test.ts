/** Control and bidirectional characters in names (docs/security.md, people). */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { hasControl, withoutControl } from '../../../../shared/text/control-characters.ts';

const CONTROLS = [
  ...['\u0000', '\t', '\n', '\r', '\u001b', '\u007f', '\u0085', '\u009f'],
  ...['\u200e', '\u200f', '\u202a', '\u202e', '\u2066', '\u2069'],
];

it('each control and each mark of direction is found, and removed', () => {
  for (const control of CONTROLS) {
    const name = `A${control}na`;
    assert.equal(hasControl(name), true, escape(control));
    assert.equal(withoutControl(`${name}${control}`), 'Ana', escape(control));
  }
});

it('letters of any script, emoji with joiners and ordinary spaces are no control', () => {
  for (const name of ['João da Silva', 'مريم', 'שרה', '👨‍👩‍👧', 'क्‍ष', 'A\u00a0B', 'O’Neill–Sá']) {
    assert.equal(hasControl(name), false, name);
    assert.equal(withoutControl(name), name);
  }
});
