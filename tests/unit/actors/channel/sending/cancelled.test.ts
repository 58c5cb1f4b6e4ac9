/** A message that was cancelled leaves the queue, and tells nothing of those before it (D425). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SendQueue } from '../../../../../actors/channel/sending/send-queue.ts';

const PACE = { pace: { perSecond: 1, pairBurst: 9, pairEveryMs: 1 }, now: 1_000 };

test('those before a cancelled message may still wait, and it has spent no token', () => {
  const queue = new SendQueue();
  const add = (seq: number) =>
    queue.conversations.add({
      conversationId: 'cnv_1',
      entryId: `msg_${seq}`,
      seq,
      urgency: 'bulk',
    });
  const [second, third] = [2, 3];
  add(second);
  add(third);
  const next = queue.next(PACE);
  const [taken = assert.fail('a message')] = 'batch' in next ? next.batch : [];
  assert.equal(taken.message.seq, second);
  queue.settle(taken.queue, { result: 'cancelled' }, PACE.now);
  assert.equal(queue.inFlight, 0);
  assert.equal(queue.completed.covers('cnv_1', second), false);
  const after = queue.next(PACE);
  assert.deepEqual('batch' in after ? after.batch.map(({ message }) => message.seq) : [], [third]);
});
