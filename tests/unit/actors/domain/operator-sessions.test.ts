/** Sessions and tickets of the operator: each is opened, used, repeated and ended by itself. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  endOperatorSession,
  findOperatorSession,
  openOperatorSession,
} from '../../../../actors/domain/operator-sessions.ts';
import { newPerson, type PersonState, withTicket } from '../../../../actors/domain/person.ts';
import { OPERATOR_SESSION_MS, SIGN_IN_TICKET_MS } from '../../../../shared/limits.ts';
import { pluck } from '../../../support/pluck.ts';

const NOW = 1_700_000_000_000;

function invited(state: PersonState, digest: string, now = NOW): PersonState {
  return withTicket(state, { digest, to: null, way: 'link' }, now);
}

function opened(state: PersonState, name: string, now = NOW): PersonState {
  const opening = { id: `ses_${name}`, digest: `secret ${name}`, ticket: `ticket ${name}` };
  const { next } = openOperatorSession(state, opening, now) ?? {};
  assert.ok(next, name);
  return next;
}

const opening = { id: 'ses_a', digest: 'secret a', ticket: 'ticket a' };
const twice = invited(invited(newPerson('operator'), 'ticket a'), 'ticket b');
const both = opened(opened(twice, 'a'), 'b', NOW + 1);
const idsOf = ({ sessions }: PersonState) => sessions.map(({ id }) => id);

test('an operator’s session uses its own ticket up, and no other one', () => {
  const { tickets } = opened(twice, 'a');
  assert.deepEqual(pluck(tickets, 'digest'), ['ticket b']);
});

test('a session is opened beside those that are good, and in place of those that ended', () => {
  assert.deepEqual(both.sessions, [
    { id: 'ses_a', digest: 'secret a', until: NOW + OPERATOR_SESSION_MS },
    { id: 'ses_b', digest: 'secret b', until: NOW + 1 + OPERATOR_SESSION_MS },
  ]);
  const later = NOW + OPERATOR_SESSION_MS;
  const after = opened(invited(both, 'ticket c', later), 'c', later);
  assert.deepEqual(idsOf(after), ['ses_b', 'ses_c']);
});

test('a ticket opens one session, a repeat answers that one, and one too old opens nothing', () => {
  const opened = openOperatorSession(twice, opening, NOW) ?? assert.fail();
  const again = openOperatorSession(opened.next, { ...opening, id: 'ses_2' }, NOW + 500);
  assert.deepEqual(again, { next: opened.next, session: opened.session });
  assert.equal(openOperatorSession(opened.next, { ...opening, digest: 'other' }, NOW), null);
  assert.equal(openOperatorSession(twice, opening, NOW + SIGN_IN_TICKET_MS), null);
});

test('a session ends once and alone, or with its time', () => {
  const until = NOW + OPERATOR_SESSION_MS;
  assert.equal(findOperatorSession(both, 'secret a', until - 1), both.sessions[0]);
  assert.equal(findOperatorSession(both, 'secret a', until), undefined);
  const ended = endOperatorSession(both, 'secret a');
  assert.deepEqual(idsOf(ended), ['ses_b']);
  assert.equal(findOperatorSession(ended, 'secret a', NOW + 1), undefined);
  assert.equal(findOperatorSession(ended, 'secret b', NOW + 1)?.id, 'ses_b');
  assert.equal(endOperatorSession(ended, 'secret a'), ended, 'nothing is written again');
});
