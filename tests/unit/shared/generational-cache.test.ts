/**
 * Generational cache: never more than its bound, never less than its promise, never a wrong value.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { CompletionRecords } from '../../../actors/runtime/mailbox.ts';
import { GenerationalCache } from '../../../shared/generational-cache.ts';
import { ASK_DEADLINE_MS } from '../../../shared/limits.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const KEYS = 12;
const useOf = fc.record({
  key: fc.nat(KEYS - 1),
  how: fc.constantFrom('set', 'get', 'delete'),
});

test('the half that was used last is always there, and no more than there is room for', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 9 }), fc.array(useOf), (capacity, uses) => {
      const recent = new GenerationalCache<number, number>(capacity);
      const model = new Map<number, number>();
      /** Used, the latest last; some of them have been deleted since. */
      let order: number[] = [];
      uses.forEach(({ key, how }, at) => {
        const known = how === 'get' ? recent.get(key) : undefined;
        if (known !== undefined) assert.equal(known, model.get(key));
        if (how === 'set') {
          recent.set(key, at);
          model.set(key, at);
        }
        if (how === 'delete') {
          recent.delete(key);
          model.delete(key);
        }
        if (known !== undefined || how === 'set') {
          order = [...order.filter((each) => each !== key), key];
        }
        assert.ok(recent.size <= capacity);
      });
      for (const key of order.slice(-Math.ceil(capacity / 2))) {
        assert.equal(recent.get(key), model.get(key));
      }
    }),
  );
});

test('what no use names for two generations is forgotten, what one names stays', () => {
  const recent = new GenerationalCache<string, number>(1_000);
  recent.set('used', 1);
  recent.set('unused', 2);
  for (let generation = 0; generation < 3; generation++) {
    recent.age();
    assert.equal(recent.get('used'), 1);
  }
  assert.equal(recent.get('unused'), undefined);
  assert.equal(recent.size, 1);
});

test('an organization at rest keeps no answer, and no timer', () => {
  const clock = new ManualClock();
  const kept = new CompletionRecords(clock);
  const answer = { status: 200, body: '' };
  kept.keep('cmd_1', answer);
  clock.advance(8_000);
  kept.keep('cmd_2', answer);
  assert.equal(kept.find('cmd_1'), answer);
  clock.advance(ASK_DEADLINE_MS);
  assert.equal(kept.find('cmd_2'), answer);
  for (let second = 0; second < 30; second++) clock.advance(1_000);
  assert.deepEqual([kept.find('cmd_1'), kept.find('cmd_2')], [null, null]);
  assert.equal(clock.waiting, 0);
});

test('an answer is kept for as long as its command may be asked again, and not for ever', () => {
  const steps = fc.array(fc.nat(4_000), { maxLength: 40 });
  fc.assert(
    fc.property(steps, (waits) => {
      let now = 0;
      const kept = new CompletionRecords({
        now: () => now,
        monotonic: () => now,
        after: () => () => undefined,
      });
      const at: number[] = [];
      waits.forEach((wait, index) => {
        now += wait;
        kept.keep(`cmd_${index}`, { status: 200, body: String(index) });
        at.push(now);
        at.forEach((since, each) => {
          const found = kept.find(`cmd_${each}`);
          if (found) assert.equal(found.body, String(each));
          if (now - since <= ASK_DEADLINE_MS) assert.ok(found, `forgotten after ${now - since} ms`);
          if (now - since > 3 * ASK_DEADLINE_MS) assert.equal(found, null);
        });
      });
    }),
  );
});
