/** D79: an asker that repeats while it waits makes no more work. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Wire } from '../../../infra/adapters/nats/connection.ts';
import { type AskItem, Responder } from '../../../infra/adapters/nats/envelope.ts';

const item = (n: number, deadline = 10): AskItem => ({
  n,
  kind: '',
  key: 'recado.query.contacts',
  command: {},
  deadline,
});

function answers(): Responder {
  return new Responder({ publish: () => undefined } as unknown as Wire, 'actors-0');
}

test('a query that is under way is not begun again, one that has ended is', () => {
  const answering = answers();
  const done = answering.begin('recado.inbox.gateway-0.1', item(7), 0);
  assert.ok(done);
  assert.equal(answering.begin('recado.inbox.gateway-0.2', item(7), 0), null, 'a repeat');
  assert.ok(answering.begin('recado.inbox.gateway-0.2', item(8), 0), 'another query');
  assert.ok(answering.begin('recado.inbox.gateway-1.2', item(7), 0), 'of another asker');
  done();
  assert.ok(answering.begin('recado.inbox.gateway-0.3', item(7), 0));
});

test('a query that nobody waits for any more is not begun', () => {
  assert.equal(answers().begin('recado.inbox.gateway-0.1', item(7, 10), 10), null);
  assert.ok(answers().begin('recado.inbox.gateway-0.1', item(7, 10), 9));
});
