/** Whether the checker of calls with an `Idempotency-Key` can fail at all. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Ended, HistoryBuilder } from './history-builder.ts';
import { checkOnce } from './once.ts';

const NO_ANSWER: Ended = { info: true };
const STILL_RUNNING: Ended = { refused: { status: 409 } };
const answered = (id: string): Ended => ({ ok: { id } });

for (const what of ['message', 'deal'] as const) {
  const faults = (tries: readonly Ended[], ids: readonly string[]): readonly string[] => {
    const builder = new HistoryBuilder();
    for (const ended of tries) builder.call('once', { key: 'k', what, name: 'a' }, ended);
    if (what === 'deal') {
      for (const id of ids) builder.seen('read-deal', { id, title: 'a' });
      return checkOnce(builder.history).violations;
    }
    const messages = ids.map((id) => ({ id, direction: 'out', text: 'a', status: 'read' }));
    const read = { phone: '1', conversationId: 'c', status: 'open', messages };
    return checkOnce(builder.seen('read-conversation', read).history).violations;
  };

  describe(`a ${what} asked for until it is answered`, () => {
    test('passes when it is there once, whatever came before the answer', () => {
      assert.deepEqual(faults([NO_ANSWER, STILL_RUNNING, answered('x')], ['x']), []);
      assert.deepEqual(faults([answered('x'), answered('x')], ['x']), []);
    });
    test('passes when nobody was ever answered, once or not at all', () => {
      assert.deepEqual(faults([NO_ANSWER, NO_ANSWER], ['x']), []);
      assert.deepEqual(faults([NO_ANSWER, STILL_RUNNING], []), []);
    });
    test('is found when it is there twice', () => {
      assert.match(faults([NO_ANSWER, answered('x')], ['x', 'y']).join(), /there 2 times/);
    });
    test('is found when it is lost', () => {
      assert.match(faults([NO_ANSWER, answered('x')], []).join(), /and is lost/);
    });
    test('is found when another one is there', () => {
      assert.match(faults([answered('x')], ['y']).join(), /answered as x and is y/);
    });
    test('is found when two answers differ', () => {
      assert.match(faults([answered('x'), answered('y')], ['x']).join(), /answered as x, y/);
    });
  });
}
