import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decideOrganization } from '../../actors/domain/organization-decide.ts';
import type { OrganizationState } from '../../actors/domain/organization-state.ts';
import {
  type OrganizationCommand,
  parseOrganizationCommand,
} from '../../shared/provisioning/commands.ts';
import { applied, applyOf, contextAt, LOJA, NOW } from './organization-given.ts';

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
