import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decideReceipt } from '../../../../actors/domain/network-message.ts';
import { NOW, outboundFixture } from '../../../support/actors/domain/message-fixture.ts';

const names = (decision: ReturnType<typeof decideReceipt>) =>
  decision?.events.map(({ event }) => event);

test('section 6: what the network accepts is sent, with the id that it has there', () => {
  const decision = decideReceipt(outboundFixture(), { status: 'sent', at: NOW, externalId: 'w1' });
  assert.equal(decision?.message.status, 'sent');
  assert.equal(decision?.message.externalId, 'w1');
  assert.deepEqual(decision?.message.receipts, { sent: NOW, delivered: null, read: null });
  assert.deepEqual(decision?.events, [{ event: 'message.sent', at: NOW }]);
});

test('design, Networks: read fills delivered, and tells of the sending too', () => {
  const decision = decideReceipt(outboundFixture(), { status: 'read', at: NOW });
  assert.deepEqual(decision?.message.receipts, { sent: NOW, delivered: NOW, read: NOW });
  assert.deepEqual(names(decision), ['message.sent', 'message.read']);
});

test('decisions, Behaviour: a refusal by the network fails the message with its reason', () => {
  const error = { code: '131047', message: 'Fora da janela de 24 horas.' };
  const decision = decideReceipt(outboundFixture(), { status: 'failed', at: NOW, error });
  assert.equal(decision?.message.status, 'failed');
  assert.deepEqual(decision?.message.error, error);
  assert.deepEqual(names(decision), ['message.failed']);
});

test('a message that arrives after all leaves its failure behind', () => {
  const failed = outboundFixture({
    status: 'failed',
    error: { code: 'unconfirmed', message: 'x' },
  });
  const decision = decideReceipt(failed, { status: 'delivered', at: NOW });
  assert.equal(decision?.message.status, 'delivered');
  assert.equal(decision?.message.error, undefined);
  assert.deepEqual(names(decision), ['message.sent', 'message.delivered']);
});

test('what was delivered does not fail any more', () => {
  const receipts = { sent: NOW, delivered: NOW, read: null };
  const delivered = outboundFixture({ status: 'delivered', receipts });
  assert.equal(decideReceipt(delivered, { status: 'failed', at: NOW + 1 }), null);
});

test('a receipt that says nothing new changes nothing', () => {
  const receipts = { sent: NOW, delivered: null, read: null };
  const sent = outboundFixture({ status: 'sent', externalId: 'w1', receipts });
  assert.equal(decideReceipt(sent, { status: 'sent', at: NOW + 9, externalId: 'w1' }), null);
});

test('only what we send has receipts', () => {
  const inbound = outboundFixture({ direction: 'in', status: 'received' });
  assert.equal(decideReceipt(inbound, { status: 'read', at: NOW }), null);
});

test('the networks tell whole seconds: delivered is never shown before sent', () => {
  const receipts = { sent: NOW, delivered: null, read: null };
  const sent = outboundFixture({ status: 'sent', receipts });
  const decision = decideReceipt(sent, { status: 'delivered', at: NOW - 700 });
  assert.equal(decision?.message.receipts.delivered, NOW);
});

test('a failure that names no error has one all the same', () => {
  const decision = decideReceipt(outboundFixture(), { status: 'failed', at: NOW });
  const error = { code: 'unknown', message: 'A rede recusou a mensagem.' };
  assert.deepEqual(decision?.message.error, error);
});
