/** Co-location: a conversation is placed with its channel. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { placePartitions } from '../../../../actors/runtime/placement.ts';
import { createIds } from '../../../../infra/adapters/ids/ids.ts';
import { channelId, conversationId } from '../../../../shared/entity-ids.ts';
import { PARTITIONS } from '../../../../shared/limits.ts';
import { ACTOR_KINDS } from '../../../../shared/vocabulary.ts';
import { partitionName, partitionOf } from '../../../../shared/wire/subjects.ts';
import { forAll, withRuns } from '../../../support/property.ts';

const SALT = new Uint8Array(32).fill(7);
const ID = /^[A-Za-z0-9_-]{1,40}$/;

test('a conversation has the partition of its channel, and one name', () => {
  const ids = createIds(SALT);
  const again = createIds(SALT);
  const seen = new Set<number>();
  withRuns(20_000)([fc.nat(), fc.string()], (n, contact) => {
    const channel = channelId(ids, { orgId: 'org_1', ref: String(n) });
    const id = conversationId(ids, channel, contact);
    assert.match(id, ID);
    assert.equal(partitionOf('conversation', id), partitionOf('channel', channel));
    assert.equal(conversationId(again, channel, contact), id);
    seen.add(partitionOf('conversation', id));
  });
  assert.equal(seen.size, PARTITIONS, 'every partition has a digit of its own');
});

test('whatever is asked for by any name falls into some partition', () => {
  const names = fc.oneof(
    fc.string({ maxLength: 40 }),
    fc.string({ minLength: 28, maxLength: 28 }),
    fc.string().map((odd) => `cnv_${odd}_0123456789ABCDEFGHIJKL`),
  );
  withRuns(2_000)([names], (name) => {
    const partition = partitionOf('conversation', name);
    assert.ok(Number.isInteger(partition) && partition >= 0 && partition < PARTITIONS, name);
  });
});

test('who runs both kinds owns a channel and its conversations, whoever had them', () => {
  const owner = fc.constantFrom('m0', 'm1', 'm2', 'dead', null);
  const owners = fc.array(owner, { minLength: 1, maxLength: 20 });
  const weights = fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 3 });
  forAll([weights, owners], (given, had) => {
    const those = given.map((weight, at) => ({ id: `m${at}`, kinds: ACTOR_KINDS, weight }));
    const names = ACTOR_KINDS.flatMap((kind) =>
      Array.from({ length: PARTITIONS }, (_, number) => partitionName({ kind, number })),
    );
    const rows = names.map((name, at) => ({ name, owner: had[at % had.length] ?? null, epoch: 1 }));
    const placed = placePartitions(those, rows);
    for (let number = 0; number < PARTITIONS; number++) {
      assert.equal(
        placed.get(partitionName({ kind: 'conversation', number })),
        placed.get(partitionName({ kind: 'channel', number })),
      );
    }
  });
});
