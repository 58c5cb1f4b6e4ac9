/** Hashes of passphrases (D210). */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { PassphraseHasher } from '../../../../gateway/panel/passphrase.ts';
import { PASSPHRASE_HASHES_AT_ONCE, PASSPHRASE_HASHES_QUEUED } from '../../../../shared/limits.ts';

const CHEAP = { cost: 'scrypt:1024:8:1', salt: 'salt' };

it('are equal for one passphrase in two forms of Unicode, and else differ', async () => {
  const { hash } = new PassphraseHasher();
  const composed = await hash('ca\u0301lculo', CHEAP);
  assert.equal(await hash('c\u00e1lculo', CHEAP), composed);
  assert.notEqual(await hash('calculo', CHEAP), composed);
  assert.notEqual(await hash('c\u00e1lculo', { ...CHEAP, salt: 'other' }), composed);
  assert.match(composed ?? '', /^[\w-]{43}$/);
});

it('run two at once; so many wait, and a further one is refused at once', async () => {
  const { hash } = new PassphraseHasher();
  const room = PASSPHRASE_HASHES_AT_ONCE + PASSPHRASE_HASHES_QUEUED;
  const hashes = Array.from({ length: room + 3 }, (_, index) => hash(`frase ${index}`, CHEAP));
  const done = await Promise.all(hashes);
  assert.ok(done.every((each, index) => (each === null) === index >= room));
  assert.notEqual(await hash('depois', CHEAP), null, 'its place is free again');
});

it('of a cost of another release fail', async () => {
  const { hash } = new PassphraseHasher();
  await assert.rejects(hash('frase', { cost: 'argon2id:1', salt: 'salt' }), /another release/);
  assert.notEqual(await hash('frase', CHEAP), null);
});
