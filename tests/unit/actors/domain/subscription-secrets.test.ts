/** Secrets of a subscription after a rotation: which stay, until when, in which order. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rotatedSecrets } from '../../../../actors/domain/organization/subscriptions.ts';
import { SECRET_ROTATION_MS } from '../../../../shared/limits.ts';

const NOW = 1_700_000_000_000;
const DAY_LATER = NOW + SECRET_ROTATION_MS;
const NEW = { sealed: 'new', until: null };

function after(secrets: Parameters<typeof rotatedSecrets>[0], lost: readonly string[] = []) {
  const opens = (sealed: string) => !lost.includes(sealed);
  return rotatedSecrets(secrets, 'new', { now: NOW, opens });
}

test('the secret before stays for a day, an older one for what it had left', () => {
  const older = { sealed: 'b', until: NOW + 1 };
  assert.deepEqual(after([]), [NEW]);
  assert.deepEqual(after([{ sealed: 'a', until: null }, older]), [
    NEW,
    { sealed: 'a', until: DAY_LATER },
    older,
  ]);
});

test('a secret that has run out goes', () => {
  const until = (at: number) => after([{ sealed: 'a', until: at }]).length - 1;
  assert.deepEqual([NOW - 1, NOW, NOW + 1].map(until), [0, 0, 1]);
});

test('a secret that the vault cannot open goes, whatever time it had left', () => {
  const secrets = [
    { sealed: 'a', until: null },
    { sealed: 'b', until: NOW + 2 },
    { sealed: 'c', until: NOW + 1 },
  ];
  assert.deepEqual(after(secrets, ['a']), [NEW, secrets[1], secrets[2]]);
  assert.deepEqual(after(secrets, ['b']), [NEW, { sealed: 'a', until: DAY_LATER }, secrets[2]]);
  assert.deepEqual(after(secrets, ['a', 'b', 'c']), [NEW]);
});
