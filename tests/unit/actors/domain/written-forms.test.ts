/** Forms that are stored or spoken between processes: durations, partitions, subjects. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDuration } from '../../../../shared/provisioning/duration.ts';
import {
  askSubject,
  nudgeSubject,
  parsePartition,
  partitionOf,
} from '../../../../shared/wire/subjects.ts';

test('a duration is a number and its unit, in milliseconds', () => {
  const table = [
    ['250ms', 250],
    ['6s', 6_000],
    ['1.5s', 1_500],
    ['5m', 300_000],
    ['2h', 7_200_000],
    ['1d', 86_400_000],
    ['0.0004s', null],
    ['0.001s', 1],
    ['0.4ms', 0],
    ['999999999ms', 999_999_999],
    ['1000000000ms', null],
  ] as const;
  for (const [text, ms] of table) assert.equal(parseDuration(text), ms, text);
  for (const text of ['', '5', 's', '5 s', ' 5s', '5s ', '-5s', '5w', '5S', '1.s', '5ms5']) {
    assert.equal(parseDuration(text), null, text);
  }
});

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
