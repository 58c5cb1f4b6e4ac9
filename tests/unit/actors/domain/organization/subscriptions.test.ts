import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  decideEnabling,
  decideRotation,
  rotatedSecrets,
} from '../../../../../actors/domain/organization/subscriptions.ts';
import type {
  OrganizationState,
  SubscriptionEntry,
} from '../../../../../actors/domain/organization.ts';
import { signingSecret } from '../../../../../shared/entity-ids.ts';
import {
  applied,
  applyOf,
  contextAt,
  decided,
  LOJA,
  NOW,
  named,
  refusedPaths,
} from '../../../../support/actors/domain/organization-fixture.ts';
import { pluck } from '../../../../support/pluck.ts';

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
    assert.deepEqual(pluck(secrets, 'until'), [null, NOW + 1.5 * DAY_MS, NOW + DAY_MS]);
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

const DAY_LATER = NOW + 86_400_000;
const NEW = { sealed: 'new', until: null };

function after(secrets: Parameters<typeof rotatedSecrets>[0], lost: readonly string[] = []) {
  const opens = (sealed: string) => !lost.includes(sealed);
  return rotatedSecrets(secrets, 'new', { now: NOW, opens });
}

it('the secret before stays for a day, an older one for what it had left, one run out goes', () => {
  const older = { sealed: 'b', until: NOW + 1 };
  assert.deepEqual(after([]), [NEW]);
  const secrets = [{ sealed: 'a', until: null }, older, { sealed: 'c', until: NOW }];
  assert.deepEqual(after(secrets), [NEW, { sealed: 'a', until: DAY_LATER }, older]);
});

it('a secret that the vault cannot open goes, whatever time it had left', () => {
  const secrets = [
    { sealed: 'a', until: null },
    { sealed: 'b', until: NOW + 2 },
    { sealed: 'c', until: NOW + 1 },
  ];
  assert.deepEqual(after(secrets, ['a']), [NEW, secrets[1], secrets[2]]);
  assert.deepEqual(after(secrets, ['b']), [NEW, { sealed: 'a', until: DAY_LATER }, secrets[2]]);
  assert.deepEqual(after(secrets, ['a', 'b', 'c']), [NEW]);
});

describe('a rotation and an apply', () => {
  it('a repeated apply does not undo a rotation that came between', () => {
    const secret = 'given by the caller';
    const subscriptions = [{ ref: 'crm', url: 'https://crm.example.com/hook', secret }];
    const command = applyOf({ ref: 'loja', name: 'L', subscriptions });
    const first = decided(null, command).accepted;
    assert.ok(first);
    const subscriptionId = first.subscriptions[0]?.id ?? '';
    const order = { id: 'c', type: 'subscriptions.rotate' as const, subscriptionId, seed: 'x' };
    const { next } = decideRotation(first, order, contextAt(NOW + 1));
    assert.ok(next);
    assert.equal(decided(next, command, NOW + 2).accepted, next);
  });

  it('an apply keeps a rotated signing secret valid for 24 hours', () => {
    const state = applied(LOJA);
    const crm = { ref: 'crm', secret: 'of the callers own' };
    const next = applied({ ref: 'loja', subscriptions: [crm] }, state, NOW + 1);
    const { secrets } = named(next.subscriptions, 'crm');
    assert.deepEqual(pluck(secrets, 'until'), [null, NOW + 1 + 86_400_000]);
    assert.equal(secrets[1]?.sealed, named(state.subscriptions, 'crm').secrets[0]?.sealed);
    assert.equal(applied({ ref: 'loja', subscriptions: [crm] }, next, NOW + 2), next);
  });
});

describe('a signing secret of the caller’s own', () => {
  const coded = (bytes: number) => `whsec_${Buffer.alloc(bytes, 7).toString('base64')}`;
  const url = 'https://crm.example.com/hook';
  const file = (secret: string) => ({
    ref: 'loja',
    name: 'L',
    subscriptions: [{ ref: 'crm', url, secret }],
  });
  const table = [
    ...[24, 32, 64].map((bytes) => [coded(bytes), true] as const),
    ...[0, 23, 65].map((bytes) => [coded(bytes), false] as const),
    ['raw text of any length', true],
    [coded(32).replace('=', ''), false],
    [coded(32).replace('=', '=='), false],
    [coded(32).replace('Bw', '-_'), false],
    ['whsec_not base64 at all, but long enough', false],
  ] as const;
  for (const [secret, isAccepted] of table) {
    it(`${secret.slice(0, 20)}… of ${secret.length} is ${isAccepted ? 'accepted' : 'refused'}`, () => {
      const paths = isAccepted ? [] : ['subscriptions.0.secret'];
      assert.deepEqual(refusedPaths(file(secret)), paths);
    });
  }

  it('goes on where it is stored: only a new one is refused', () => {
    const state = applied(file('stored'));
    const [crm] = state.subscriptions;
    assert.ok(crm);
    const sealed = contextAt(NOW).seal('whsec_bmV3', signingSecret(state.id, crm.id));
    const secrets = [{ sealed, until: null }];
    const stored = { ...state, subscriptions: [{ ...crm, secrets }] };
    assert.deepEqual(refusedPaths({ ...file('whsec_bmV3'), name: 'Loja' }, stored), []);
    assert.deepEqual(refusedPaths(file('whsec_bmV4'), stored), ['subscriptions.0.secret']);
  });
});

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
      const anew = applySubscription(entry, disabledByService(), NOW + 5_000);
      assert.deepEqual([anew.enabled, anew.disabledReason], [true, null]);
      assert.equal(anew.enabledAt, NOW + 5_000);
    }
  });

  it('a new URL with `enabled: false` leaves it disabled', () => {
    const entry = { url: 'https://new.example.com/hook', enabled: false };
    assert.equal(applySubscription(entry, disabledByService()).enabled, false);
  });

  it('what the file itself disabled stays disabled under a new URL', () => {
    const subscriptions = [{ ref: REF, enabled: false }];
    const state = applied({ ref: LOJA.ref, subscriptions }, applied(LOJA));
    const moved = applySubscription({ url: 'https://new.example.com/hook' }, state);
    assert.deepEqual([moved.enabled, moved.disabledReason], [false, null]);
  });
});
