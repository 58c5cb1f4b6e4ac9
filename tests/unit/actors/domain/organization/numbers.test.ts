import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  claimedNumbers,
  reservedNumbers,
  sharedWithin,
  sharedWithOthers,
} from '../../../../../actors/domain/organization/numbers.ts';
import type { OrganizationState } from '../../../../../actors/domain/organization.ts';
import {
  applied,
  applyOf,
  decided,
  named,
  problemsOf,
} from '../../../../support/actors/domain/organization-fixture.ts';
import { SHOP } from '../../../../support/example-file.ts';
import { inEnglish } from '../../../../support/provisioning/in-english.ts';

const shopOf = (ref: string, session: string) => ({
  ...{ ...SHOP, ref },
  network: { ...SHOP.network, session },
});

/** An organization with a channel of each of the sessions. */
function organization(ref: string, sessions: Readonly<Record<string, string>>): OrganizationState {
  const channels = Object.entries(sessions).map(([name, session]) => shopOf(name, session));
  return applied({ ref, name: ref, channels });
}

const keyOf = (session: string) => `web sandbox ${session}`;

describe('the numbers that channels claim', () => {
  it('are those of new channels, at their setting in the file', () => {
    const file = { ref: 'loja', name: 'L', channels: [shopOf('a', 'one'), shopOf('b', 'two')] };
    const { accepted, numbers } = decided(null, applyOf(file));
    const number = (ref: string, at: number, session: string) => ({
      ...{ setting: 'session', number: session, baseUrl: 'sandbox', key: keyOf(session) },
      ...{ channelId: named(accepted?.channels ?? [], ref).id },
      path: `channels.${at}.network.session`,
    });
    assert.deepEqual(numbers, [number('a', 0, 'one'), number('b', 1, 'two')]);
    assert.deepEqual(accepted?.numbers, [keyOf('one'), keyOf('two')]);
  });

  it('are those of changed and restored ones, and not of those that stay or go', () => {
    const before = organization('loja', { a: 'one', b: 'two', c: 'three' });
    const claimed = (state: OrganizationState, ...channels: readonly object[]) =>
      decided(state, applyOf({ ref: 'loja', channels })).numbers.map(({ key }) => key);
    assert.deepEqual(claimed(before, shopOf('a', 'one'), { ref: 'b', label: 'Outra' }), []);
    assert.deepEqual(claimed(before, shopOf('a', 'four')), [keyOf('four')]);
    const gone = applied({ ref: 'loja', channels: [{ ref: 'b', remove: true }] }, before);
    assert.deepEqual(claimed(before, { ref: 'b', remove: true }), []);
    assert.deepEqual(claimed(gone, shopOf('b', 'two')), [keyOf('two')]);
    const moved = shopOf('a', 'two');
    assert.deepEqual(claimed(gone, moved), [keyOf('two')], 'that of a removed channel is free');
  });

  it('are told at the list where the file has no entry of the channel', () => {
    const { channels } = organization('loja', { a: 'one' });
    const [claimed] = claimedNumbers([], channels, []);
    assert.equal(claimed?.path, 'channels.network.session');
  });

  it('are reserved once, and without those of removed channels', () => {
    const { channels } = organization('loja', { a: 'one', b: 'two' });
    assert.deepEqual(reservedNumbers([...channels, ...channels]), [keyOf('one'), keyOf('two')]);
    const [a, b] = channels;
    assert.ok(a && b);
    assert.deepEqual(reservedNumbers([{ ...a, removed: true }, b]), [keyOf('two')]);
  });
});

describe('a number of two channels of one organization', () => {
  /** Places and holders that the refusal of the channels names. */
  const shared = (before: OrganizationState | null, ...channels: readonly object[]) =>
    problemsOf({ ref: 'loja', name: 'L', channels }, before);
  const at = (place: number, holder: string) =>
    `channels.${place}.network.session is already that of channel "${holder}"`;

  it('is of the first, and a problem of each one after it', () => {
    const [a, b, c] = ['a', 'b', 'c'].map((ref) => shopOf(ref, 'one'));
    assert.ok(a && b && c);
    assert.deepEqual(shared(null, a, b, c), [at(1, 'a'), at(2, 'a')]);
    assert.deepEqual(shared(null, a, shopOf('b', 'two'), c), [at(2, 'a')]);
  });

  it('is of the one that has had it, wherever the other stands', () => {
    const before = organization('loja', { a: 'one', b: 'two' });
    assert.deepEqual(shared(before, shopOf('a', 'two')), [at(0, 'b')]);
    assert.deepEqual(shared(before, shopOf('c', 'one')), [at(0, 'a')]);
    assert.deepEqual(shared(before, shopOf('c', 'two')), [at(0, 'b')]);
  });

  it('changes hands in one file', () => {
    const before = organization('loja', { a: 'one', b: 'two' });
    const channels = [shopOf('a', 'two'), shopOf('b', 'one')];
    assert.deepEqual(applied({ ref: 'loja', channels }, before).numbers, [
      keyOf('two'),
      keyOf('one'),
    ]);
    assert.deepEqual(sharedWithin(before.channels, []), []);
  });
});

describe('a number of another organization', () => {
  const at = (place: number, holder: string) => ({
    path: `channels.${place}.network.session`,
    message: `is already that of ${holder}`,
  });

  function claimed() {
    const channels = [shopOf('a', 'one'), shopOf('b', 'two'), shopOf('c', 'three')];
    return decided(null, applyOf({ ref: 'loja', name: 'L', channels })).numbers;
  }

  it('is a problem of the channel, which names the holder', () => {
    const first = organization('first', { main: 'three', shop: 'one' });
    const second = organization('second', { main: 'four', web: 'two' });
    assert.deepEqual(inEnglish(sharedWithOthers('org_loja', claimed(), [first, second])), [
      at(0, 'channel "shop" of organization "first"'),
      at(1, 'channel "web" of organization "second"'),
      at(2, 'channel "main" of organization "first"'),
    ]);
    assert.deepEqual(inEnglish(sharedWithOthers('org_loja', claimed(), [second])), [
      at(1, 'channel "web" of organization "second"'),
    ]);
  });

  it('is none where it is its own, of a removed channel, or of nobody', () => {
    const own = organization('loja', { a: 'one', b: 'two' });
    const other = organization('other', { main: 'four', shop: 'three' });
    const gone = applied({ ref: 'other', channels: [{ ref: 'shop', remove: true }] }, other);
    assert.deepEqual(inEnglish(sharedWithOthers(own.id, claimed(), [own, gone])), []);
    assert.deepEqual(inEnglish(sharedWithOthers(own.id, claimed(), [own, other])), [
      at(2, 'channel "shop" of organization "other"'),
    ]);
    assert.deepEqual(inEnglish(sharedWithOthers(own.id, claimed(), [])), []);
    assert.deepEqual(inEnglish(sharedWithOthers(own.id, [], [other])), []);
  });
});

describe('a network number is one channel’s', () => {
  const problems = (lists: object, state: OrganizationState | null = null) =>
    problemsOf({ ref: 'loja', name: 'Loja', ...lists }, state);
  const cloud = (ref: string, network: object = {}) => ({
    ...{ ref, label: ref, provider: 'cloud', phone: '+55 11 4000-1000' },
    network: { phoneNumberId: '1', accessToken: 't', appSecret: 's', verifyToken: 'v', ...network },
  });
  const web = (ref: string, baseUrl: string) => ({
    ...{ ref, label: ref, provider: 'web', phone: '+55 11 4000-1000' },
    network: { baseUrl, session: 'default', apiKey: 'k', webhookSecret: 'w' },
  });

  it('within an organization, whatever the spelling of the address', () => {
    const same = { baseUrl: 'https://GRAPH.facebook.com:443/', apiVersion: 'v1.0' };
    assert.deepEqual(problems({ channels: [cloud('a'), cloud('b', same)] }), [
      'channels.1.network.phoneNumberId is already that of channel "a"',
    ]);
    assert.deepEqual(problems({ channels: [cloud('a'), cloud('b', { baseUrl: 'sandbox' })] }), []);
    assert.deepEqual(problems({ channels: [cloud('a'), cloud('b', { phoneNumberId: '2' })] }), []);
    const bridge = 'http://bridge.example:3000';
    assert.deepEqual(problems({ channels: [web('a', bridge), web('b', `${bridge}/`)] }), [
      'channels.1.network.session is already that of channel "a"',
    ]);
    assert.deepEqual(problems({ channels: [web('a', bridge), web('b', `${bridge}/two`)] }), []);
  });

  it('only a channel that takes a number is judged; one that goes leaves it to another', () => {
    const state = applied({ ref: 'loja', name: 'Loja', channels: [cloud('a')] });
    assert.deepEqual(state.numbers, ['cloud https://graph.facebook.com 1']);
    const moved = { channels: [{ ref: 'a', remove: true }, cloud('b')] };
    assert.deepEqual(problems(moved, state), []);
    assert.deepEqual(applied({ ref: 'loja', ...moved }, state).numbers, state.numbers);
    for (const gone of [{ channels: [{ ref: 'a', remove: true }] }, { remove: true }]) {
      assert.equal(applied({ ref: 'loja', ...gone }, state).numbers, undefined);
    }
    // Of an earlier release: nothing is refused that was there before.
    const [first] = state.channels;
    assert.ok(first);
    const channels = [first, { ...first, id: 'chn_b', ref: 'b' }];
    const { numbers: _, ...older } = { ...state, channels };
    assert.deepEqual(problems({ channels: [{ ref: 'b', label: 'B' }] }, older), []);
    assert.equal(problems({ channels: [cloud('c')] }, older).length, 1);
  });
});
