/** Decisions about the operator's sessions, when their commands are repeated. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  endOperatorSession,
  findOperatorSession,
  openOperatorSession,
} from '../../../../actors/domain/operator-sessions.ts';
import { newPerson, withTicket } from '../../../../actors/domain/person.ts';
import { OPERATOR_SESSION_MS } from '../../../../shared/limits.ts';

const NOW = 1_700_000_000_000;
const invited = withTicket(newPerson('operator'), { digest: 'ticket', to: null, way: 'link' }, NOW);
const opening = { id: 'ses_1', digest: 'secret', ticket: 'ticket' };

test('a ticket opens one session, and a repeat answers that one', () => {
  const opened = openOperatorSession(invited, opening, NOW);
  assert.ok(opened);
  assert.deepEqual(opened.next.tickets, []);
  const again = openOperatorSession(opened.next, { ...opening, id: 'ses_2' }, NOW + 500);
  assert.deepEqual(again, { next: opened.next, session: opened.session });
  assert.equal(openOperatorSession(opened.next, { ...opening, digest: 'other' }, NOW), null);
});

test('a session ends once, or with its time', () => {
  const opened = openOperatorSession(invited, opening, NOW);
  assert.ok(opened);
  const { until } = opened.session;
  assert.equal(until, NOW + OPERATOR_SESSION_MS);
  assert.equal(findOperatorSession(opened.next, 'secret', until - 1), opened.session);
  assert.equal(findOperatorSession(opened.next, 'secret', until), undefined);
  const ended = endOperatorSession(opened.next, 'secret');
  assert.deepEqual(ended.sessions, []);
  assert.equal(endOperatorSession(ended, 'secret'), ended, 'nothing is written again');
});
