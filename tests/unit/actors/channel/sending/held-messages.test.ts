/** Messages that a channel holds in memory, at most. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SendQueue } from '../../../../../actors/channel/sending/send-queue.ts';

/** As in `actors/channel/sending/backlog.ts`. */
const BUFFERED_MAX = 20_000;
const PASSING_MAX = 1_000;

test('beyond what memory holds, only replies are taken, and the rest is read from the store', () => {
  const queue = new SendQueue();
  const { conversations } = queue;
  const backlog = queue.backlogs.normal;
  const offer = (count: number, passes: boolean): void => {
    for (let n = 0; n < count; n++) {
      const conversationId = `c${offered++}`;
      queue.offer({ conversationId, entryId: conversationId, seq: 1, urgency: 'normal' }, passes);
    }
  };
  let offered = 0;
  offer(BUFFERED_MAX, false);
  assert.deepEqual([conversations.size, backlog.hasAll], [BUFFERED_MAX, true]);
  offer(2, false);
  assert.deepEqual([conversations.size, backlog.hasAll], [BUFFERED_MAX, false]);
  assert.equal(backlog.needsRefill(conversations.size), false, 'it has enough');
  offer(PASSING_MAX + 2, true);
  assert.equal(conversations.size, BUFFERED_MAX + PASSING_MAX);
});
