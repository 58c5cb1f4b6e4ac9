/** The names under which a message is stored (D152). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { namesOf } from '../../../../actors/domain/network-message.ts';

test('the canonical id, and the whole one where it is known', () => {
  const fullId = 'true_5511987654321@c.us_A1';
  assert.deepEqual(namesOf({ externalId: 'A1', fullId }), { externalId: 'A1', fullId });
  assert.deepEqual(namesOf({ externalId: 'A1', fullId: undefined }), { externalId: 'A1' });
});
