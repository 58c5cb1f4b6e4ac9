/** Decisions about a session (D209). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { beginSession, memberOf, seenSession } from '../../../../actors/domain/session.ts';
import {
  SESSION_IDLE_MS,
  SESSION_MAX_MS,
  SESSION_SEEN_EVERY_MS,
} from '../../../../shared/limits.ts';

const NOW = 1_700_000_000_000;
const ana = { id: 'mbr_1', ref: 'ana', name: 'Ana', email: null, person: 'prs_1' };
const begun = beginSession(
  {
    ...{ id: 'ses_1', orgId: 'org_1', memberId: 'mbr_1', personId: 'prs_1' },
    ...{ way: 'link', address: '203.0.113.1' },
  },
  NOW,
);

describe('a session', () => {
  it('ends after 12 hours without a call, and 30 days after its begin', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 2 * SESSION_IDLE_MS }), { maxLength: 90 }),
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
            session = seenSession(session, at);
          }
        },
      ),
    );
  });

  it('is written as used every 5 minutes at most', () => {
    assert.equal(seenSession(begun, NOW + SESSION_SEEN_EVERY_MS - 1), begun);
    assert.equal(
      seenSession(begun, NOW + SESSION_SEEN_EVERY_MS).seenAt,
      NOW + SESSION_SEEN_EVERY_MS,
    );
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
