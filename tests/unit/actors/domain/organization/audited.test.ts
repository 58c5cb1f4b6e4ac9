/** Audit entry of a person’s order about keys and subscriptions (D213, D218). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { audited, auditOf } from '../../../../../actors/domain/organization/audited.ts';
import { decideOrganization } from '../../../../../actors/domain/organization/decide.ts';
import type { OrganizationState } from '../../../../../actors/domain/organization.ts';
import type { OrganizationCommand } from '../../../../../shared/provisioning/commands.ts';
import type { AuditEntry } from '../../../../../shared/wire/audit.ts';
import {
  applied,
  contextAt,
  LOJA,
  NOW,
  named,
} from '../../../../support/actors/domain/organization-fixture.ts';
import { ANA } from './acting-person-fixture.ts';

const LATER = NOW + 5_000;
const SEED = 's'.repeat(40);

function loja(): OrganizationState {
  const erp = { ref: 'erp', url: 'https://erp.example.com/pass', events: ['message.sent'] };
  return applied({ ref: 'loja', subscriptions: [erp] }, applied(LOJA));
}

/** Ids of entries are stored: they are spelled out here. */
function context(by?: typeof ANA) {
  const { ids, ...given } = contextAt(LATER);
  const derive = (prefix: string, ...parts: readonly string[]) =>
    prefix === 'aud' ? [prefix, ...parts].join(' ') : ids.derive(prefix, ...parts);
  return { ...given, ids: { ...ids, derive }, ...(by === undefined ? {} : { by }) };
}

type Told = Pick<AuditEntry, 'subject' | 'details'>;

/** Orders that change the organization, each with its entry. */
function orders(state: OrganizationState): readonly (readonly [OrganizationCommand, Told])[] {
  const [key] = state.keys;
  const crm = named(state.subscriptions, 'crm');
  const erp = named(state.subscriptions, 'erp');
  assert.ok(key);
  const of = (kind: string, id: string, details = {}) => ({ subject: { kind, id }, details });
  const id = 'cmd_1';
  const site = { name: 'Site', scope: 'account' };
  const events = ['message.read', 'message.sent'];
  const both = events.join(' ');
  const url = 'https://new.example.com/secret';
  const made = contextAt(LATER).ids.derive('sub', state.id, id);
  const enabled = { events: '*', enabled: 'true' };
  const bot = { name: 'Bot', scope: 'account', access: 'send' };
  const until = '2028-01-01T12:00:00.000Z';
  const secret = { id, seed: SEED };
  const change = { ...secret, type: 'subscriptions.change', subscriptionId: erp.id } as const;
  const rotate = { ...secret, type: 'subscriptions.rotate', subscriptionId: erp.id } as const;
  const create = { ...secret, type: 'subscriptions.create', url } as const;
  return [
    [{ ...secret, type: 'keys.create', ...site }, of('key', id, site)],
    [
      { ...secret, type: 'keys.create', ...bot, expiresAt: until, assistant: true },
      of('key', id, { ...bot, expiresAt: until, assistant: 'true' }),
    ],
    [{ id, type: 'keys.revoke', keyId: key.id }, of('key', key.id)],
    [create, of('subscription', made, enabled)],
    [{ ...create, events }, of('subscription', made, { events: both, enabled: 'true' })],
    [{ ...change, url }, of('subscription', erp.id, { events: 'message.sent', enabled: 'true' })],
    [
      { ...change, events, enabled: false },
      of('subscription', erp.id, { events: both, enabled: 'false' }),
    ],
    [{ ...change, events: ['*'] }, of('subscription', erp.id, enabled)],
    [{ ...change, subscriptionId: crm.id, url }, of('subscription', crm.id, enabled)],
    [rotate, of('subscription', erp.id)],
  ];
}

describe('a person’s order about keys and subscriptions', () => {
  it('has an entry of its subject with what it set, and no address or secret', () => {
    const state = loja();
    for (const [order, told] of orders(state)) {
      const { next } = decideOrganization(state, order, context(ANA));
      const id = `aud cmd_1 ${told.subject.kind} ${told.subject.id}`;
      assert.deepEqual(next?.audit, [{ id, at: LATER, by: ANA, ...told }], order.type);
      const text = JSON.stringify(next.audit);
      assert.ok(!text.includes('https:') && !text.includes(SEED) && !text.includes('sealed'));
    }
  });

  it('has an entry where it enables a subscription, and none where that is enabled', () => {
    const state = loja();
    const [crm, erp] = state.subscriptions;
    assert.ok(crm && erp);
    const order = { id: 'cmd_1', type: 'subscriptions.enable', subscriptionId: crm.id } as const;
    const disabled = { ...state, subscriptions: [{ ...crm, enabled: false }, erp] };
    const { next } = decideOrganization(disabled, order, context(ANA));
    const subject = { kind: 'subscription', id: crm.id };
    const id = `aud cmd_1 subscription ${crm.id}`;
    assert.deepEqual(next?.audit, [{ id, at: LATER, by: ANA, subject, details: {} }]);
    assert.equal(decideOrganization(state, order, context(ANA)).next, null);
  });

  it('of a program has no entry, and leaves none of the change before', () => {
    const state = loja();
    for (const [order] of orders(state)) {
      const { next } = decideOrganization(state, order, context());
      assert.ok(next && !('audit' in next), order.type);
    }
  });

  it('has no entry of its own where it reads, or is an apply or of a member', () => {
    const state = loja();
    const others: readonly OrganizationCommand[] = [
      { id: 'cmd_1', type: 'keys.list' },
      { id: 'cmd_1', type: 'export' },
      { id: 'cmd_1', type: 'apply', check: false, seed: SEED, organization: LOJA },
      { id: 'cmd_1', type: 'members.role', member: 'ana', role: 'admin' },
    ];
    for (const order of others) assert.equal(auditOf(state, order), null, order.type);
  });

  it('has none for a subscription that is not there', () => {
    const change = { id: 'cmd_1', type: 'subscriptions.change', seed: SEED } as const;
    assert.equal(auditOf(loja(), { ...change, subscriptionId: 'sub_none' }), null);
  });
});

describe('the audit entry in the state', () => {
  const told = { subject: { kind: 'key', id: 'key_1' }, details: { scope: 'account' } };

  it('takes the place of that of the change before', () => {
    const state = loja();
    const first = audited(state, { id: 'cmd_1' }, { context: context(ANA), ...told });
    const second = audited(first, { id: 'cmd_2' }, { context: context(ANA), ...told });
    assert.deepEqual(second, {
      ...state,
      audit: [{ id: 'aud cmd_2 key key_1', at: LATER, by: ANA, ...told }],
    });
    assert.deepEqual(audited(first, { id: 'cmd_2' }, { context: context(), ...told }), state);
  });
});
