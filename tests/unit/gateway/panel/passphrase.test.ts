/** Hashes of passphrases (D210). */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { PassphraseHasher } from '../../../../gateway/panel/passphrase.ts';
import { PASSPHRASE_HASHES_AT_ONCE, PASSPHRASE_HASHES_QUEUED } from '../../../../shared/limits.ts';

const CHEAP = { cost: 'scrypt:1024:8:1', salt: 'salt' };
const ROOM = PASSPHRASE_HASHES_AT_ONCE + PASSPHRASE_HASHES_QUEUED;
const from = (place: string, isKnown = false) => ({ place, isKnown });
const ME = from('me');

it('are equal for one passphrase in two forms of Unicode, and else differ', async () => {
  const { hash } = new PassphraseHasher();
  const composed = await hash('ca\u0301lculo', CHEAP, ME);
  assert.equal(await hash('c\u00e1lculo', CHEAP, ME), composed);
  assert.notEqual(await hash('calculo', CHEAP, ME), composed);
  assert.notEqual(await hash('c\u00e1lculo', { ...CHEAP, salt: 'other' }, ME), composed);
  assert.match(composed ?? '', /^[\w-]{43}$/);
});

it('run two at once; so many wait, and a further one is refused at once', async () => {
  const { hash } = new PassphraseHasher();
  const hashes = Array.from({ length: ROOM + 3 }, (_, index) =>
    hash('frase', CHEAP, from(`${index}`)),
  );
  const done = await Promise.all(hashes);
  assert.ok(done.every((each, index) => (each === null) === index >= ROOM));
  assert.notEqual(await hash('depois', CHEAP, ME), null, 'its place is free again');
});

/** Asked beside each other; hashes begin one after the other. The passphrases in that order. */
async function order(asked: readonly (readonly [string, boolean?])[]) {
  const begun: string[] = [];
  const { hash } = new PassphraseHasher(async (passphrase) => {
    begun.push(passphrase);
    await new Promise(setImmediate);
    return passphrase;
  });
  const made = asked.map(([place, isKnown], at) =>
    hash(`${place} ${at}`, CHEAP, from(place, isKnown)),
  );
  const done = await Promise.all(made);
  return { begun, refused: done.filter((each) => each === null).length };
}

const thirtyOf = (place: string) => Array.from({ length: 30 }, () => [place] as const);
const strangers = Array.from({ length: ROOM }, (_, at) => [`stranger${at}`] as const);

it('of one peer wait behind those of all others: 30 guesses at a time keep nobody out', async () => {
  const { begun, refused } = await order([...thirtyOf('attacker'), ['me'], ['you'], ['me']]);
  // Two run at once, one waits in its own place.
  assert.deepEqual(begun.slice(0, 6), [
    'attacker 0',
    'attacker 1',
    'attacker 2',
    'me 30',
    'you 31',
    'attacker 3',
  ]);
  assert.equal(begun.length, ROOM);
  assert.equal(refused, 33 - ROOM);
});

it('of a peer that signed in of late go first, and take a stranger’s place', async () => {
  const { begun, refused } = await order([...strangers, ['home', true]]);
  assert.equal(begun[PASSPHRASE_HASHES_AT_ONCE], `home ${ROOM}`);
  assert.deepEqual([refused, begun.includes(`stranger${ROOM - 1} ${ROOM - 1}`)], [1, false]);
  const flood = await order([
    ...thirtyOf('attacker').map(([place]) => [place, true] as const),
    ['me'],
  ]);
  assert.equal(flood.begun[3], 'me 30', 'and does so once');
  const full = strangers.map(([place]) => [place, true] as const);
  const late = await order([...full, ['one more', true]]);
  assert.equal(late.begun.includes(`one more ${ROOM}`), false, 'none displaces its like');
});

it('of a cost of another release fail', async () => {
  const { hash } = new PassphraseHasher();
  await assert.rejects(hash('frase', { cost: 'argon2id:1', salt: 'salt' }, ME), /another release/);
  assert.notEqual(await hash('frase', CHEAP, ME), null);
});
