/** A message in doubt at the bounds of its age, its wait and its attempts (D51, D148). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  decideInDoubt,
  type InDoubtDecision,
  type SendInDoubt,
} from '../../../../actors/domain/send-in-doubt.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const FAIL: InDoubtDecision = { next: 'fail' };
const PLAIN: InDoubtDecision = { next: 'send', blind: false };
const BLIND: InDoubtDecision = { next: 'send', blind: true };
const wait = (ms: number): InDoubtDecision => ({ next: 'wait', ms });

/** A first attempt whose answer is lost, a second ago; no status can arrive any more. */
const LOST: Omit<SendInDoubt, 'found'> = {
  ...{ sending: true, attempt: 1, statusWaitMs: 0, ageMs: 1_000 },
};

type Row = readonly [
  found: SendInDoubt['found'],
  over: Partial<SendInDoubt>,
  decision: InDoubtDecision,
];

const ROWS: readonly Row[] = [
  // Without a look-up, and with one that shows that the network lacks the message.
  [null, {}, PLAIN],
  [null, { statusWaitMs: 1 }, wait(1)],
  [null, { statusWaitMs: 12_000 }, wait(12_000)],
  [null, { ageMs: DAY_MS }, PLAIN],
  [null, { ageMs: DAY_MS + 1 }, FAIL],
  [null, { attempt: 4 }, PLAIN],
  [null, { attempt: 5 }, FAIL],
  [null, { attempt: 5, sending: false }, PLAIN],
  [false, {}, PLAIN],
  [false, { ageMs: DAY_MS + 1 }, PLAIN],
  [false, { attempt: 4 }, PLAIN],
  [false, { attempt: 5 }, FAIL],
  // While the look-up fails.
  ['unknown', {}, wait(3_000)],
  ['unknown', { statusWaitMs: 2_000 }, wait(3_000)],
  ['unknown', { statusWaitMs: 9_000 }, wait(9_000)],
  ['unknown', { attempt: 5 }, wait(3_000)],
  ['unknown', { ageMs: DAY_MS }, wait(3_000)],
  ['unknown', { ageMs: DAY_MS + 1 }, FAIL],
  // Where the look-up cannot tell: one repeat in its life; a refused one gives its attempt back.
  ['never', {}, BLIND],
  ['never', { ageMs: DAY_MS }, BLIND],
  ['never', { ageMs: DAY_MS + 1 }, FAIL],
  ['never', { attempt: 2, blindAttempt: 2 }, FAIL],
  ['never', { attempt: 3, blindAttempt: 2 }, FAIL],
  ['never', { attempt: 1, blindAttempt: 2 }, BLIND],
  // Found.
  [true, { ageMs: DAY_MS + 1, attempt: 5, statusWaitMs: 9_000 }, { next: 'record' }],
];

test('a message in doubt is sent again, waits, fails or is recorded, as the table says', () => {
  for (const [found, over, decision] of ROWS) {
    const doubt = { ...LOST, found, ...over };
    assert.deepEqual(decideInDoubt(doubt), decision, JSON.stringify(doubt));
  }
});
