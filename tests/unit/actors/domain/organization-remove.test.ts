import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { KeyEntry } from '../../../../actors/domain/organization/state.ts';
import {
  applied,
  applyOf,
  decided,
  LOJA,
  NOW,
  named,
  refusedPaths,
} from '../../../support/actors/domain/organization-fixture.ts';

describe('operator’s command line: remove', () => {
  it('revokes a key, disables and hides a flow, and needs the ref only', () => {
    const state = applied(LOJA);
    const command = applyOf({
      ref: 'loja',
      keys: [{ ref: 'erp', remove: true }],
      flows: [{ ref: 'welcome', remove: true }],
      members: [{ ref: 'never-was', remove: true }],
      tags: [{ ref: 'VIP', remove: true }],
    });
    const { accepted, output, releases, tags } = decided(state, command, NOW + 9);
    assert.ok(accepted);
    assert.equal(named(accepted.keys, 'erp').revokedAt, NOW + 9);
    const flow = named(accepted.flows, 'welcome');
    assert.deepEqual([flow.enabled, flow.removed], [false, true]);
    assert.deepEqual(Object.keys(output.keys), ['shop-key']);
    assert.deepEqual(output.flows, {});
    assert.deepEqual(tags, { add: [], remove: ['VIP'] });
    assert.deepEqual(
      releases.map(({ digest }) => digest),
      [named(state.keys, 'erp').digest],
    );
    assert.equal(decided(accepted, { ...command, id: 'cmd_again' }).accepted, accepted);
  });

  it('revokes the keys of a channel that goes away', () => {
    const written = applied(LOJA);
    // A key that was made by hand has no ref of its own.
    const byHand = (key: KeyEntry) => (key.ref === 'shop-key' ? { ...key, ref: key.id } : key);
    const state = { ...written, keys: written.keys.map(byHand) };
    const next = applied(
      { ref: 'loja', channels: [{ ref: 'shop', remove: true }] },
      state,
      NOW + 1,
    );
    const { id } = named(written.keys, 'shop-key');
    assert.equal(named(next.keys, id).revokedAt, NOW + 1);
    assert.equal(named(next.keys, 'erp').revokedAt, null);
    assert.deepEqual(refusedPaths({ ref: 'loja', keys: LOJA.keys }, next), ['keys.1.channel']);
  });

  it('gives an entry that comes back its old id, and a key a new token', () => {
    const state = applied(LOJA);
    const gone = applied({ ref: 'loja', keys: [{ ref: 'shop-key', remove: true }] }, state);
    const { accepted, output } = decided(gone, applyOf(LOJA), NOW + 5);
    assert.ok(accepted);
    const key = named(accepted.keys, 'shop-key');
    assert.equal(key.id, named(state.keys, 'shop-key').id);
    assert.notEqual(key.digest, named(state.keys, 'shop-key').digest);
    assert.equal(key.revokedAt, null);
    assert.ok(output.keys['shop-key']?.token);
  });

  it('takes a whole organization away, and does so once', () => {
    const state = applied(LOJA);
    const gone = applied({ ref: 'loja', remove: true }, state);
    assert.ok(gone.keys.every(({ revokedAt }) => revokedAt === NOW));
    assert.ok(gone.channels.every(({ enabled, removed }) => !enabled && removed));
    assert.equal(decided(gone, applyOf({ ref: 'loja', remove: true })).accepted, gone);
    assert.equal(decided(null, applyOf({ ref: 'x', remove: true })).accepted, null);
    const back = applied(LOJA, gone);
    assert.equal(back.removed, undefined);
    assert.equal(named(back.keys, 'erp').revokedAt, null);
  });
});

describe('operator’s command line: tokens and secrets', () => {
  const token = 'another-token-0123456789-xyz';

  it('replaces a key’s token by another one that is given', () => {
    const state = applied(LOJA);
    const command = applyOf({ ref: 'loja', keys: [{ ref: 'erp', token }] });
    const { accepted, claims, releases } = decided(state, command);
    assert.ok(accepted);
    assert.notEqual(named(accepted.keys, 'erp').digest, named(state.keys, 'erp').digest);
    assert.deepEqual([claims.length, releases.length], [1, 1]);
    assert.equal(claims[0]?.path, 'keys.0.token');
  });

  it('refuses a token that another key of the organization holds', () => {
    const state = applied(LOJA);
    const key = { ref: 'copy', name: 'C', scope: 'account', token: LOJA.keys[0]?.token };
    assert.deepEqual(refusedPaths({ ref: 'loja', keys: [key] }, state), ['keys.0.token']);
  });

  it('lets a token move to another key when its own goes away', () => {
    const state = applied(LOJA);
    const copy = { ref: 'copy', name: 'C', scope: 'account', token: LOJA.keys[0]?.token };
    const wanted = { ref: 'loja', keys: [copy, { ref: 'erp', remove: true }] };
    const { claims, releases } = decided(state, applyOf(wanted));
    assert.equal(claims[0]?.digest, releases[0]?.digest);
    assert.notEqual(claims[0]?.keyId, releases[0]?.keyId);
  });

  it('leaves a key revoked by its id revoked, however often the file names it', () => {
    const state = applied(LOJA);
    const keys = state.keys.map((key) => ({ ...key, revokedAt: NOW }));
    const revoked = { ...state, keys, version: 2 };
    assert.equal(decided(revoked, applyOf(LOJA)).accepted, revoked);
    const next = applied({ ref: 'loja', keys: [{ ref: 'erp', token }] }, revoked);
    assert.equal(named(next.keys, 'erp').revokedAt, null);
  });

  it('keeps a rotated signing secret valid for 24 hours (decisions: Deliveries)', () => {
    const state = applied(LOJA);
    const crm = { ref: 'crm', secret: 'whsec_bmV3' };
    const next = applied({ ref: 'loja', subscriptions: [crm] }, state, NOW + 1);
    const secrets = named(next.subscriptions, 'crm').secrets;
    assert.deepEqual(
      secrets.map(({ until }) => until),
      [null, NOW + 1 + 86_400_000],
    );
    assert.equal(secrets[1]?.sealed, named(state.subscriptions, 'crm').secrets[0]?.sealed);
    assert.equal(applied({ ref: 'loja', subscriptions: [crm] }, next, NOW + 2), next);
  });
});
