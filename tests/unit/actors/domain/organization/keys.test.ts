import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  isExpired,
  isLive,
  prefixOf,
  tokenOf,
  withFreeSlot,
} from '../../../../../actors/domain/organization/keys.ts';
import { signingSecretOf } from '../../../../../actors/domain/organization/subscriptions.ts';
import {
  type KeyEntry,
  type OrganizationState,
  termsOf,
} from '../../../../../actors/domain/organization.ts';
import { KEYS_MAX_PER_ORGANIZATION } from '../../../../../shared/limits.ts';
import {
  applied,
  applyOf,
  contextAt,
  decided,
  LOJA,
  NOW,
  named,
  problemsOf,
} from '../../../../support/actors/domain/organization-fixture.ts';

const LATER = NOW + 5_000;
const state = applied(LOJA);

const problems = (lists: object) => problemsOf({ ref: 'loja', ...lists }, state);
const change = (lists: object, of: OrganizationState = state) =>
  applied({ ref: 'loja', ...lists }, of, LATER);

describe('keys', () => {
  const erp = named(state.keys, 'erp');
  const other = 'another-token-0123456789-abc';

  it('show twelve characters, of which four are the organization’s', () => {
    assert.equal(erp.prefix, 'given-by-the');
    const made = named(state.keys, 'shop-key').prefix;
    assert.equal(made.slice(0, 9), `rcd_${state.id.split('_').at(-1)?.slice(0, 4)}_`);
    assert.equal(prefixOf('👍'.repeat(20)), '👍'.repeat(12));
  });

  it('another token replaces the old one and revives the key; the same one does neither', () => {
    const revoked = { ...state, keys: [{ ...erp, revokedAt: NOW + 1 }, ...state.keys.slice(1)] };
    const key = (token: string) =>
      named(change({ keys: [{ ref: 'erp', token }] }, revoked).keys, 'erp');
    assert.equal(key('given-by-the-caller-0123456789').revokedAt, NOW + 1);
    assert.equal(applied(LOJA, revoked), revoked, 'however often the file names it');
    const revived = key(other);
    assert.equal(revived.revokedAt, null);
    assert.notEqual(revived.digest, erp.digest);
    assert.deepEqual([revived.id, revived.createdAt], [erp.id, erp.createdAt]);
    const keys = [erp, { ...erp, revokedAt: 1 }, { ...erp, removed: true }];
    assert.deepEqual(keys.map(isLive), [true, false, false]);
  });

  it('the digests that come into use and those that go out of it are told, once', () => {
    const file = { ref: 'loja', keys: [{ ref: 'erp', token: other }] };
    const { accepted, claims, releases } = decided(state, applyOf(file));
    const { digest } = named(accepted?.keys ?? [], 'erp');
    assert.deepEqual(claims, [{ digest, keyId: erp.id, path: 'keys.0.token' }]);
    const released = releases.map((each) => [each.digest, each.keyId]);
    assert.deepEqual(released, [[erp.digest, erp.id]]);
  });

  it('a token is one good key’s: the later in the file is the problem', () => {
    const token = 'given-by-the-caller-0123456789';
    const again = { keys: [{ ref: 'new', name: 'N', scope: 'account', token }] };
    assert.deepEqual(problems(again), ['keys.0.token is already the token of a key']);
    const removed = { keys: [{ ref: 'erp', remove: true }, ...again.keys] };
    const { accepted, claims, releases } = decided(state, applyOf({ ref: 'loja', ...removed }));
    const { digest, id } = named(accepted?.keys ?? [], 'new');
    assert.deepEqual([digest, claims[0]?.digest, releases[0]?.digest], Array(3).fill(erp.digest));
    assert.deepEqual([claims[0]?.keyId, releases[0]?.keyId], [id, erp.id]);
  });

  it('are of the account or of a channel, which they keep unless another is named', () => {
    const shop = named(state.keys, 'shop-key');
    const key = (entry: object) =>
      named(change({ keys: [{ ref: 'shop-key', ...entry }] }).keys, 'shop-key');
    assert.deepEqual(key({ name: 'Outro' }), { ...shop, name: 'Outro' });
    assert.equal(key({ channel: 'main' }).channelId, named(state.channels, 'main').id);
    assert.equal(key({ scope: 'account' }).channelId, null);
    assert.equal(key({ remove: true }).revokedAt, LATER);
    const refused = (entry: object) => problems({ keys: [{ ref: 'shop-key', ...entry }] });
    assert.deepEqual(refused({ channel: null }), [
      'keys.0.channel is required for a key of the scope channel',
    ]);
    assert.deepEqual(refused({ scope: 'account', channel: 'main' }), [
      'keys.0.channel is not for a key of the scope account',
    ]);
  });
});

describe('the terms of a key', () => {
  const until = '2026-06-01T12:00:00+02:00';
  const erp = named(state.keys, 'erp');
  const key = (entry: object, of = state) =>
    named(change({ keys: [{ ref: 'erp', ...entry }] }, of).keys, 'erp');

  it('are everything, for ever and a program’s, unless the file says otherwise', () => {
    assert.deepEqual(termsOf(erp), { access: 'full', expiresAt: null, assistant: false });
    const usual = { access: 'full', expiresAt: null, assistant: false };
    assert.equal(change({ keys: [{ ref: 'erp', ...usual }] }), state, 'said or not is the same');
    const given = key({ access: 'send', expiresAt: until, assistant: true });
    const expiresAt = Date.parse(until);
    assert.deepEqual(termsOf(given), { access: 'send', expiresAt, assistant: true });
    assert.equal(given.digest, erp.digest);
  });

  it('stay where the file leaves them out, and go one by one', () => {
    const given = change({
      keys: [{ ref: 'erp', access: 'read', expiresAt: until, assistant: true }],
    });
    assert.equal(change({ keys: [{ ref: 'erp', name: 'ERP' }] }, given), given);
    const { access, expiresAt, assistant } = termsOf(named(given.keys, 'erp'));
    assert.deepEqual(termsOf(key({ access: 'full' }, given)), {
      ...{ access: 'full', expiresAt, assistant },
    });
    assert.deepEqual(termsOf(key({ expiresAt: null }, given)), {
      ...{ access, expiresAt: null, assistant },
    });
    assert.deepEqual(termsOf(key({ assistant: false }, given)), {
      ...{ access, expiresAt, assistant: false },
    });
  });

  it('are refused where they are none', () => {
    const wrong = (entry: object) => problems({ keys: [{ ref: 'erp', ...entry }] });
    assert.deepEqual(wrong({ access: 'write' }), ['keys.0.access must be one of read, send, full']);
    const late = '9999-12-31T23:59:59-12:00';
    for (const expiresAt of ['2026-06-01', '2026-02-30T00:00:00Z', late, 'tomorrow', '']) {
      assert.deepEqual(wrong({ expiresAt }), [
        'keys.0.expiresAt must be a time such as 2030-01-31T23:59:59Z',
      ]);
    }
    assert.deepEqual(wrong({ assistant: 'yes' }), ['keys.0.assistant must be true or false']);
  });

  it('end at their time, and a time that has passed is the file’s own matter', () => {
    const past = key({ expiresAt: '2020-01-01T00:00:00Z' });
    assert.equal(isLive(past), true, 'its token stays its own');
    const expiresAt = LATER;
    assert.deepEqual(
      [LATER - 1, LATER, LATER + 1].map((now) => isExpired({ expiresAt }, now)),
      [false, true, true],
    );
    assert.equal(isExpired({}, LATER), false);
  });

  it('take the streams of the key away where it is good again (D485)', () => {
    const stream = (id: string, keyId: string) => ({
      ...{ id, keyId, name: id, events: ['*'], connection: 1, opened: [] },
      ...{ createdAt: NOW, seenAt: NOW },
    });
    const streams = [stream('one', erp.id), stream('two', 'key_other')];
    const ended = {
      ...change({ keys: [{ ref: 'erp', expiresAt: '2020-01-01T00:00:00Z' }] }),
      streams,
    };
    const renamed = change({ keys: [{ ref: 'erp', name: 'Outro' }] }, ended);
    assert.deepEqual(renamed.streams, streams);
    const renewed = change({ keys: [{ ref: 'erp', expiresAt: null }] }, ended);
    assert.deepEqual(renewed.streams, streams.slice(1));
  });

  it('leave room for another key where they have ended', () => {
    const made = (id: string, more: object = {}): KeyEntry => ({
      ...{ ...erp, id, ref: id, digest: id, ...more },
    });
    const full = Array.from({ length: KEYS_MAX_PER_ORGANIZATION }, (_, n) => made(`key_${n}`));
    assert.equal(withFreeSlot(full, LATER), null);
    const expired = full.map((each, n) => (n === 7 ? { ...each, expiresAt: LATER } : each));
    assert.equal(withFreeSlot(expired, LATER - 1), null);
    assert.deepEqual(withFreeSlot(expired, LATER), expired.toSpliced(7, 1));
    const ofFile = full.map((each, n) => (n ? each : made('key_0', { ref: 'f', expiresAt: 1 })));
    assert.equal(withFreeSlot(ofFile, LATER), null, 'a file may give it a later end');
  });
});

describe('what is made of a seed', () => {
  const { digest } = contextAt(NOW).ids;

  it('tokens and signing secrets have their form and length, whatever the seed', () => {
    for (let n = 0; n < 200; n++) {
      const seeded = { seed: `seed ${n}`, digest };
      assert.match(tokenOf(seeded, state.id, 'key_1'), /^rcd_[A-Za-z0-9]{4}_[A-Za-z0-9]{43}$/);
      assert.match(signingSecretOf(seeded, 'sub_1'), /^whsec_[A-Za-z0-9+/]{43}=$/);
    }
  });
});
