import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decideOrganization } from '../../../../actors/domain/organization/decide.ts';
import type { OrganizationState } from '../../../../actors/domain/organization/state.ts';
import {
  type OrganizationCommand,
  parseOrganizationCommand,
} from '../../../../shared/provisioning/commands.ts';
import {
  applied,
  applyOf,
  contextAt,
  LOJA,
  NOW,
} from '../../../support/actors/domain/organization-fixture.ts';

const seed = 'x'.repeat(43);

function decide(state: OrganizationState | null, command: OrganizationCommand, now = NOW) {
  return decideOrganization(state, command, contextAt(now));
}

function create(order: Record<string, unknown>): OrganizationCommand {
  const id = 'key_0123456789012345678901';
  const command = parseOrganizationCommand({ id, type: 'keys.create', seed, ...order });
  assert.ok(command);
  return command;
}

describe('operator’s command line: the organization actor', () => {
  it('stores nothing on a check, and says what it would', () => {
    const { status, next, claims } = decide(null, applyOf(LOJA, true));
    assert.deepEqual([status, next, claims.length], [200, null, 2]);
    const refused = decide(null, applyOf({ ref: 'x' }, true));
    assert.equal(refused.status, 422);
    assert.deepEqual(refused.body, {
      error: 'The input was refused.',
      issues: [{ path: 'name', message: 'is required for a new organization' }],
    });
  });

  it('creates a key once per command and tells the same token to a repeated ask', () => {
    const state = applied(LOJA);
    const command = create({ name: 'Painel', scope: 'channel', channel: 'shop' });
    const first = decide(state, command);
    assert.equal(first.status, 201);
    assert.ok(first.next);
    assert.equal(first.next.keys.at(-1)?.channelId, state.channels[1]?.id);
    assert.deepEqual(Object.keys(first.body ?? {}), ['id', 'token', 'prefix', 'scope']);
    const repeated = decide(first.next, command, NOW + 500);
    assert.deepEqual([repeated.next, repeated.body], [null, first.body]);
    const again = decide(first.next, applyOf(LOJA));
    assert.ok(!JSON.stringify(again.body).includes(command.id));
  });

  it('refuses a key without name, with an unknown scope or channel', () => {
    const state = applied(LOJA);
    const pathsOf = (order: Record<string, unknown>): unknown => {
      const { status, body } = decide(state, create(order));
      assert.equal(status, 422);
      return JSON.parse(JSON.stringify(body)).issues.map(({ path }: { path: string }) => path);
    };
    assert.deepEqual(pathsOf({ scope: 'all' }), ['name', 'scope']);
    assert.deepEqual(pathsOf({ name: 'N', scope: 'channel' }), ['channel']);
    assert.deepEqual(pathsOf({ name: 'N', scope: 'channel', channel: 'x' }), ['channel']);
    assert.deepEqual(pathsOf({ name: 'N', scope: 'account', channel: 'shop' }), ['channel']);
  });

  it('revokes a key once and keeps the first time', () => {
    const state = applied(LOJA);
    const keyId = state.keys[0]?.id ?? '';
    const command = { id: 'cmd_r', type: 'keys.revoke', keyId } as const;
    const first = decide(state, command, NOW + 1);
    assert.deepEqual(first.body, { id: keyId, revokedAt: new Date(NOW + 1).toISOString() });
    assert.equal(first.releases.length, 1);
    const second = decide(first.next, command, NOW + 2);
    assert.deepEqual([second.next, second.body], [null, first.body]);
    assert.equal(decide(state, { ...command, keyId: 'key_x' }).status, 404);
  });

  it('lists keys and subscriptions without a secret', () => {
    const state = applied(LOJA);
    const keys = decide(state, { id: 'c', type: 'keys.list' });
    const subscriptions = decide(state, { id: 'c', type: 'subscriptions.list' });
    const text = JSON.stringify([keys.body, subscriptions.body]);
    assert.ok(!text.includes('digest') && !text.includes('sealed'));
    assert.ok(text.includes('"prefix":"given-by-the"'));
    assert.ok(text.includes('"ref":"crm","url":"https://crm.example.com/hook","events":["*"]'));
    assert.equal(decide(null, { id: 'c', type: 'keys.list' }).status, 404);
  });
});

describe('operator’s command line: what the organization actor answers', () => {
  const state = applied(LOJA);
  const shop = state.channels.find(({ ref }) => ref === 'shop');
  const refused = (order: Record<string, unknown>, of = state) => {
    const { status, body, next, claims } = decide(of, create({ name: 'N', ...order }));
    assert.deepEqual([status, next, claims], [422, null, []]);
    return (body as { issues: { path: string; message: string }[] }).issues;
  };

  it('an order for a key says what is wrong with its channel', () => {
    const at = (message: string) => [{ path: 'channel', message }];
    const account = { scope: 'account', channel: 'shop' };
    assert.deepEqual(refused(account), at('is not for a key of the scope account'));
    assert.deepEqual(refused({ scope: 'channel' }), at('is required'));
    assert.deepEqual(refused({ scope: 'channel', channel: 'x' }), at('no channel "x"'));
    const removed = {
      channels: [{ ref: 'shop', remove: true }],
      keys: [{ ref: 'shop-key', remove: true }],
    };
    const gone = applied({ ref: 'loja', ...removed }, state);
    assert.deepEqual(refused({ scope: 'channel', channel: 'shop' }, gone), at('no channel "shop"'));
    const [issue] = refused({ name: '', scope: 'account' });
    assert.equal(issue?.path, 'name');
  });

  it('a key is made beside the others, one version further, by the channel’s ref or id', () => {
    for (const channel of ['shop', shop?.id]) {
      const { status, next, claims } = decide(
        state,
        create({ name: 'N', scope: 'channel', channel }),
      );
      assert.equal(status, 201);
      assert.deepEqual(next?.keys.slice(0, -1), state.keys);
      assert.equal(next?.keys.at(-1)?.channelId, shop?.id);
      assert.equal(next?.version, state.version + 1);
      assert.deepEqual(
        claims.map(({ path }) => path),
        ['keys.token'],
      );
      assert.ok(next);
      const again = decide(next, create({ name: 'N', scope: 'channel', channel }));
      assert.deepEqual([again.status, again.next], [201, null]);
    }
    const account = decide(state, create({ name: 'N', scope: 'account', channel: null }));
    assert.equal(account.next?.keys.at(-1)?.channelId, null);
  });

  it('a key is revoked once, and the others stay', () => {
    const [key] = state.keys;
    assert.ok(key);
    const order = { id: 'c', type: 'keys.revoke' as const, keyId: key.id };
    const first = decide(state, order, NOW + 7);
    const body = { id: key.id, revokedAt: new Date(NOW + 7).toISOString() };
    assert.deepEqual([first.status, first.body], [200, body]);
    assert.equal(first.next?.version, state.version + 1);
    assert.deepEqual(first.next?.keys.slice(1), state.keys.slice(1));
    assert.equal(first.releases.length, 1);
    assert.ok(first.next);
    const again = decide(first.next, order, NOW + 9);
    assert.deepEqual([again.status, again.body, again.next], [200, body, null]);
    const none = decide(state, { ...order, keyId: 'key_none' });
    assert.deepEqual([none.status, none.body], [404, { error: 'There is no key "key_none".' }]);
  });

  it('lists, applies and orders answer 200, an organization that has gone 404', () => {
    const lists = ['keys.list', 'subscriptions.list'] as const;
    for (const type of lists) assert.equal(decide(state, { id: 'c', type }).status, 200);
    const gone = applied({ ref: 'loja', remove: true }, state);
    for (const missing of [null, gone]) {
      const { status, body } = decide(missing, { id: 'c', type: 'keys.list' });
      assert.deepEqual([status, body], [404, { error: 'There is no such organization.' }]);
    }
    const changed = decide(state, applyOf({ ref: 'loja', name: 'Outra' }));
    assert.deepEqual([changed.status, changed.next?.name], [200, 'Outra']);
    assert.equal(decide(state, applyOf({ ref: 'loja', name: 'Outra' }, true)).next, null);
    assert.equal(decide(state, applyOf(LOJA)).next, null);
  });
});

describe('operator’s command line: lists', () => {
  const state = applied(LOJA);

  it('a key of a file shows its ref, one that was ordered none', () => {
    const { next } = decide(state, create({ name: 'N', scope: 'account' }));
    assert.ok(next);
    const { body } = decide(next, { id: 'c', type: 'keys.list' });
    const { data } = body as { data: { ref: string | null }[] };
    assert.deepEqual(
      data.map(({ ref }) => ref),
      ['erp', 'shop-key', null],
    );
    const revoked = { ...state, keys: state.keys.map((key) => ({ ...key, revokedAt: NOW + 5 })) };
    const listed = decide(revoked, { id: 'c', type: 'keys.list' }).body as {
      data: { createdAt: string; revokedAt: string }[];
    };
    const times = [new Date(NOW).toISOString(), new Date(NOW + 5).toISOString()];
    assert.deepEqual(
      listed.data.map(({ createdAt, revokedAt }) => [createdAt, revokedAt]),
      [times, times],
    );
  });

  it('a subscription that has gone is not listed', () => {
    const gone = applied({ ref: 'loja', subscriptions: [{ ref: 'crm', remove: true }] }, state);
    const list = (of: OrganizationState) =>
      (decide(of, { id: 'c', type: 'subscriptions.list' }).body as { data: object[] }).data;
    assert.deepEqual([list(state).length, list(gone).length], [1, 0]);
  });

  it('the token of a key that a later file has replaced is not told again', () => {
    const command = applyOf(LOJA);
    const { next } = decide(null, command);
    assert.ok(next?.lastApply);
    const keys = next.keys.map((key) => ({ ...key, digest: 'of another token' }));
    const { body } = decide({ ...next, keys }, command);
    const told = (body as { keys: Record<string, object> }).keys;
    assert.ok(Object.values(told).every((key) => !('token' in key)));
  });
});
