/** Answers of the organization to the operator: applies, keys, subscriptions, lists (C12). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decideOrganization } from '../../../../../actors/domain/organization/decide.ts';
import type { KeyEntry, OrganizationState } from '../../../../../actors/domain/organization.ts';
import { KEYS_MAX_PER_ORGANIZATION } from '../../../../../shared/limits.ts';
import {
  type OrganizationCommand,
  parseOrganizationCommand,
} from '../../../../../shared/provisioning/commands.ts';
import {
  applied,
  applyOf,
  contextAt,
  LOJA,
  NOW,
  named,
} from '../../../../support/actors/domain/organization-fixture.ts';
import { pluck } from '../../../../support/pluck.ts';
import { inEnglish } from '../../../../support/provisioning/in-english.ts';

const SEED = 's'.repeat(43);
const LATER = NOW + 5_000;
const MOMENT = '2026-01-02T03:04:05.000Z';
const OTHER_URL = 'https://new.example.com/hook';
const state = applied(LOJA);
const { id: crmId } = named(state.subscriptions, 'crm');

function decide(of: OrganizationState | null, command: OrganizationCommand, now = LATER) {
  return decideOrganization(of, command, contextAt(now, { 'http://in/': 'is not public' }));
}

/** The problems of a refusal, which changes nothing. */
function refused(of: OrganizationState | null, command: OrganizationCommand) {
  const { status, body, next, refused: problems } = decide(of, command);
  const error = 'The input was refused.';
  assert.deepEqual([status, body, next], [422, { error, problems }, null]);
  return inEnglish(problems);
}

function create(order: Record<string, unknown>, id = 'key_0123456789012345678901') {
  const command = parseOrganizationCommand({ id, type: 'keys.create', seed: SEED, ...order });
  assert.ok(command);
  return command;
}

const ORDER = { id: 'cmd_order', seed: SEED };
const change = (subscriptionId: string, more: object = {}) =>
  ({ ...ORDER, type: 'subscriptions.change', subscriptionId, ...more }) as const;
const CREATE = { ...ORDER, type: 'subscriptions.create', url: OTHER_URL } as const;

describe('an apply', () => {
  it('stores nothing on a check, and says what it would', () => {
    const { status, next, claims } = decide(null, applyOf(LOJA, true));
    assert.deepEqual([status, next, claims.length], [200, null, 2]);
    const issue = { path: 'name', message: 'is required for a new organization' };
    assert.deepEqual(refused(null, applyOf({ ref: 'x' }, true)), [issue]);
  });

  it('answers 200, and commits what changes', () => {
    const file = { ref: 'loja', name: 'Outra' };
    const changed = decide(state, applyOf(file));
    assert.deepEqual([changed.status, changed.next?.name], [200, 'Outra']);
    assert.equal(decide(state, applyOf(file, true)).next, null);
    assert.equal(decide(state, applyOf(LOJA)).next, null);
  });

  it('that is refused tells the tokens that it claims, to be judged with its problems', () => {
    const { name: _, ...nameless } = LOJA;
    const { claims, refused: problems } = decide(null, applyOf(nameless));
    assert.deepEqual(inEnglish(problems), [
      { path: 'name', message: 'is required for a new organization' },
    ]);
    assert.deepEqual(pluck(claims, 'path'), ['keys.0.token', 'keys.1.token']);
  });

  it('tells the state that a check with a diff would have stored, and no other order does', () => {
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

  it('does not tell the token of a key again that a later file has replaced', () => {
    const command = applyOf(LOJA);
    const { next } = decide(null, command);
    assert.ok(next?.lastApply);
    const keys = next.keys.map((key) => ({ ...key, digest: 'of another token' }));
    const { body } = decide({ ...next, keys }, command);
    const told = (body as { keys: Record<string, object> }).keys;
    assert.ok(Object.values(told).every((key) => !('token' in key)));
  });
});

describe('an order for a key', () => {
  it('makes it once, beside the others, by the channel’s ref or id, and repeats its token', () => {
    const shop = named(state.channels, 'shop');
    for (const channel of ['shop', shop.id]) {
      const command = create({ name: 'N', scope: 'channel', channel });
      const { status, next, body, claims } = decide(state, command);
      assert.equal(status, 201);
      assert.deepEqual(Object.keys(body ?? {}), ['id', 'token', 'prefix', 'scope']);
      assert.deepEqual(next?.keys.slice(0, -1), state.keys);
      assert.deepEqual([next.keys.at(-1)?.channelId, next.version], [shop.id, state.version + 1]);
      assert.deepEqual(pluck(claims, 'path'), ['keys.token']);
      const again = decide(next, command, LATER + 500);
      assert.deepEqual([again.status, again.next, again.body], [201, null, body]);
      assert.ok(!JSON.stringify(decide(next, applyOf(LOJA)).body).includes(command.id));
    }
    const account = decide(state, create({ name: 'N', scope: 'account', channel: null }));
    assert.equal(account.next?.keys.at(-1)?.channelId, null);
  });

  it('gives it the terms that it names, and refuses a time that has passed', () => {
    const expiresAt = new Date(LATER + 1).toISOString();
    const order = { name: 'N', scope: 'account' };
    const command = create({ ...order, access: 'read', expiresAt, assistant: true });
    const { next, body } = decide(state, command);
    const made = next?.keys.at(-1);
    assert.deepEqual([made?.access, made?.expiresAt, made?.assistant], ['read', LATER + 1, true]);
    const again = decide(next, command, LATER + 500);
    assert.deepEqual([again.status, again.body], [201, body], 'a repeat is not too late');
    const usual = decide(state, create({ ...order, access: 'full', assistant: false })).next;
    const { access, expiresAt: end, assistant } = usual?.keys.at(-1) ?? {};
    assert.deepEqual([access, end, assistant], [undefined, undefined, undefined]);
    const past = { ...order, expiresAt: new Date(LATER).toISOString() };
    assert.deepEqual(refused(state, create(past)), [
      { path: 'expiresAt', message: 'must be in the future' },
    ]);
    const wrong = { ...order, access: 'all', expiresAt: 'soon', assistant: 1 };
    const paths = pluck(refused(state, create(wrong)), 'path');
    assert.deepEqual(paths, ['access', 'expiresAt', 'assistant']);
  });

  it('says what is wrong with its name, scope or channel', () => {
    assert.deepEqual(pluck(refused(state, create({ scope: 'all' })), 'path'), ['name', 'scope']);
    assert.equal(refused(state, create({ name: '', scope: 'account' }))[0]?.path, 'name');
    const gone = applied(
      {
        ref: 'loja',
        channels: [{ ref: 'shop', remove: true }],
        keys: [{ ref: 'shop-key', remove: true }],
      },
      state,
    );
    const rows = [
      [state, { scope: 'account', channel: 'shop' }, 'is not for a key of the scope account'],
      [state, { scope: 'channel' }, 'is required'],
      [state, { scope: 'channel', channel: 'x' }, 'no channel "x"'],
      [gone, { scope: 'channel', channel: 'shop' }, 'no channel "shop"'],
    ] as const;
    for (const [of, order, message] of rows) {
      const command = create({ name: 'N', ...order });
      assert.deepEqual(refused(of, command), [{ path: 'channel', message }]);
      assert.deepEqual(decide(of, command).claims, []);
    }
  });

  it('more than 1000 replaces the oldest revoked one that no file names, or is refused', () => {
    const [ofFile] = state.keys;
    assert.ok(ofFile);
    const numbered = (count: number, revokedAt: number | null) =>
      Array.from({ length: count }, (_, n): KeyEntry => {
        return { ...ofFile, id: `key_${n}`, ref: `key_${n}`, digest: `digest ${n}`, revokedAt };
      });
    const order = create({ name: 'N', scope: 'account' }, 'key_new');
    const live = numbered(KEYS_MAX_PER_ORGANIZATION, null);
    const issue = { path: 'keys', message: 'are 1000 already' };
    assert.deepEqual(refused({ ...state, keys: live }, order), [issue]);
    assert.equal(decide({ ...state, keys: live.slice(1) }, order).status, 201);
    const revoked = [ofFile, ...numbered(KEYS_MAX_PER_ORGANIZATION - 1, NOW)];
    const { status, next, claims, releases } = decide({ ...state, keys: revoked }, order);
    assert.deepEqual([status, next?.keys.length], [201, KEYS_MAX_PER_ORGANIZATION]);
    assert.deepEqual([next?.keys[0]?.id, next?.keys[1]?.id], [ofFile.id, 'key_1']);
    assert.deepEqual([claims.length, releases.length], [1, 0]);
  });

  it('revokes it once, keeps the first time, and leaves the others', () => {
    const [key] = state.keys;
    assert.ok(key);
    const order = { id: 'c', type: 'keys.revoke', keyId: key.id } as const;
    const { status, body, next, releases } = decide(state, order);
    const first = { id: key.id, revokedAt: new Date(LATER).toISOString() };
    assert.deepEqual([status, body, releases.length], [200, first, 1]);
    assert.equal(next?.version, state.version + 1);
    assert.deepEqual(next.keys.slice(1), state.keys.slice(1));
    const again = decide(next, order, LATER + 9);
    assert.deepEqual([again.status, again.body, again.next], [200, first, null]);
    const none = decide(state, { ...order, keyId: 'key_none' });
    assert.deepEqual([none.status, none.body], [404, { error: 'There is no key "key_none".' }]);
  });
});

describe('an order for a subscription', () => {
  it('is refused for one more than 200, which may still be changed', () => {
    const crm = named(state.subscriptions, 'crm');
    const more = Array.from({ length: 199 }, (_, n) => ({ ...crm, id: `sub_${n}`, ref: `s${n}` }));
    const full = { ...state, subscriptions: [crm, ...more] };
    const issue = { path: 'subscriptions', message: 'are 200 already' };
    assert.deepEqual(refused(full, CREATE), [issue]);
    const { status, next } = decide(full, change('sub_7', { enabled: false }));
    assert.deepEqual([status, named(next?.subscriptions ?? [], 's7').enabled], [200, false]);
    const made = decide({ ...full, subscriptions: more }, CREATE);
    assert.deepEqual([made.status, made.next?.subscriptions.length], [201, 200]);
  });

  it('makes it once by a repeated command, with the same secret', () => {
    const { next, body } = decide(state, CREATE);
    const again = decide(next, CREATE);
    assert.deepEqual([again.status, again.next, again.body], [201, null, body]);
  });

  it('answers the subscription as it is then', () => {
    const row = { id: crmId, ref: 'crm', url: OTHER_URL, events: ['*'], enabled: true };
    const changed = decide(state, change(crmId, { url: OTHER_URL }));
    const body = { ...row, disabledReason: null, createdAt: MOMENT };
    assert.deepEqual([changed.status, changed.body], [200, body]);
    assert.equal(changed.next?.version, state.version + 1);
    const again = decide(changed.next, change(crmId, { url: OTHER_URL }));
    assert.deepEqual([again.status, again.body, again.next], [200, body, null]);
  });

  it('knows no subscription that is not there, or was removed', () => {
    const gone = applied({ ref: 'loja', subscriptions: [{ ref: 'crm', remove: true }] }, state);
    const error = 'There is no such subscription.';
    for (const [of, known] of [
      [state, 'sub_none'],
      [gone, crmId],
    ] as const) {
      const { status, body, next } = decide(of, change(known, { enabled: true }));
      assert.deepEqual([status, body, next], [404, { error }, null]);
    }
  });

  it('tells problems by the properties of the order', () => {
    const issue = { path: 'url', message: 'is not public' };
    assert.deepEqual(refused(state, { ...CREATE, url: 'http://in/' }), [issue]);
    assert.deepEqual(refused(state, change(crmId, { url: 'http://in/' })), [issue]);
  });

  it('frees the token of a key that it finds live on a removed channel', () => {
    const channels = state.channels.map((each) => ({ ...each, removed: each.ref === 'shop' }));
    const { next, releases } = decide({ ...state, channels }, CREATE);
    const { id: keyId, digest, revokedAt } = named(next?.keys ?? [], 'shop-key');
    assert.equal(revokedAt, LATER);
    assert.deepEqual(releases, [{ digest, keyId, path: 'keys.token' }]);
  });
});

describe('what is asked of the organization', () => {
  const dataOf = (command: Parameters<typeof decide>[1], of: OrganizationState = state) => {
    const { status, body, next } = decide(of, command);
    assert.deepEqual([status, next], [200, null]);
    return (body as { data: Record<string, unknown>[] }).data;
  };
  const list = (of: OrganizationState, name: 'members' | 'channels' | 'flows') =>
    dataOf({ id: 'cmd_order', type: 'entries.list', list: name }, of);
  const KEYS = { id: 'c', type: 'keys.list' } as const;
  const SUBSCRIPTIONS = { id: 'c', type: 'subscriptions.list' } as const;

  it('is not there, where the organization is not or has gone', () => {
    for (const missing of [null, applied({ ref: 'loja', remove: true }, state)]) {
      const { status, body } = decide(missing, KEYS);
      assert.deepEqual([status, body], [404, { error: 'There is no such organization.' }]);
    }
  });

  it('are keys and subscriptions without a secret', () => {
    const text = JSON.stringify([dataOf(KEYS), dataOf(SUBSCRIPTIONS)]);
    assert.ok(!text.includes('digest') && !text.includes('sealed'));
    assert.ok(text.includes('"prefix":"given-by-the"'));
    assert.ok(text.includes('"ref":"crm","url":"https://crm.example.com/hook","events":["*"]'));
    const gone = applied({ ref: 'loja', subscriptions: [{ ref: 'crm', remove: true }] }, state);
    assert.deepEqual(dataOf(SUBSCRIPTIONS, gone), []);
  });

  it('are keys with the ref of a file, none where they were ordered, and their times', () => {
    const { next } = decide(state, create({ name: 'N', scope: 'account' }));
    assert.deepEqual(pluck(dataOf(KEYS, next ?? undefined), 'ref'), ['erp', 'shop-key', null]);
    const revoked = { ...state, keys: state.keys.map((key) => ({ ...key, revokedAt: LATER })) };
    for (const { createdAt, revokedAt } of dataOf(KEYS, revoked)) {
      assert.deepEqual([createdAt, revokedAt], [MOMENT, new Date(LATER).toISOString()]);
    }
  });

  it('are rows of its members, channels and flows, without those that were removed', () => {
    const { id } = named(state.members, 'ana');
    const ana = { id, ref: 'ana', name: 'Ana Souza', email: 'ana@example.com' };
    assert.deepEqual(list(state, 'members'), [{ ...ana, role: 'attendant', disabled: false }]);
    const [flow] = state.flows;
    const { steps: _, updatedAt: _at, ...shown } = flow ?? {};
    assert.deepEqual(list(state, 'flows'), [{ ...shown, stepCount: 3, updatedAt: MOMENT }]);
    const members = [{ ref: 'ana', remove: true }];
    const flows = [{ ref: 'welcome', remove: true }];
    const without = applied({ ref: 'loja', members, flows }, state);
    assert.deepEqual([list(without, 'members'), list(without, 'flows')], [[], []]);
    assert.deepEqual(pluck(list(state, 'channels'), 'ref'), ['main', 'shop']);
  });

  it('is its export, a provisioning file that changes nothing', () => {
    const { status, body, next } = decide(state, { id: 'cmd_order', type: 'export' });
    assert.deepEqual([status, next], [200, null]);
    const { organization } = body as { organization: { ref: string; name: string } };
    assert.deepEqual([organization.ref, organization.name], ['loja', 'Loja Exemplo']);
    assert.equal(applied(organization, state), state);
  });
});
