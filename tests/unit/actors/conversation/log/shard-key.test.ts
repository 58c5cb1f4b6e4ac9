/** Each change of an entry names its conversation, by which `entries` can be sharded (D340). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  changeWrite,
  entryDocument,
  mediaWrite,
  messageWrite,
  settlementWrite,
} from '../../../../../actors/conversation/log/documents.ts';
import type { Write } from '../../../../../actors/model/collections.ts';
import {
  conversationFixture,
  outboundFixture,
} from '../../../../support/actors/domain/message-fixture.ts';

const _id = 'msg_1';
const change = { $set: { seq: 2 } };
const ANY: string = 'entries';

/** Each would go to every shard, or make an entry on another one: the compiler refuses it. */
const REFUSED: readonly Write[] = [
  // @ts-expect-error
  { update: 'entries', filter: { _id }, change },
  // @ts-expect-error
  { update: 'entries', filter: { _id, conversationId: undefined }, change, upsert: true },
  // @ts-expect-error
  { update: 'entries', many: true, filter: { _id: { $in: [_id] } }, change },
  // @ts-expect-error
  { remove: 'entries', filter: { _id } },
  // @ts-expect-error
  { update: ANY, filter: { _id }, change },
];

function conversationIn(write: Write | undefined): unknown {
  return write && 'filter' in write ? Object(write.filter).conversationId : undefined;
}

test('a change of an entry goes to the shard of its conversation', () => {
  const state = conversationFixture({ id: 'cnv_3_a', seq: 1 });
  const message = outboundFixture({});
  const entry = entryDocument(_id, { state, message, outbox: [], queued: true });
  const writes = [
    messageWrite(entry, message, []),
    mediaWrite(entry, message),
    settlementWrite(entry),
    changeWrite(entry, { deletion: { at: 1 } }),
  ];
  assert.deepEqual(writes.map(conversationIn), Array(4).fill('cnv_3_a'));
  assert.deepEqual(REFUSED.map(conversationIn), Array(5).fill(undefined));
});
