import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  askSubject,
  nudgeSubject,
  parsePartition,
  partitionOf,
} from '../../../../shared/wire/subjects.ts';

test('a partition is FNV-1a of kind and key, and is named by its kind and number', () => {
  // FNV-1a, 32 bit, of "organization.org_1", by the published algorithm.
  let hash = 0x811c9dc5n;
  for (const byte of Buffer.from('organization.org_1')) {
    hash = ((hash ^ BigInt(byte)) * 0x01000193n) & 0xffffffffn;
  }
  const number = Number(hash % 64n);
  assert.equal(partitionOf('organization', 'org_1'), number);
  const partition = parsePartition(`organization.${number}`);
  assert.deepEqual(partition, { kind: 'organization', number });
  assert.equal(parsePartition('organization.64'), null);
  assert.equal(parsePartition('nothing.1'), null);
  assert.ok(partition);
  assert.equal(askSubject(partition), `recado.ask.organization.${number}`);
  assert.equal(nudgeSubject(partition), `recado.nudge.organization.${number}`);
});
