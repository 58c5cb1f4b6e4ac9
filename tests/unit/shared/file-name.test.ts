/** Types of files by their names. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mimeByName } from '../../../shared/file-name.ts';
import { UNKNOWN_MIME } from '../../../shared/media.ts';

test('a name tells the type only where its ending is a known one', () => {
  assert.equal(mimeByName(UNKNOWN_MIME, 'tabela.PDF'), 'application/pdf');
  assert.equal(mimeByName('image/png', 'tabela.pdf'), 'image/png', 'the server has told it');
  for (const name of ['tabela', 'tabela.xyz', 'x.constructor', 'x.__proto__', 'x.toString', null]) {
    assert.equal(mimeByName(UNKNOWN_MIME, name), UNKNOWN_MIME, String(name));
  }
});
