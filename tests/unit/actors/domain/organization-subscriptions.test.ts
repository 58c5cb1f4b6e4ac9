/** Subscriptions that the service has disabled, under `apply` (D42). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type {
  OrganizationState,
  SubscriptionEntry,
} from '../../../../actors/domain/organization/state.ts';
import {
  applied,
  applyOf,
  decided,
  LOJA,
  NOW,
} from '../../../support/actors/domain/organization-fixture.ts';

const REF = 'crm';
const URL = 'https://crm.example.com/hook';

function only(state: OrganizationState): SubscriptionEntry {
  const [subscription] = state.subscriptions;
  assert.ok(subscription && state.subscriptions.length === 1);
  return subscription;
}

/** As a 410 of the subscriber leaves it. */
function disabledByService(): OrganizationState {
  const state = applied(LOJA);
  const disabled = { ...only(state), enabled: false, disabledReason: 'gone' };
  return { ...state, subscriptions: [disabled] };
}

const applySubscription = (entry: object, state: OrganizationState, now = NOW + 1_000) =>
  only(applied({ ref: LOJA.ref, subscriptions: [{ ref: REF, ...entry }] }, state, now));

describe('decisions, Deliveries: apply on a subscription that the service has disabled', () => {
  it('an unchanged file leaves it disabled', () => {
    const state = disabledByService();
    assert.equal(decided(state, applyOf(LOJA), NOW + 1_000).accepted, state);
  });

  it('another change than that of its URL leaves it disabled, with its reason', () => {
    for (const entry of [{ events: ['message.read'] }, { url: URL, secret: 'of their own' }]) {
      const { enabled, disabledReason } = applySubscription(entry, disabledByService());
      assert.deepEqual([enabled, disabledReason], [false, 'gone']);
    }
  });

  it('a new URL or an explicit `enabled` starts it anew, from that moment', () => {
    for (const entry of [{ url: 'https://new.example.com/hook' }, { enabled: true }]) {
      const subscription = applySubscription(entry, disabledByService(), NOW + 5_000);
      assert.deepEqual(
        [subscription.enabled, subscription.disabledReason, subscription.enabledAt],
        [true, null, NOW + 5_000],
      );
    }
  });

  it('a new URL with `enabled: false` leaves it disabled', () => {
    const entry = { url: 'https://new.example.com/hook', enabled: false };
    assert.equal(applySubscription(entry, disabledByService()).enabled, false);
  });

  it('what the file itself disabled stays disabled under a new URL', () => {
    const state = applied(
      { ref: LOJA.ref, subscriptions: [{ ref: REF, enabled: false }] },
      applied(LOJA),
    );
    const moved = applySubscription({ url: 'https://new.example.com/hook' }, state);
    assert.deepEqual([moved.enabled, moved.disabledReason], [false, null]);
  });
});
