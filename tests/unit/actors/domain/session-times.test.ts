/** Times of a session: its end is the first millisecond at which it admits no call. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  beginSession,
  memberOf,
  type NewSession,
  seenSession,
} from '../../../../actors/domain/session.ts';
import { SESSION_IDLE_MS, SESSION_MAX_MS } from '../../../../shared/limits.ts';

const NOW = 1_700_000_000_000;
const ana = { id: 'mbr_1', ref: 'ana', name: 'Ana', email: null, person: 'prs_1' };
const bia = { id: 'mbr_2', ref: 'bia', name: 'Bia', email: null, person: 'prs_2' };
const given: NewSession = {
  ...{ id: 'ses_1', orgId: 'org_1', memberId: 'mbr_1', personId: 'prs_1' },
  ...{ way: 'link', address: '203.0.113.1' },
};
const begun = beginSession(given, NOW);

test('a session begins with all that it is given, used at that moment', () => {
  const until = NOW + SESSION_IDLE_MS;
  assert.deepEqual(begun, { ...given, createdAt: NOW, seenAt: NOW, until });
});

test('it acts for its own member until the very end, and for none from then on', () => {
  const at = (now: number, session = begun) => memberOf(session, { members: [bia, ana] }, now);
  assert.equal(at(begun.until - 1), ana);
  assert.equal(at(begun.until), null);
  assert.equal(at(begun.until + 1), null);
  const late = seenSession(begun, NOW + SESSION_MAX_MS - 1);
  assert.equal(late.until, NOW + SESSION_MAX_MS);
  assert.equal(at(late.until - 1, late), ana);
  assert.equal(at(late.until, late), null);
});
