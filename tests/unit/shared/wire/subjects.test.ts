import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createIds } from '../../../../infra/adapters/ids/ids.ts';
import { channelId, conversationId } from '../../../../shared/entity-ids.ts';
import { PARTITIONS, SHELVES } from '../../../../shared/limits.ts';
import { fnv1a } from '../../../../shared/text/fnv1a.ts';
import { ACTOR_KINDS } from '../../../../shared/vocabulary.ts';
import {
  ownerSubject,
  parsePartition,
  partitionOf,
  shelfFor,
  shelfOf,
  shelfSubject,
} from '../../../../shared/wire/subjects.ts';

test('a partition is FNV-1a of kind and key, and is named by its kind and number', () => {
  // FNV-1a, 32 bit, of "organization.org_1", by the published algorithm.
  let hash = 0x811c9dc5n;
  for (const byte of Buffer.from('organization.org_1')) {
    hash = ((hash ^ BigInt(byte)) * 0x01000193n) & 0xffffffffn;
  }
  const number = Number((hash % 64n) * 16n + ((hash / 64n) % 16n));
  assert.equal(partitionOf('organization', 'org_1'), number);
  const partition = parsePartition(`organization.${number}`);
  assert.deepEqual(partition, { kind: 'organization', number });
  assert.equal(parsePartition('organization.1024'), null);
  assert.equal(parsePartition('nothing.1'), null);
  assert.ok(partition);
  const [shelf, slot] = [Math.floor(number / 16), number % 16];
  assert.equal(shelfOf(number), shelf);
  assert.equal(ownerSubject('ask', partition), `recado.ask.organization.${shelf}.${slot}`);
  assert.equal(ownerSubject('nudge', partition), `recado.nudge.organization.${shelf}.${slot}`);
  assert.equal(shelfSubject('ask', 'organization', shelf), `recado.ask.organization.${shelf}.*`);
});

test('ids and shelves of before there were 1,024 partitions stay what they were', () => {
  const ids = createIds(new Uint8Array(32).fill(7));
  const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_';
  for (let n = 0; n < 500; n++) {
    const channel = ids.derive('chn', 'org_1', String(n));
    const before = fnv1a(`channel.${channel}`) % 64;
    assert.equal(partitionOf('channel', channel), before * 16);
    const conversation = conversationId(ids, channel, 'contact');
    assert.equal(conversation, ids.derive(`cnv_${digits[before]}`, channel, 'contact'));
    assert.equal(shelfFor('conversation', conversation), before);
    for (const kind of ACTOR_KINDS) {
      if (kind === 'conversation' || kind === 'channel') continue;
      assert.equal(shelfFor(kind, `k${n}`), fnv1a(`${kind}.k${n}`) % 64);
    }
  }
});

test('new channels spread over all partitions, and their ids are the same each time', () => {
  const ids = createIds(new Uint8Array(32).fill(7));
  const counts = new Map<number, number>();
  for (let n = 0; n < 20_000; n++) {
    const id = channelId(ids, { orgId: 'org_1', ref: `r${n}` });
    if (n < 100) assert.equal(channelId(ids, { orgId: 'org_1', ref: `r${n}` }), id);
    const number = partitionOf('channel', id);
    assert.equal(partitionOf('conversation', conversationId(ids, id, 'contact')), number);
    counts.set(number, (counts.get(number) ?? 0) + 1);
  }
  assert.equal(counts.size, PARTITIONS);
  const byShelf = Map.groupBy(counts, ([number]) => shelfOf(number));
  assert.equal(byShelf.size, SHELVES);
});
