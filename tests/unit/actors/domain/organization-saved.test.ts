/** Keys and subscriptions that commands make: their bounds, and their audit entries. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decideOrganization } from '../../../../actors/domain/organization/decide.ts';
import type { KeyEntry, OrganizationState } from '../../../../actors/domain/organization/state.ts';
import {
  KEYS_MAX_PER_ORGANIZATION,
  SUBSCRIPTIONS_MAX_PER_ORGANIZATION,
} from '../../../../shared/limits.ts';
import type { OrganizationCommand } from '../../../../shared/provisioning/commands.ts';
import type { ActingPerson } from '../../../../shared/wire/audit.ts';
import { applied, contextAt, NOW } from '../../../support/actors/domain/organization-fixture.ts';

const SEED = 's'.repeat(40);
const SHOP = applied({
  ref: 'loja',
  name: 'Loja',
  keys: [{ ref: 'k', name: 'K', scope: 'account' }],
});
const ANA: ActingPerson = {
  ...{ memberId: 'mbr_1', name: 'Ana', sessionId: 'ses_1' },
  role: 'admin',
  ...{ address: '::1', operation: 'createSubscription' },
};

function decide(state: OrganizationState, command: OrganizationCommand) {
  return decideOrganization(state, command, { ...contextAt(NOW, { 'http://in/': 'no' }), by: ANA });
}

function keyNamed(id: string): OrganizationCommand {
  return { id, type: 'keys.create', seed: SEED, name: 'Site', scope: 'account' };
}

test('a key more than the bound replaces the oldest revoked one that no file names', () => {
  const [ofFile] = SHOP.keys;
  assert.ok(ofFile);
  const revoked = (n: number): KeyEntry => {
    const id = `key_${n}`;
    return { ...ofFile, id, ref: id, digest: `digest ${n}`, revokedAt: NOW };
  };
  const keys = Array.from({ length: KEYS_MAX_PER_ORGANIZATION - 1 }, (_, n) => revoked(n));
  const full = { ...SHOP, keys: [ofFile, ...keys] };
  const { status, next, claims, releases } = decide(full, keyNamed('key_new'));
  assert.deepEqual([status, next?.keys.length], [201, KEYS_MAX_PER_ORGANIZATION]);
  assert.deepEqual([next?.keys[0]?.id, next?.keys[1]?.id], [ofFile.id, 'key_1']);
  assert.deepEqual([claims.length, releases.length], [1, 0]);
  const live = { ...full, keys: full.keys.map((key) => ({ ...key, revokedAt: null })) };
  const refused = decide(live, keyNamed('key_new'));
  assert.deepEqual([refused.status, refused.refused[0]?.path], [422, 'keys']);
});

test('a subscription is made once by a repeated command, and its secret is the same', () => {
  const command = {
    ...{ id: 'sub_cmd', seed: SEED, url: 'https://example.com/' },
    type: 'subscriptions.create',
  } as const;
  const first = decide(SHOP, command);
  assert.ok(first.next);
  assert.equal(first.status, 201);
  const again = decide(first.next, command);
  assert.equal(again.next, null);
  assert.deepEqual(again.body, first.body);
  const [entry] = first.next.audit ?? [];
  assert.deepEqual([entry?.subject.kind, entry?.by.name], ['subscription', 'Ana']);
  assert.ok(!JSON.stringify(entry).includes('example.com'));
  const refused = decide(SHOP, { ...command, url: 'http://in/' });
  assert.deepEqual([refused.status, refused.refused[0]?.path], [422, 'url']);
  const [subscription] = first.next.subscriptions;
  assert.ok(subscription);
  const subscriptions = Array.from({ length: SUBSCRIPTIONS_MAX_PER_ORGANIZATION }, (_, n) => {
    return { ...subscription, id: `sub_${n}`, ref: `sub_${n}` };
  });
  const full = decide({ ...SHOP, subscriptions }, command);
  assert.deepEqual([full.status, full.refused[0]?.path], [422, 'subscriptions']);
});
