/** The next step for a message in doubt (actors/domain/send-in-doubt). */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  ATTEMPTS_MAX,
  decideInDoubt,
  type SendInDoubt,
} from '../../../../actors/domain/send-in-doubt.ts';
import { QUEUED_MESSAGE_MAX_AGE_MS } from '../../../../shared/limits.ts';

const foundArb = fc.constantFrom<SendInDoubt['found']>(true, false, 'never', 'unknown', null);
const doubtArb: fc.Arbitrary<SendInDoubt> = fc.record(
  {
    found: foundArb,
    sending: fc.boolean(),
    attempt: fc.integer({ min: 0, max: 2 * ATTEMPTS_MAX }),
    blindAttempt: fc.integer({ min: 2, max: ATTEMPTS_MAX }),
    statusWaitMs: fc.integer({ min: -60_000, max: 12_000 }),
    ageMs: fc.integer({ min: 0, max: 2 * QUEUED_MESSAGE_MAX_AGE_MS }),
  },
  { requiredKeys: ['found', 'sending', 'attempt', 'statusWaitMs', 'ageMs'] },
);

describe('a decision on a message in doubt', () => {
  test('is to record it exactly when it was found', () => {
    fc.assert(
      fc.property(doubtArb, (doubt) => {
        assert.equal(decideInDoubt(doubt).next === 'record', doubt.found === true);
      }),
    );
  });

  test('is never to send while the look-up is not answered, or a status may still tell', () => {
    fc.assert(
      fc.property(doubtArb, (doubt) => {
        if (decideInDoubt(doubt).next !== 'send') return;
        assert.notEqual(doubt.found, 'unknown');
        assert.ok(doubt.statusWaitMs <= 0);
      }),
    );
  });

  test('is to wait for a moment at least, and never beyond its age', () => {
    fc.assert(
      fc.property(doubtArb, (doubt) => {
        const decision = decideInDoubt(doubt);
        if (decision.next !== 'wait') return;
        assert.ok(decision.ms > 0 && decision.ms <= 12_000);
        if (doubt.found === 'unknown') assert.ok(doubt.ageMs <= QUEUED_MESSAGE_MAX_AGE_MS);
      }),
    );
  });

  test('is to send what may have been sent only while it is young', () => {
    fc.assert(
      fc.property(doubtArb, (doubt) => {
        const decision = decideInDoubt({ ...doubt, ageMs: QUEUED_MESSAGE_MAX_AGE_MS + 1 });
        if (decision.next === 'send') assert.equal(doubt.found, false);
      }),
    );
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
    const decision = decideInDoubt({ ...send, found: answer.found, statusWaitMs: 0, ageMs: 1_000 });
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
    fc.assert(
      fc.property(answersArb(['never', 'unknown', false]), (answers) => {
        const { sends } = liveThrough(answers);
        const blind = sends.filter(({ found, turnedAway }) => found === 'never' && !turnedAway);
        assert.ok(blind.length <= 1, `${blind.length} blind repeats`);
      }),
    );
  });

  test('ends after five lost answers, with a look-up or without', () => {
    const lost = answersArb([false, null]).map((answers) =>
      answers.map(({ found }) => ({ found, turnedAway: false })),
    );
    fc.assert(
      fc.property(lost, (answers) => {
        const { sends, end } = liveThrough(answers);
        assert.ok(sends.length <= ATTEMPTS_MAX);
        if (answers.length >= ATTEMPTS_MAX) assert.equal(end, 'fail');
      }),
    );
  });

  test('one repeat that no look-up can tell of, then its end', () => {
    const never = { found: 'never', turnedAway: false } as const;
    const { sends, end } = liveThrough([never, never, never]);
    assert.equal(sends.length, 2);
    assert.equal(end, 'fail');
  });
});
