/** Conditions of a send (D424): which of them broke, and what holds where nothing was said yet. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  brokenCondition,
  wasBrokenBefore,
} from '../../../../../actors/domain/conversation/send-conditions.ts';
import { failure } from '../../../../../shared/failures.ts';
import type { OnlyIf } from '../../../../../shared/wire/commands.ts';
import { conversationFixture, NOW } from '../../../../support/actors/domain/message-fixture.ts';

const [FREE, PAUSED, RESUMED] = [null, NOW + 1, NOW].map((automationPausedUntil) =>
  conversationFixture({ automationPausedUntil }),
);
const NEWEST = { lastMessageId: 'msg_2' };
const OLDER = { lastMessageId: 'msg_1' };
const RUNNING = { automation: true } as const;

for (const [onlyIf, state, broken] of [
  [NEWEST, FREE, null],
  [OLDER, FREE, 'not_newest'],
  [NEWEST, PAUSED, null],
  [RUNNING, FREE, null],
  [RUNNING, RESUMED, null],
  [RUNNING, PAUSED, 'automation_paused'],
  [{ ...NEWEST, ...RUNNING }, FREE, null],
  [{ ...OLDER, ...RUNNING }, FREE, 'not_newest'],
  [{ ...OLDER, ...RUNNING }, PAUSED, 'automation_paused'],
] satisfies readonly (readonly [OnlyIf, typeof FREE, string | null])[]) {
  const paused = state?.automationPausedUntil ?? null;
  test(`${JSON.stringify(onlyIf)} of msg_2, paused until ${paused}: ${broken ?? 'sent'}`, () => {
    const facts = { state: state ?? null, newestId: 'msg_2', now: NOW };
    assert.equal(brokenCondition(onlyIf, facts)?.kind ?? null, broken);
  });
}

test('where there is no conversation no message is the newest, and nothing is paused', () => {
  const facts = { state: null, newestId: null, now: NOW };
  assert.equal(brokenCondition(NEWEST, facts)?.kind, 'not_newest');
  assert.equal(brokenCondition(RUNNING, facts), null);
});

test('a pause was one before, unless another server’s clock may have shown its end', () => {
  const refusal = failure('automation_paused');
  for (const [leftMs, certain] of [
    [1, false],
    [60_000, false],
    [60_001, true],
  ] as const) {
    const state = conversationFixture({ automationPausedUntil: NOW + leftMs });
    const broken = { refusal, state, now: NOW, isNewestMoved: false };
    assert.equal(wasBrokenBefore(broken), certain, `${leftMs} ms`);
  }
});

test('another message was the newest before, unless it has moved there since', () => {
  const broken = { refusal: failure('not_newest'), state: FREE ?? null, now: NOW };
  assert.equal(wasBrokenBefore({ ...broken, isNewestMoved: false }), true);
  assert.equal(wasBrokenBefore({ ...broken, isNewestMoved: true }), false);
});
