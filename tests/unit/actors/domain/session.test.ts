/** Sessions: each ends at the first millisecond at which it admits no call (D209). */
import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import fc from 'fast-check';
import {
  beginSession,
  memberOf,
  type NewSession,
  touchSession,
} from '../../../../actors/domain/session.ts';
import {
  SESSION_IDLE_MS,
  SESSION_MAX_MS,
  SESSION_SEEN_EVERY_MS,
} from '../../../../shared/limits.ts';
import { forAll } from '../../../support/property.ts';

const NOW = 1_700_000_000_000;
const ana = { id: 'mbr_1', ref: 'ana', name: 'Ana', email: null, person: 'prs_1' };
const bia = { id: 'mbr_2', ref: 'bia', name: 'Bia', email: null, person: 'prs_2' };
const given: NewSession = {
  ...{ id: 'ses_1', orgId: 'org_1', memberId: 'mbr_1', personId: 'prs_1' },
  ...{ way: 'link', address: '203.0.113.1' },
};
test('a session begins with all that it is given, used at that moment', () => {
  const until = NOW + SESSION_IDLE_MS;
  assert.deepEqual(begun, { ...given, createdAt: NOW, seenAt: NOW, until });
});

test('a session acts for its own member until the very end, and for none from then on', () => {
  const at = (now: number, session = begun) => memberOf(session, { members: [bia, ana] }, now);
  assert.equal(at(begun.until - 1), ana);
  assert.equal(at(begun.until), null);
  assert.equal(at(begun.until + 1), null);
  const late = touchSession(begun, NOW + SESSION_MAX_MS - 1);
  assert.equal(late.until, NOW + SESSION_MAX_MS);
  assert.equal(at(late.until - 1, late), ana);
  assert.equal(at(late.until, late), null);
});

const begun = beginSession(given, NOW);

describe('a session', () => {
  it('ends after 12 hours without a call, and 30 days after its begin', () => {
    forAll(
      [fc.array(fc.integer({ min: 1, max: 2 * SESSION_IDLE_MS }), { maxLength: 90 })],
      (waits) => {
        let [session, at] = [begun, NOW];
        for (const wait of waits) {
          const isIdle = wait >= SESSION_IDLE_MS;
          at += wait;
          const isOld = at >= NOW + SESSION_MAX_MS;
          const isIn = memberOf(session, { members: [ana] }, at) !== null;
          if (isIdle || isOld) assert.equal(isIn, false);
          else if (wait < SESSION_IDLE_MS - SESSION_SEEN_EVERY_MS) assert.equal(isIn, true);
          if (!isIn) return;
          session = touchSession(session, at);
        }
      },
    );
  });

  it('is written as used every 5 minutes at most', () => {
    assert.equal(touchSession(begun, NOW + SESSION_SEEN_EVERY_MS - 1), begun);
    const at = NOW + SESSION_SEEN_EVERY_MS;
    assert.equal(touchSession(begun, at).seenAt, at);
  });

  it('acts for a member that is active and still the same person', () => {
    const of = (change: object) => memberOf(begun, { members: [{ ...ana, ...change }] }, NOW);
    assert.equal(of({})?.id, 'mbr_1');
    assert.equal(of({ removed: true }), null);
    assert.equal(of({ disabledAt: NOW }), null);
    assert.equal(of({ person: 'prs_2' }), null);
    assert.equal(memberOf(begun, { members: [] }, NOW), null);
  });
});
