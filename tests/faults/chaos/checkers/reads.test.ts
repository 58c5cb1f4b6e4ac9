/** Whether the checker of reads can fail at all. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HistoryBuilder } from './history-builder.ts';
import { checkReads } from './reads.ts';

const PHONE = '5511987000001';

/** Three sends are answered, then a page is read; the conversation has all of them in the end. */
function faults(ids: readonly string[], total: number): readonly string[] {
  const builder = new HistoryBuilder();
  for (const n of [1, 2, 3]) {
    const answer = { messageId: `m${n}` };
    builder.call('send', { phone: PHONE, text: `t${n}` }, { ok: answer });
  }
  builder.call('read-back', { phone: PHONE }, { ok: { ids, total } });
  builder.call('send', { phone: PHONE, text: 't4' }, { ok: { messageId: 'm4' } });
  const messages = [1, 2, 3, 4].map((n) => {
    return { id: `m${n}`, direction: 'out', text: `t${n}`, status: 'read' };
  });
  const read = { phone: PHONE, conversationId: 'c', status: 'open', messages };
  return checkReads(builder.seen('read-conversation', read).history).violations;
}

test('a page with all that was answered passes, also one that newer ones fill', () => {
  assert.deepEqual(faults(['m3', 'm2', 'm1'], 3), []);
  assert.deepEqual(faults(['m3', 'm2'], 3), []);
  assert.deepEqual(faults(['m4', 'm3', 'm2', 'm1'], 4), [], 'another one came meanwhile');
});
test('one that was answered and is not shown is found', () => {
  assert.deepEqual(faults(['m2', 'm1'], 3), ['t3 was answered and then not shown']);
  assert.deepEqual(faults(['m3', 'm1'], 3), ['t2 was answered and then not shown']);
});
test('a page that calls itself the only one and lacks the oldest is found', () => {
  assert.deepEqual(faults(['m4', 'm3', 'm2'], 3), ['t1 was answered and then not shown']);
  assert.deepEqual(faults(['m4', 'm3', 'm2'], 4), []);
});
test('a total that is too small is found', () => {
  assert.match(faults(['m3', 'm2'], 2).join(), /a total of 2, 3 were answered/);
});
