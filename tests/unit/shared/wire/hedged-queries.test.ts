import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mayHedge } from '../../../../shared/wire/hedged-queries.ts';

for (const resource of [
  'channel-check',
  'idempotency-claim',
  'idempotency-settle',
  'join-spellings',
  'library-end',
  'library-part',
  'record-checks',
  'recount',
  'send-invitation',
  'sync-templates',
  'upload-end',
  'upload-part',
]) {
  test(`${resource}, which does more than read, is asked of one process at a time`, () => {
    assert.equal(mayHedge(resource), false);
  });
}

test('lists, their rests and single entities may be asked of two', () => {
  const read = ['conversations', 'conversations-rest', 'contact', 'key', 'media', 'ready'];
  assert.deepEqual(read.filter(mayHedge), read);
});

test('what this version does not know is asked of one process at a time', () => {
  assert.deepEqual(['of-another-release', 'toString'].filter(mayHedge), []);
});
