/** A call of a contact as the first entry of a conversation, and as a later one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decideCall } from '../../../../actors/domain/network-call.ts';
import { conversationFixture, NOW } from '../../../support/actors/domain/message-fixture.ts';

const AT = NOW - 60_000;
const call = { at: AT, networkId: '5511988887777' };

test('a call under a window that is as late begins a conversation, and repeats no entry', () => {
  const first = decideCall(conversationFixture({ seq: 0, windowFrom: AT }), call, NOW);
  assert.deepEqual([first?.state.seq, first?.state.windowFrom], [1, AT]);
  for (const seq of [1, 2]) {
    assert.equal(decideCall(conversationFixture({ seq, windowFrom: AT }), call, NOW), null);
  }
});
