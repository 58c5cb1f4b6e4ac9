/** Commands that create or change one subscription, decided as a file of one entry. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decideOrganization } from '../../../../../actors/domain/organization/decide.ts';
import {
  issuesOfEntry,
  subscriptionFile,
  urlsOf,
} from '../../../../../actors/domain/organization/subscription-file.ts';
import type { OrganizationState } from '../../../../../actors/domain/organization.ts';
import { signingSecret } from '../../../../../shared/entity-ids.ts';
import type { SaveSubscriptionCommand } from '../../../../../shared/provisioning/commands.ts';
import {
  applied,
  applyOf,
  contextAt,
  LOJA,
  NOW,
} from '../../../../support/actors/domain/organization-fixture.ts';
import { pluck } from '../../../../support/pluck.ts';

const NEW_URL = 'https://new.example.com/hook';
const URL = 'https://crm.example.com/hook';
const own = { id: 'cmd_save', seed: 's'.repeat(40) };
const erp = { ref: 'erp', url: 'https://erp.example.com/hook' };
const state = applied({ ref: 'loja', subscriptions: [erp] }, applied(LOJA));
const [crm] = state.subscriptions;
assert.ok(crm);

type Entry = { readonly ref: string } & Readonly<Record<string, unknown>>;
type Change = Partial<Extract<SaveSubscriptionCommand, { type: 'subscriptions.change' }>>;
type Creation = Partial<Extract<SaveSubscriptionCommand, { type: 'subscriptions.create' }>>;

function change(more: Change): SaveSubscriptionCommand {
  return { ...own, type: 'subscriptions.change', subscriptionId: crm?.id ?? '', ...more };
}

function creation(more: Creation = {}): SaveSubscriptionCommand {
  return { ...own, type: 'subscriptions.create', url: NEW_URL, ...more };
}

const removed: OrganizationState = {
  ...state,
  subscriptions: state.subscriptions.map((each) => ({ ...each, removed: true })),
};

describe('the file that a command for one subscription stands for', () => {
  it('has one entry, with what the command says and nothing else', () => {
    const whole = { url: NEW_URL, events: [], enabled: true };
    const table: readonly (readonly [SaveSubscriptionCommand, Entry])[] = [
      [creation(), { ref: 'cmd_save', url: NEW_URL }],
      [creation({ events: ['*'] }), { ref: 'cmd_save', url: NEW_URL, events: ['*'] }],
      [change({}), { ref: 'crm' }],
      [change({ url: NEW_URL }), { ref: 'crm', url: NEW_URL }],
      [change({ events: ['*'] }), { ref: 'crm', events: ['*'] }],
      [change({ enabled: false }), { ref: 'crm', enabled: false }],
      [change(whole), { ref: 'crm', ...whole }],
    ];
    for (const [command, entry] of table) {
      const organization = { ref: 'loja', subscriptions: [entry] };
      const apply = { ...own, type: 'apply', check: false, organization };
      assert.deepEqual(subscriptionFile(state, command), { ref: entry.ref, apply });
    }
  });

  it('is none where the subscription to change is not there', () => {
    assert.equal(subscriptionFile(state, change({ subscriptionId: 'sub_none' })), null);
    assert.equal(subscriptionFile(removed, change({ enabled: true })), null);
  });
});

describe('the addresses that are checked before a command', () => {
  it('are new and changed ones of an apply and of one subscription', () => {
    const file = { ref: 'loja', subscriptions: [{ ref: 'x', url: NEW_URL }, erp] };
    assert.deepEqual(urlsOf(state, applyOf(file)), [NEW_URL]);
    assert.deepEqual(urlsOf(null, applyOf(file)), [NEW_URL, erp.url]);
    assert.deepEqual(urlsOf(state, creation()), [NEW_URL]);
    assert.deepEqual(urlsOf(state, change({ url: NEW_URL })), [NEW_URL]);
    assert.deepEqual(urlsOf(state, change({ url: URL })), []);
    assert.deepEqual(urlsOf(state, change({ enabled: false })), []);
  });

  it('are none without an organization or a subscription, and of other commands', () => {
    assert.deepEqual(urlsOf(null, creation()), []);
    assert.deepEqual(urlsOf(state, change({ url: NEW_URL, subscriptionId: 'sub_none' })), []);
    assert.deepEqual(urlsOf(state, { id: 'c', type: 'subscriptions.list' }), []);
  });
});

describe('the answer to a command for one subscription', () => {
  const decide = (command: SaveSubscriptionCommand, of = state, refused = {}) =>
    decideOrganization(of, command, contextAt(NOW + 1_000, refused));

  it('to a creation has the secret beside what the list shows', () => {
    const { status, body, next } = decide(creation());
    const made = next?.subscriptions.at(-1);
    assert.ok(made);
    const [sealed] = made.secrets;
    const secret = contextAt(NOW).open(sealed?.sealed ?? '', signingSecret(state.id, made.id));
    const createdAt = new Date(NOW + 1_000).toISOString();
    const row = { id: made.id, ref: 'cmd_save', url: NEW_URL, events: ['*'], enabled: true };
    const expected = { ...row, disabledReason: null, createdAt, secret };
    assert.deepEqual([status, body], [201, expected]);
    assert.match(String(Object(body).secret), /^whsec_/);
  });

  it('to a change has the changed subscription, of several, and no secret', () => {
    const { status, body, next } = decide(change({ url: NEW_URL, enabled: false }));
    const createdAt = new Date(NOW).toISOString();
    const row = { id: crm.id, ref: 'crm', url: NEW_URL, events: ['*'], enabled: false };
    assert.deepEqual([status, body], [200, { ...row, disabledReason: null, createdAt }]);
    assert.deepEqual(pluck(next?.subscriptions, 'url'), [NEW_URL, erp.url]);
  });

  it('is 404 where there is no such subscription', () => {
    const { status, next } = decide(change({ enabled: true }), removed);
    assert.deepEqual([status, next], [404, null]);
  });

  it('says problems by the properties of the command', () => {
    const internal = { code: 'foreign', params: { text: 'is internal' } } as const;
    const { status, refused } = decide(creation(), state, { [NEW_URL]: 'is internal' });
    assert.deepEqual([status, refused], [422, [{ path: 'url', problem: internal }]]);
    const told = ['subscriptions.0', 'subscriptions.0.events.1', 'subscriptions'];
    assert.deepEqual(
      issuesOfEntry(told.map((path) => ({ path, problem: internal }))),
      ['', 'events.1', 'subscriptions'].map((path) => ({ path, problem: internal })),
    );
  });
});
