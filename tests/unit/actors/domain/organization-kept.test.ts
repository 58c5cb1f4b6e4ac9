/** Parts of members and channels that no file sets, and the last admin, under `apply`. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decideApply } from '../../../../actors/domain/organization/apply.ts';
import type {
  ChannelEntry,
  MemberEntry,
  OrganizationState,
} from '../../../../actors/domain/organization/state.ts';
import {
  applied,
  applyOf,
  contextAt,
  LOJA,
  NOW,
  named,
} from '../../../support/actors/domain/organization-fixture.ts';

const LATER = NOW + 5_000;
const change = (of: OrganizationState, lists: object) =>
  applied({ ref: 'loja', ...lists }, of, LATER);

describe('a file leaves what it cannot say', () => {
  function withMain(more: Partial<ChannelEntry>): OrganizationState {
    const state = applied(LOJA);
    const channels = state.channels.map((each) =>
      each.ref === 'main' ? { ...each, ...more } : each,
    );
    return { ...state, channels };
  }
  const changed = (of: OrganizationState, entry: object) =>
    named(change(of, { channels: [{ ref: 'main', ...entry }] }).channels, 'main');

  it('about a network: that it has answered, and since when it fails', () => {
    const networkTrouble = { since: NOW, reason: 'A rede do número recusou a conexão.' };
    const rows: readonly Partial<ChannelEntry>[] = [
      {},
      { networkAnswered: true },
      { networkTrouble },
      { networkAnswered: true, networkTrouble },
    ];
    for (const stands of rows) {
      const before = withMain(stands);
      const main = named(before.channels, 'main');
      assert.deepEqual(changed(before, { label: 'Outro' }), { ...main, label: 'Outro' });
      const {
        networkAnswered,
        networkTrouble: trouble,
        networkRevision,
      } = changed(before, {
        network: { accessToken: 'new' },
      });
      const anew = [undefined, undefined, main.networkRevision + 1];
      assert.deepEqual([networkAnswered, trouble, networkRevision], anew, 'other settings');
    }
  });

  it('about a member: since when it is disabled', () => {
    const state = applied(LOJA);
    const ana = { ...named(state.members, 'ana'), disabledAt: NOW };
    const before: OrganizationState = { ...state, members: [ana] };
    const { members } = change(before, { members: [{ ref: 'ana', name: 'Ana' }] });
    assert.deepEqual(members, [{ ...ana, name: 'Ana' }]);
    assert.equal(change(before, { members: LOJA.members }), before);
    const active = change(state, { members: [{ ref: 'ana', name: 'Ana' }] }).members;
    assert.deepEqual(active, [{ ...named(state.members, 'ana'), name: 'Ana' }]);
  });
});

describe('a file and the last admin (D215)', () => {
  function team(roles: Readonly<Record<string, string>>): OrganizationState {
    const members = Object.entries(roles).map(([ref, role]) => ({ ref, name: ref, role }));
    return applied({ ref: 'loja', name: 'Loja', members });
  }

  /** The problems of the file's members. */
  function problems(before: OrganizationState, ...members: readonly object[]): readonly string[] {
    const decision = decideApply(before, applyOf({ ref: 'loja', members }), contextAt(LATER));
    if (!('refused' in decision)) return [];
    return decision.refused.map(({ path, message }) => `${path} ${message}`);
  }

  const last = (place: number) => `members.${place} is the last admin, and one has to remain`;
  const removed = (ref: string) => ({ ref, remove: true });
  const demoted = (ref: string) => ({ ref, role: 'viewer' });

  it('is refused where it removes or demotes it, at its place', () => {
    const one = team({ ana: 'admin', bia: 'attendant' });
    assert.deepEqual(problems(one, removed('ana')), [last(0)]);
    assert.deepEqual(problems(one, demoted('ana')), [last(0)]);
    assert.deepEqual(problems(one, removed('bia'), demoted('ana')), [last(1)]);
    const two = team({ ana: 'admin', bia: 'admin' });
    assert.deepEqual(problems(two, removed('ana'), demoted('bia')), [last(0), last(1)]);
  });

  it('is taken where an admin remains, or comes with it', () => {
    const two = team({ ana: 'admin', bia: 'admin' });
    assert.deepEqual(problems(two, removed('ana')), []);
    const one = team({ ana: 'admin', bia: 'attendant' });
    assert.deepEqual(problems(one, { ref: 'bia', role: 'admin' }, removed('ana')), []);
    assert.deepEqual(problems(one, removed('bia'), { ref: 'ana', name: 'Ana' }), []);
  });

  it('is refused where the admin that remains is disabled, and taken where there was none', () => {
    const two = team({ ana: 'admin', bia: 'admin' });
    const disabled = two.members.map((each): MemberEntry => {
      return each.ref === 'bia' ? { ...each, disabledAt: NOW } : each;
    });
    assert.deepEqual(problems({ ...two, members: disabled }, removed('ana')), [last(0)]);
    const none = team({ ana: 'attendant' });
    assert.deepEqual(problems(none, removed('ana')), []);
    assert.equal(change(none, { remove: true }).removed, true);
    assert.equal(change(two, { remove: true }).removed, true);
  });
});
