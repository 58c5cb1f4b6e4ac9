/** What waits for a page, against a plain list of it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { RESYNC, WaitingHints } from '../../../../../gateway/panel/live/waiting-hints.ts';

const HINTS_MAX = 500;
const hints = fc.record({ count: fc.integer({ min: 1, max: 300 }), text: fc.string() });
const step = fc.oneof(
  { weight: 4, arbitrary: hints },
  { weight: 1, arbitrary: fc.constantFrom('take' as const, 'resync' as const) },
);

test('a page hears every hint in order, or a resync in place of what it missed', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const waiting = new WaitingHints();
      let told = { count: 0, text: '', isBehind: false };
      for (const each of steps) {
        if (each === 'resync') {
          waiting.resync();
          told.isBehind = true;
        } else if (each === 'take') {
          const taken = waiting.take();
          const text = told.isBehind ? String(RESYNC) : told.text;
          assert.equal(taken === null, told.count === 0 && !told.isBehind);
          assert.equal(Buffer.from(taken ?? []).toString(), text);
          told = { count: 0, text: '', isBehind: false };
        } else {
          waiting.add({ count: each.count, bytes: Buffer.from(each.text) });
          told.count += each.count;
          told.text += Buffer.from(each.text).toString();
          told.isBehind ||= told.count > HINTS_MAX;
        }
        assert.equal(waiting.isEmpty, told.count === 0 && !told.isBehind);
      }
    }),
  );
});
