/** The next step for a message in doubt, at the bounds of age, wait and attempts (D51, D148). */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  ATTEMPTS_MAX,
  decideInDoubt,
  type InDoubtDecision,
  type SendInDoubt,
} from '../../../../../actors/domain/conversation/send-in-doubt.ts';
import { QUEUED_MESSAGE_MAX_AGE_MS } from '../../../../../shared/limits.ts';
import { forAll } from '../../../../support/property.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const FAIL: InDoubtDecision = { next: 'fail' };
const PLAIN: InDoubtDecision = { next: 'send', blind: false };
const BLIND: InDoubtDecision = { next: 'send', blind: true };
const wait = (ms: number): InDoubtDecision => ({ next: 'wait', ms });

/** A first attempt whose answer is lost, a second ago; no status can arrive any more. */
const LOST: Omit<SendInDoubt, 'found'> = {
  ...{ sending: true, attempt: 1, statusWaitMs: 0, ageMs: 1_000 },
  expired: false,
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
  [null, { expired: true }, FAIL],
  [null, { expired: true, statusWaitMs: 12_000 }, wait(12_000)],
  [null, { attempt: 4 }, PLAIN],
  [null, { attempt: 5 }, FAIL],
  [null, { attempt: 5, sending: false }, PLAIN],
  [false, {}, PLAIN],
  [false, { ageMs: DAY_MS + 1 }, PLAIN],
  // It fails as expired before the network gets it.
  [false, { expired: true }, PLAIN],
  [false, { attempt: 4 }, PLAIN],
  [false, { attempt: 5 }, FAIL],
  // While the look-up fails.
  ['unknown', {}, wait(3_000)],
  ['unknown', { statusWaitMs: 2_000 }, wait(3_000)],
  ['unknown', { statusWaitMs: 9_000 }, wait(9_000)],
  ['unknown', { attempt: 5 }, wait(3_000)],
  ['unknown', { ageMs: DAY_MS }, wait(3_000)],
  ['unknown', { expired: true }, wait(3_000)],
  ['unknown', { ageMs: DAY_MS + 1 }, FAIL],
  // Where the look-up cannot tell: one repeat in its life; a refused one gives its attempt back.
  ['never', {}, BLIND],
  ['never', { ageMs: DAY_MS }, BLIND],
  ['never', { ageMs: DAY_MS + 1 }, FAIL],
  ['never', { expired: true }, FAIL],
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

const foundArb = fc.constantFrom<SendInDoubt['found']>(true, false, 'never', 'unknown', null);
const doubtArb: fc.Arbitrary<SendInDoubt> = fc.record(
  {
    found: foundArb,
    sending: fc.boolean(),
    attempt: fc.integer({ min: 0, max: 2 * ATTEMPTS_MAX }),
    blindAttempt: fc.integer({ min: 2, max: ATTEMPTS_MAX }),
    statusWaitMs: fc.integer({ min: -60_000, max: 12_000 }),
    ageMs: fc.integer({ min: 0, max: 2 * QUEUED_MESSAGE_MAX_AGE_MS }),
    expired: fc.boolean(),
  },
  { requiredKeys: ['found', 'sending', 'attempt', 'statusWaitMs', 'ageMs', 'expired'] },
);

describe('a decision on a message in doubt', () => {
  test('is to record it exactly when it was found', () => {
    forAll([doubtArb], (doubt) => {
      assert.equal(decideInDoubt(doubt).next === 'record', doubt.found === true);
    });
  });

  test('is never to send while the look-up is not answered, or a status may still tell', () => {
    forAll([doubtArb], (doubt) => {
      if (decideInDoubt(doubt).next !== 'send') return;
      assert.notEqual(doubt.found, 'unknown');
      assert.ok(doubt.statusWaitMs <= 0);
    });
  });

  test('is to wait for a moment at least, and never beyond its age', () => {
    forAll([doubtArb], (doubt) => {
      const decision = decideInDoubt(doubt);
      if (decision.next !== 'wait') return;
      assert.ok(decision.ms > 0 && decision.ms <= 12_000);
      if (doubt.found === 'unknown') assert.ok(doubt.ageMs <= QUEUED_MESSAGE_MAX_AGE_MS);
    });
  });

  test('is to send what may have been sent only while it is young', () => {
    forAll([doubtArb], (doubt) => {
      for (const old of [{ ageMs: QUEUED_MESSAGE_MAX_AGE_MS + 1 }, { expired: true }]) {
        const decision = decideInDoubt({ ...doubt, ...old });
        if (decision.next === 'send') assert.equal(doubt.found, false);
      }
    });
  });
});

/** The network's answers to one attempt, and to the look-ups after it. */
interface Answer {
  readonly turnedAway: boolean;
  readonly found: SendInDoubt['found'];
}

/** The life of a message whose answers are all lost, or turn it away. */
function liveThrough(answers: readonly Answer[]): {
  readonly sends: Answer[];
  readonly end: string;
} {
  let send = { sending: true, attempt: 1 } as Pick<
    SendInDoubt,
    'sending' | 'attempt' | 'blindAttempt'
  >;
  const sends: Answer[] = [{ turnedAway: false, found: null }];
  for (const answer of answers) {
    const { found } = answer;
    const decision = decideInDoubt({
      ...{ ...send, found, statusWaitMs: 0, ageMs: 1_000, expired: false },
    });
    if (decision.next === 'wait') continue;
    if (decision.next !== 'send') return { sends, end: decision.next };
    const attempt = send.attempt + 1;
    send = {
      ...send,
      sending: true,
      attempt,
      ...(decision.blind ? { blindAttempt: attempt } : {}),
    };
    sends.push(answer);
    if (answer.turnedAway) send = { ...send, sending: false, attempt: attempt - 1 };
  }
  return { sends, end: 'open' };
}

const answersArb = (founds: readonly SendInDoubt['found'][]) =>
  fc.array(fc.record({ turnedAway: fc.boolean(), found: fc.constantFrom(...founds) }), {
    maxLength: 40,
  });

describe('the life of a message in doubt', () => {
  test('repeats it blindly once at most, however often it is looked for or turned away', () => {
    forAll([answersArb(['never', 'unknown', false])], (answers) => {
      const { sends } = liveThrough(answers);
      const blind = sends.filter(({ found, turnedAway }) => found === 'never' && !turnedAway);
      assert.ok(blind.length <= 1, `${blind.length} blind repeats`);
    });
  });

  test('ends after five lost answers, with a look-up or without', () => {
    const lost = answersArb([false, null]).map((answers) =>
      answers.map(({ found }) => ({ found, turnedAway: false })),
    );
    forAll([lost], (answers) => {
      const { sends, end } = liveThrough(answers);
      assert.ok(sends.length <= ATTEMPTS_MAX);
      if (answers.length >= ATTEMPTS_MAX) assert.equal(end, 'fail');
    });
  });

  test('one repeat that no look-up can tell of, then its end', () => {
    const never = { found: 'never', turnedAway: false } as const;
    const { sends, end } = liveThrough([never, never, never]);
    assert.equal(sends.length, 2);
    assert.equal(end, 'fail');
  });
});
