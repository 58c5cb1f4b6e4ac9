import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { retireOrganization } from '../../../../../actors/domain/organization/apply.ts';
import type { KeyEntry, OrganizationState } from '../../../../../actors/domain/organization.ts';
import {
  applied,
  applyOf,
  contextAt,
  decided,
  LOJA,
  NOW,
  named,
  problemsOf,
  refusedPaths,
} from '../../../../support/actors/domain/organization-fixture.ts';
import { CLOUD } from '../../../../support/example-file.ts';
import { pluck } from '../../../../support/pluck.ts';
import { withRuns } from '../../../../support/property.ts';

function channelArb(ref: fc.Arbitrary<string>, text: fc.Arbitrary<string>) {
  const channels = fc.record(
    {
      ref,
      label: text,
      provider: fc.constant('cloud'),
      phone: fc.constantFrom('+55 11 98888-7777', '551140001000', '+1 650 253 0000'),
      network: text.map((accessToken) => ({ ...CLOUD, accessToken })),
      enabled: fc.boolean(),
      remove: fc.boolean(),
    },
    { requiredKeys: ['ref', 'label', 'provider', 'phone', 'network'] },
  );
  // Two channels of one number are refused.
  return channels.map((each) => ({
    ...each,
    network: { ...each.network, phoneNumberId: each.ref },
  }));
}

/** Provisioned organizations of every shape. */
function organizationArb() {
  const text = fc.string({ minLength: 1, maxLength: 20 }).filter((value) => value.trim() !== '');
  const ref = fc.constantFrom('a', 'b', 'c', 'constructor');
  const unique = { selector: (entry: { ref: string }) => entry.ref, maxLength: 4 };
  const email = fc.constantFrom(null, '', 'a@example.com');
  const member = fc.record({ ref, name: text, email });
  const channel = channelArb(ref, text);
  const key = fc.record({ ref, name: text, scope: fc.constant('account'), remove: fc.boolean() });
  const subscription = fc.record(
    {
      ref,
      url: fc.constantFrom('https://a.example.com', 'https://b.example.com'),
      secret: text,
      events: fc.uniqueArray(fc.constantFrom('*', 'message.read'), { minLength: 1 }),
      remove: fc.boolean(),
    },
    { requiredKeys: ['ref', 'url'] },
  );
  return fc.record({
    ref: fc.constant('o'),
    name: text,
    members: fc.uniqueArray(member, unique),
    channels: fc.uniqueArray(channel, unique),
    keys: fc.uniqueArray(key, unique),
    tags: fc.uniqueArray(text, { maxLength: 5 }),
    subscriptions: fc.uniqueArray(subscription, unique),
  });
}

describe('operator’s command line: apply, a new organization', () => {
  it('takes the example of the fixed interfaces and tells ids, URLs and what was just made', () => {
    const { output, accepted, claims } = decided(null, applyOf(LOJA));
    assert.equal(accepted?.version, 1);
    assert.equal(accepted?.channels[0]?.phone, '551140001000');
    const main = output.channels.main;
    assert.equal(main?.inboundWebhookUrl, `http://127.0.0.1:8080/api/webhooks/channel/${main?.id}`);
    assert.equal(main?.networkWebhookUrl, `http://127.0.0.1:8080/networks/cloud/${main?.id}`);
    assert.match(output.channels.shop?.networkWebhookUrl ?? '', /\/networks\/web\//);
    assert.equal(output.keys.erp?.token, 'given-by-the-caller-0123456789');
    assert.match(output.keys['shop-key']?.token ?? '', /^rcd_[A-Za-z0-9]{4}_[A-Za-z0-9]{43}$/);
    assert.match(output.subscriptions.crm?.secret ?? '', /^whsec_[A-Za-z0-9+/]{43}=$/);
    const names = { ...output.members, ...output.flows, ...output.files };
    assert.deepEqual(Object.keys(names), ['ana', 'welcome', 'logo']);
    assert.deepEqual(pluck(claims, 'path'), ['keys.0.token', 'keys.1.token']);
  });

  it('takes defaults for what is left out', () => {
    const state = applied({
      ref: 'o',
      name: 'O',
      channels: [
        { ref: 'c', label: 'C', provider: 'cloud', phone: '11 4000-1000', network: CLOUD },
      ],
      flows: [{ ref: 'f', name: 'F', steps: [{ id: 'a', do: 'end' }] }],
      subscriptions: [{ ref: 's', url: 'https://example.com' }],
    });
    assert.equal(state.timeZone, 'America/Sao_Paulo');
    assert.equal(state.country, 'BR');
    assert.deepEqual(state.limits, { perKey: null, perOrg: null });
    assert.deepEqual(state.channels[0]?.pace, { perSecond: 80, pairBurst: 45, pairEveryMs: 6000 });
    assert.equal(state.channels[0]?.phone, '551140001000');
    assert.equal(state.channels[0]?.enabled, true);
    const { enabled, isMain, channelId } = named(state.flows, 'f');
    assert.deepEqual([enabled, isMain, channelId], [true, false, null]);
    assert.deepEqual(state.subscriptions[0]?.events, ['*']);
  });

  it('stores no token and no secret in clear', () => {
    const { accepted, output } = decided(null, applyOf(LOJA));
    const text = JSON.stringify({ ...accepted, channels: [], subscriptions: [] });
    for (const key of Object.values(output.keys)) assert.ok(!text.includes(key.token ?? 'none'));
    assert.deepEqual(accepted?.channels[0]?.network, { baseUrl: 'sandbox', phoneNumberId: '1001' });
    assert.match(accepted?.channels[0]?.secrets.accessToken ?? '', /^sealed /);
  });

  it('tells every problem at once: wrong, unknown, missing and unresolved', () => {
    const paths = refusedPaths({
      ref: 'bad',
      nmae: 'typo',
      timeZone: 'America/Nowhere',
      channels: [
        { ref: 'c', label: 1, provider: 'cloud', phone: 'abc', network: { session: 'x' } },
        { ref: 'c', label: 'again', provider: 'web' },
      ],
      keys: [
        { ref: 'k', name: 'K', scope: 'channel', channel: 'nope' },
        { ref: 'l', scope: 'account', channel: 'c', token: 'short' },
      ],
      flows: [{ ref: 'f', name: 'F', channel: 'gone', steps: [{ id: 'a', do: 'fly', next: 'z' }] }],
      files: [{ ref: 'x', name: 'x', mimeType: 'text/plain' }],
      subscriptions: [{ ref: 's', events: ['deal.lots'] }],
    });
    assert.deepEqual([...paths].sort(), [
      'channels.0.label',
      'channels.0.network.accessToken',
      'channels.0.network.appSecret',
      'channels.0.network.phoneNumberId',
      'channels.0.network.session',
      'channels.0.network.verifyToken',
      'channels.0.phone',
      'channels.1.ref',
      'files.0.path',
      'flows.0.channel',
      'flows.0.steps.0.do',
      'flows.0.steps.0.next',
      'keys.0.channel',
      'keys.1.channel',
      'keys.1.name',
      'keys.1.token',
      'name',
      'nmae',
      'subscriptions.0.events.0',
      'subscriptions.0.url',
      'timeZone',
    ]);
  });

  it('says what is missing and what names nothing', () => {
    const keys = [{ ref: 'k', name: 'K', scope: 'channel', channel: 'nope' }];
    assert.deepEqual(problemsOf({ ref: 'o', keys }), [
      'name is required for a new organization',
      'keys.0.channel names no channel "nope"; there are none',
    ]);
  });

  it('asks the running service about new and changed subscriber URLs only', () => {
    const url = 'http://127.0.0.1:9/hook';
    const wanted = { ref: 'o', name: 'O', subscriptions: [{ ref: 's', url }] };
    const refused = contextAt(NOW, { [url]: 'internal network' });
    assert.deepEqual(refusedPaths(wanted, null, refused), ['subscriptions.0.url']);
    const stored = applied(wanted);
    assert.deepEqual(refusedPaths(wanted, stored, refused), []);
  });
});

describe('operator’s command line: apply again', () => {
  it('tells no secret of a subscription that it has changed', () => {
    const state = applied(LOJA);
    const change = { ref: 'loja', subscriptions: [{ ref: 'crm', events: ['message.read'] }] };
    const { output, accepted } = decided(state, applyOf(change), NOW + 1);
    assert.deepEqual(output.subscriptions, { crm: { id: state.subscriptions[0]?.id } });
    assert.deepEqual(accepted?.lastApply?.created, []);
  });

  it('changes nothing and tells no secret twice', () => {
    const state = applied(LOJA);
    const again = decided(state, applyOf(LOJA), NOW + 1000);
    assert.equal(again.accepted, state);
    assert.deepEqual([again.claims, again.releases], [[], []]);
    assert.ok(Object.values(again.output.keys).every((key) => !('token' in key)));
    assert.ok(Object.values(again.output.subscriptions).every((entry) => !('secret' in entry)));
  });

  it('answers a repeated ask of the same command with the same tokens', () => {
    const command = applyOf(LOJA);
    const first = decided(null, command);
    const repeated = decided(first.accepted, command, NOW + 500);
    assert.equal(repeated.accepted, first.accepted);
    assert.deepEqual(repeated.output, first.output);
  });

  it('leaves what the file leaves out as it is', () => {
    const state = applied(LOJA);
    const next = applied({ ref: 'loja', channels: [{ ref: 'main', label: 'Novo' }] }, state);
    const channels = [{ ...named(state.channels, 'main'), label: 'Novo' }, state.channels[1]];
    assert.deepEqual(next, { ...state, version: 2, channels, lastApply: next.lastApply });
  });

  it('merges a network’s settings and keeps sealed what is the same', () => {
    const state = applied(LOJA);
    const network = { accessToken: 'new', appSecret: 's', pace: { perSecond: 5 } };
    const { channels } = applied({ ref: 'loja', channels: [{ ref: 'main', network }] }, state);
    const channel = named(channels, 'main');
    const before = named(state.channels, 'main');
    assert.equal(channel.secrets.appSecret, before.secrets.appSecret);
    assert.equal(channel.secrets.accessToken?.split(' ')[3], 'new');
    assert.deepEqual(channel.network, before.network);
    assert.deepEqual(channel.pace, { perSecond: 5, pairBurst: 45, pairEveryMs: 6000 });
  });

  it('is idempotent whatever the file says (property)', () => {
    const organization = organizationArb();
    withRuns(500)([organization, organization], (first, second) => {
      const state = applied(second, applied(first));
      const stored: OrganizationState = structuredClone(state);
      assert.equal(decided(stored, applyOf(second), NOW + 5000).accepted, stored);
    });
  });
});

const ENTRIES = ['channels', 'flows', 'subscriptions', 'members', 'files', 'keys'] as const;

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
    assert.deepEqual(pluck(releases, 'digest'), [named(state.keys, 'erp').digest]);
    assert.equal(decided(accepted, { ...command, id: 'cmd_again' }).accepted, accepted);
  });

  it('revokes the keys of a channel that goes away', () => {
    const written = applied(LOJA);
    // A key that was made by hand has no ref of its own.
    const byHand = (key: KeyEntry) => (key.ref === 'shop-key' ? { ...key, ref: key.id } : key);
    const state = { ...written, keys: written.keys.map(byHand) };
    const channels = [{ ref: 'shop', remove: true }];
    const next = applied({ ref: 'loja', channels }, state, NOW + 1);
    const { id } = named(written.keys, 'shop-key');
    assert.equal(named(next.keys, id).revokedAt, NOW + 1);
    assert.equal(named(next.keys, 'erp').revokedAt, null);
    assert.deepEqual(refusedPaths({ ref: 'loja', keys: LOJA.keys }, next), ['keys.1.channel']);
  });

  it('takes a whole organization away: it disables all that acts, keeps every id, once', () => {
    const state = applied(LOJA);
    const gone = retireOrganization(state, NOW + 5);
    assert.deepEqual([gone.version, gone.removed], [state.version + 1, true]);
    assert.equal(gone.lastApply, undefined);
    for (const list of ['channels', 'flows', 'subscriptions'] as const) {
      assert.ok(state[list].length > 0);
      for (const { enabled } of gone[list]) assert.equal(enabled, false, list);
    }
    for (const list of ENTRIES) {
      for (const { removed } of gone[list]) assert.equal(removed, true, list);
      const ids = (of: typeof state) => of[list].map(({ id }) => id);
      assert.deepEqual(ids(gone), ids(state));
    }
    assert.ok(gone.flows.every(({ updatedAt }) => updatedAt === NOW + 5));
    assert.ok(gone.keys.every(({ revokedAt }) => revokedAt === NOW + 5));
    const removed = applied({ ref: 'loja', remove: true }, state, NOW + 5);
    assert.deepEqual(removed, gone);
    assert.equal(decided(gone, applyOf({ ref: 'loja', remove: true })).accepted, gone);
    assert.equal(decided(null, applyOf({ ref: 'x', remove: true })).accepted, null);
    const back = applied(LOJA, gone);
    assert.deepEqual([back.id, 'removed' in back], [state.id, false]);
    assert.equal(named(back.keys, 'erp').revokedAt, null);
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
});
