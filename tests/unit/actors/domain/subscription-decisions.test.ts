import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  decideEnabling,
  decideRotation,
} from '../../../../actors/domain/organization/subscriptions.ts';
import {
  applied,
  contextAt,
  LOJA,
  NOW,
} from '../../../support/actors/domain/organization-fixture.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const SEEDS = ['first', 'second'].map((name) => `${name} seed of more than 32 characters`);

describe('orders about a subscription (decisions: Deliveries)', () => {
  const state = applied(LOJA);
  const [subscription] = state.subscriptions;
  assert.ok(subscription);
  const rotate = (of: typeof state, seed: string | undefined, now: number) =>
    decideRotation(
      of,
      { id: 'c', type: 'subscriptions.rotate', subscriptionId: subscription.id, seed: seed ?? '' },
      contextAt(now),
    );

  it('rotates: the secret before is valid for a day, the one before that for what it had left', () => {
    const once = rotate(state, SEEDS[0], NOW).next;
    assert.ok(once);
    const twice = rotate(once, SEEDS[1], NOW + DAY_MS / 2);
    const secrets = twice.next?.subscriptions[0]?.secrets ?? [];
    assert.deepEqual(
      secrets.map(({ until }) => until),
      [null, NOW + 1.5 * DAY_MS, NOW + DAY_MS],
    );
    assert.equal(secrets[2]?.sealed, subscription.secrets[0]?.sealed);
    const body = Object(twice.body);
    assert.match(body.secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
    assert.equal(body.previousValidUntil, new Date(NOW + 1.5 * DAY_MS).toISOString());
    assert.ok(twice.next);
    const late = rotate(twice.next, SEEDS[0], NOW + 3 * DAY_MS).next?.subscriptions[0]?.secrets;
    assert.equal(late?.length, 2, 'what has run out is forgotten');
  });

  it('a repeated ask rotates once and tells the same secret', () => {
    const once = rotate(state, SEEDS[0], NOW);
    assert.ok(once.next);
    const again = rotate(once.next, SEEDS[0], NOW + 5);
    assert.deepEqual([again.next, again.body], [null, once.body]);
  });

  it('enables what is disabled, changes nothing else, and knows no other subscription', () => {
    const order = { id: 'c', type: 'subscriptions.enable' as const };
    const enable = (of: typeof state, subscriptionId: string) =>
      decideEnabling(of, { ...order, subscriptionId }, NOW);
    assert.equal(enable(state, subscription.id).next, null);
    const disabled = { ...subscription, enabled: false, disabledReason: 'gone' };
    const { next } = enable({ ...state, subscriptions: [disabled] }, subscription.id);
    assert.deepEqual(next?.subscriptions, [{ ...subscription, enabledAt: NOW }]);
    assert.equal(next?.version, state.version + 1);
    const removed = { ...state, subscriptions: [{ ...disabled, removed: true }] };
    assert.equal(enable(removed, subscription.id).status, 404);
    assert.equal(enable(state, 'sub_none').status, 404);
  });

  it('answers what it has done, and leaves every other subscription as it is', () => {
    const other = { ref: 'erp', url: 'https://erp.example.com/hook' };
    const two = applied({ ref: 'loja', subscriptions: [other] }, state);
    const [first, second] = two.subscriptions;
    assert.ok(first && second);
    const { status, next } = rotate(two, SEEDS[0], NOW);
    assert.equal(status, 200);
    assert.equal(next?.subscriptions[1], second);
    const order = { id: 'c', type: 'subscriptions.enable' as const, subscriptionId: first.id };
    const disabled = { ...two, subscriptions: [{ ...first, enabled: false }, second] };
    const enabled = decideEnabling(disabled, order, NOW);
    const body = { id: first.id, enabled: true };
    assert.deepEqual([enabled.status, enabled.body], [200, body]);
    assert.equal(enabled.next?.subscriptions[1], second);
    assert.deepEqual(decideEnabling(two, order, NOW), { status: 200, body, next: null });
    const error = 'There is no subscription "sub_none".';
    const none = decideEnabling(two, { ...order, subscriptionId: 'sub_none' }, NOW);
    assert.deepEqual(none, { status: 404, body: { error }, next: null });
  });
});
