/** Answers of the organization to the operator's orders: bounds, checks, lists and the export. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decideOrganization } from '../../../../actors/domain/organization/decide.ts';
import type { OrganizationState } from '../../../../actors/domain/organization/state.ts';
import type { OrganizationCommand } from '../../../../shared/provisioning/commands.ts';
import {
  applied,
  applyOf,
  contextAt,
  LOJA,
  NOW,
  named,
} from '../../../support/actors/domain/organization-fixture.ts';

const SEED = 's'.repeat(40);
const LATER = NOW + 5_000;
const MOMENT = '2026-01-02T03:04:05.000Z';
const OTHER_URL = 'https://new.example.com/hook';
const REFUSED = 'The input was refused.';

function decide(state: OrganizationState | null, command: OrganizationCommand) {
  return decideOrganization(state, command, contextAt(LATER, { 'http://in/': 'is not public' }));
}

/** The problems of a refusal, which changes nothing. */
function refused(state: OrganizationState | null, command: OrganizationCommand) {
  const { status, body, next, refused: issues } = decide(state, command);
  assert.deepEqual([status, body, next], [422, { error: REFUSED, issues }, null]);
  return issues;
}

const change = (subscriptionId: string, more: object = {}) =>
  ({ id: 'cmd_order', type: 'subscriptions.change', seed: SEED, subscriptionId, ...more }) as const;
const CREATE = {
  id: 'cmd_order',
  type: 'subscriptions.create',
  seed: SEED,
  url: OTHER_URL,
} as const;

/** As many subscriptions as an organization may have; the first is that of the file. */
function full(): OrganizationState {
  const state = applied(LOJA);
  const crm = named(state.subscriptions, 'crm');
  const more = Array.from({ length: 199 }, (_, n) => ({ ...crm, id: `sub_${n}`, ref: `s${n}` }));
  return { ...state, subscriptions: [crm, ...more] };
}

describe('an order for a subscription', () => {
  it('is refused for one more than 200, which may still be changed', () => {
    const state = full();
    const issue = { path: 'subscriptions', message: 'are 200 already' };
    assert.deepEqual(refused(state, CREATE), [issue]);
    const { status, next } = decide(state, change('sub_7', { enabled: false }));
    assert.equal(status, 200);
    assert.equal(named(next?.subscriptions ?? [], 's7').enabled, false);
    const room = { ...state, subscriptions: state.subscriptions.slice(1) };
    const made = decide(room, CREATE);
    assert.deepEqual([made.status, made.next?.subscriptions.length], [201, 200]);
  });

  it('answers the subscription as it is then', () => {
    const state = applied(LOJA);
    const { id } = named(state.subscriptions, 'crm');
    const row = { id, ref: 'crm', url: OTHER_URL, events: ['*'], enabled: true };
    const changed = decide(state, change(id, { url: OTHER_URL }));
    const body = { ...row, disabledReason: null, createdAt: MOMENT };
    assert.deepEqual([changed.status, changed.body], [200, body]);
    assert.equal(changed.next?.version, state.version + 1);
    const again = decide(changed.next, change(id, { url: OTHER_URL }));
    assert.deepEqual([again.status, again.body, again.next], [200, body, null]);
  });

  it('knows no subscription that is not there, or was removed', () => {
    const state = applied(LOJA);
    const { id } = named(state.subscriptions, 'crm');
    const gone = applied({ ref: 'loja', subscriptions: [{ ref: 'crm', remove: true }] }, state);
    const error = 'There is no such subscription.';
    for (const [of, known] of [
      [state, 'sub_none'],
      [gone, id],
    ] as const) {
      const { status, body, next } = decide(of, change(known, { enabled: true }));
      assert.deepEqual([status, body, next], [404, { error }, null]);
    }
  });

  it('tells problems by the properties of the order', () => {
    const state = applied(LOJA);
    const { id } = named(state.subscriptions, 'crm');
    const issue = { path: 'url', message: 'is not public' };
    assert.deepEqual(refused(state, { ...CREATE, url: 'http://in/' }), [issue]);
    assert.deepEqual(refused(state, change(id, { url: 'http://in/' })), [issue]);
  });

  it('frees the token of a key that it finds live on a removed channel', () => {
    const state = applied(LOJA);
    const channels = state.channels.map((each) => ({ ...each, removed: each.ref === 'shop' }));
    const { next, releases } = decide({ ...state, channels }, CREATE);
    const { id: keyId, digest, revokedAt } = named(next?.keys ?? [], 'shop-key');
    assert.equal(revokedAt, LATER);
    assert.deepEqual(releases, [{ digest, keyId, path: 'keys.token' }]);
  });
});

describe('an order for a key', () => {
  it('is refused for one more than 1000 live ones', () => {
    const state = applied(LOJA);
    const [key] = state.keys;
    assert.ok(key);
    const keys = Array.from({ length: 1_000 }, (_, n) => {
      return { ...key, id: `key_${n}`, ref: `key_${n}`, digest: `digest ${n}` };
    });
    const order = { id: 'cmd_order', type: 'keys.create', seed: SEED, name: 'N' } as const;
    const issue = { path: 'keys', message: 'are 1000 already' };
    assert.deepEqual(refused({ ...state, keys }, { ...order, scope: 'account' }), [issue]);
    const room = { ...state, keys: keys.slice(1) };
    assert.equal(decide(room, { ...order, scope: 'account' }).status, 201);
  });
});

describe('an apply', () => {
  it('that is refused tells the tokens that it claims, to be judged with its problems', () => {
    const { name: _, ...nameless } = LOJA;
    const { claims, refused: issues } = decide(null, applyOf(nameless));
    assert.deepEqual(issues, [{ path: 'name', message: 'is required for a new organization' }]);
    assert.deepEqual(
      claims.map(({ path }) => path),
      ['keys.0.token', 'keys.1.token'],
    );
  });

  it('tells the state that a check with a diff would have stored, and no other order does', () => {
    const state = applied(LOJA);
    const file = { ref: 'loja', name: 'Outra' };
    const diff = { ...applyOf(file, true), diff: true };
    const { checked, next } = decide(state, diff);
    assert.deepEqual([checked?.after?.name, checked?.after?.version], ['Outra', state.version + 1]);
    assert.equal(next, null);
    assert.deepEqual(decide(state, { ...diff, organization: LOJA }).checked, { after: state });
    const none = { ref: 'none', remove: true };
    assert.deepEqual(decide(null, { ...diff, organization: none }).checked, { after: null });
    const others = [applyOf(file, true), applyOf(file), { ...diff, diff: false }];
    for (const each of [...others, { ...diff, check: false }]) {
      assert.equal(decide(state, each).checked, null);
    }
  });
});

describe('what is asked of the organization', () => {
  const list = (state: OrganizationState, of: 'members' | 'channels' | 'flows') =>
    decide(state, { id: 'cmd_order', type: 'entries.list', list: of });

  it('are rows of its members, channels and flows, without those that were removed', () => {
    const state = applied(LOJA);
    const { id } = named(state.members, 'ana');
    const ana = { id, ref: 'ana', name: 'Ana Souza', email: 'ana@example.com' };
    const members = list(state, 'members');
    const data = [{ ...ana, role: 'attendant', disabled: false }];
    assert.deepEqual([members.status, members.body, members.next], [200, { data }, null]);
    const [flow] = state.flows;
    const { steps: _, updatedAt: _at, ...shown } = flow ?? {};
    assert.deepEqual(list(state, 'flows').body, {
      data: [{ ...shown, stepCount: 3, updatedAt: MOMENT }],
    });
    const gone = { members: ['ana'], flows: ['welcome'] };
    const removed = Object.entries(gone).map(([name, refs]) => [
      name,
      refs.map((ref) => ({ ref, remove: true })),
    ]);
    const without = applied({ ref: 'loja', ...Object.fromEntries(removed) }, state);
    assert.deepEqual(list(without, 'members').body, { data: [] });
    assert.deepEqual(list(without, 'flows').body, { data: [] });
    const { data: channels } = list(state, 'channels').body as { data: { ref: string }[] };
    assert.deepEqual(
      channels.map(({ ref }) => ref),
      ['main', 'shop'],
    );
  });

  it('is its export, a provisioning file that changes nothing', () => {
    const state = applied(LOJA);
    const { status, body, next } = decide(state, { id: 'cmd_order', type: 'export' });
    assert.deepEqual([status, next], [200, null]);
    const { organization } = body as { organization: { ref: string; name: string } };
    assert.deepEqual([organization.ref, organization.name], ['loja', 'Loja Exemplo']);
    assert.equal(applied(organization, state), state);
  });
});
