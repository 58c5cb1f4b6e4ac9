import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { urlsToCheck } from '../../../../../actors/domain/organization/subscriptions.ts';
import type { ChannelEntry, OrganizationState } from '../../../../../actors/domain/organization.ts';
import {
  applied,
  applyOf,
  decided,
  LOJA,
  NOW,
  named,
  problemsOf,
} from '../../../../support/actors/domain/organization-fixture.ts';
import { CLOUD } from '../../../../support/example-file.ts';

const LATER = NOW + 5_000;
const state = applied(LOJA);

/** The key that names the channel goes with it. */
const WITHOUT_SHOP = {
  channels: [{ ref: 'shop', remove: true }],
  keys: [{ ref: 'shop-key', remove: true }],
};

const problems = (lists: object, of: OrganizationState = state) =>
  problemsOf({ ref: 'loja', ...lists }, of);
const change = (lists: object, of: OrganizationState = state) =>
  applied({ ref: 'loja', ...lists }, of, LATER);

describe('members, tags and files', () => {
  it('a member’s e-mail stays, is replaced, or goes away by being empty', () => {
    const ana = named(state.members, 'ana');
    const { id, person } = ana;
    assert.deepEqual(ana, { id, ref: 'ana', name: 'Ana Souza', email: 'ana@example.com', person });
    const member = (entry: object) => change({ members: [{ ref: 'ana', ...entry }] }).members[0];
    assert.deepEqual(member({ name: 'Ana' }), { ...ana, name: 'Ana' });
    const emails = ['a@example.com', '', null].map((email) => member({ email })?.email);
    assert.deepEqual(emails, ['a@example.com', null, null]);
    assert.deepEqual(member({ remove: true }), { ...ana, removed: true });
    const [, bia] = change({ members: [{ ref: 'bia', name: 'Bia' }] }).members;
    assert.equal(bia?.email, null);
  });

  it('tags are one whatever their case, kept as first written', () => {
    const tags = (...entries: unknown[]) => {
      return decided(state, applyOf({ ref: 'loja', tags: entries })).tags;
    };
    assert.deepEqual(tags('VIP', 'Novo', 'novo'), { add: ['VIP', 'Novo'], remove: [] });
    const gone = { ref: 'Novo', remove: true };
    assert.deepEqual(tags('novo', gone), { add: [], remove: ['Novo'] }, 'the last word counts');
    assert.deepEqual(tags({ ref: 'ViP', remove: true }, 'vip'), { add: ['vip'], remove: [] });
    assert.equal(change({ tags: ['novo'] }), state, 'they are documents of their own');
  });

  it('a file’s content changes as a whole, its name by itself', () => {
    const logo = named(state.files, 'logo');
    const content = { contentDigest: 'cd'.repeat(32), sizeBytes: 99 };
    const file = (entry: object) => change({ files: [{ ref: 'logo', ...entry }] }).files[0];
    const digest = LOJA.files[0]?.contentDigest;
    const stored = { ref: 'logo', name: 'logo.png', mimeType: 'image/png', sizeBytes: 12 };
    const made = { contentDigest: digest, createdAt: NOW };
    assert.deepEqual(logo, { id: logo.id, ...stored, ...made });
    assert.deepEqual(file({ name: 'marca.png' }), { ...logo, name: 'marca.png' });
    assert.deepEqual(file({ ...content, mimeType: 'image/jpeg' }), {
      ...{ ...logo, ...content },
      mimeType: 'image/jpeg',
    });
    assert.deepEqual(file({ remove: true }), { ...logo, removed: true });
    for (const half of [{ contentDigest: content.contentDigest }, { sizeBytes: 99 }]) {
      assert.deepEqual(file(half), logo, 'a digest without its size is no content');
    }
    const [problem] = problems({ files: [{ ref: 'x', name: 'x', mimeType: 'text/plain' }] });
    assert.ok(problem?.startsWith('files.0.path'));
  });
});

describe('flows', () => {
  const welcome = named(state.flows, 'welcome');
  const flow = (entry: object) =>
    named(change({ flows: [{ ref: 'welcome', ...entry }] }).flows, 'welcome');

  it('keep what the file leaves out, and say when they changed', () => {
    assert.equal(welcome.updatedAt, NOW);
    const off = flow({ enabled: false });
    assert.deepEqual(off, { ...welcome, enabled: false, updatedAt: LATER });
    assert.equal(flow({ name: welcome.name, isMain: false }), welcome);
    assert.deepEqual(flow({ isMain: true }), { ...welcome, isMain: true, updatedAt: LATER });
    assert.deepEqual(flow({ triggers: [] }), { ...welcome, triggers: [], updatedAt: LATER });
    const gone = { ...welcome, removed: true, enabled: false, updatedAt: LATER };
    assert.deepEqual(flow({ remove: true }), gone);
  });

  it('are of a channel, which must be there, or of all', () => {
    const shop = named(state.channels, 'shop').id;
    const bound = change({ flows: [{ ref: 'welcome', channel: 'shop' }] });
    for (const [entry, channelId] of [
      [{}, shop],
      [{ name: 'Oi' }, shop],
      [{ channel: null }, null],
    ] as const) {
      const { flows } = change({ flows: [{ ref: 'welcome', ...entry }] }, bound);
      assert.equal(named(flows, 'welcome').channelId, channelId);
    }
    const gone = change(WITHOUT_SHOP);
    const wanted = { flows: [{ ref: 'welcome', channel: 'shop' }] };
    assert.deepEqual(problems(wanted, gone), [
      'flows.0.channel names no channel "shop"; there are: main',
    ]);
  });
});

describe('channels', () => {
  const main = named(state.channels, 'main');
  const channel = (entry: object, of = state) =>
    named(change({ channels: [{ ref: 'main', ...entry }] }, of).channels, 'main');
  const broken = {
    ...state,
    channels: state.channels.map((each) => ({ ...each, networkReady: false, networkReason: 'x' })),
  };

  it('have their network’s pace unless one is given, in one place', () => {
    const ofWeb = { perSecond: 2, pairBurst: 10, pairEveryMs: 2_000 };
    assert.deepEqual(named(state.channels, 'shop').pace, ofWeb);
    const pace = { pairEvery: '3s' };
    const every = { ...main.pace, pairEveryMs: 3_000 };
    assert.deepEqual(channel({ pace }), { ...main, pace: every });
    assert.deepEqual(channel({ network: { pace } }).pace, every);
    assert.deepEqual(channel({ pace: { pairBurst: 3 } }).pace, { ...main.pace, pairBurst: 3 });
    const twice = { channels: [{ ref: 'main', pace, network: { pace } }] };
    assert.deepEqual(problems(twice), ['channels.0.pace is given in network.pace as well']);
  });

  it('keep a restriction of their number until the number is another one', () => {
    const restriction = { until: null, holdsUntil: LATER };
    const channels = state.channels.map((each) => ({ ...each, restriction }));
    const kept = (entry: object) => channel(entry, { ...state, channels }).restriction;
    assert.deepEqual(kept({ label: 'Outro' }), restriction);
    assert.deepEqual(kept({ network: { accessToken: 'new' } }), restriction);
    assert.equal(kept({ phone: '+55 11 4000-9999' }), undefined);
  });

  it('are tried at once when number or settings change, and stay as they stand else', () => {
    const stands = (entry: object) => {
      const { networkReady, networkReason } = channel(entry, broken);
      return [networkReady, networkReason];
    };
    assert.deepEqual(stands({ label: 'Outro' }), [false, 'x']);
    assert.deepEqual(stands({ network: { ...CLOUD } }), [false, 'x']);
    assert.deepEqual(stands({ phone: '+55 11 4000-9999' }), [true, null]);
    assert.deepEqual(stands({ network: { phoneNumberId: '2' } }), [true, null]);
    assert.deepEqual(stands({ network: { accessToken: 'new' } }), [true, null]);
  });

  it('of another provider begin anew, with all that it requires', () => {
    const web = { baseUrl: 'sandbox', session: 's', apiKey: 'k', webhookSecret: 'w' };
    const moved = channel({ provider: 'web', network: web });
    assert.deepEqual(moved.network, { baseUrl: 'sandbox', session: 's' });
    assert.deepEqual(Object.keys(moved.secrets).sort(), ['apiKey', 'webhookSecret']);
    assert.equal(moved.pace.perSecond, 2);
    assert.equal(moved.createdAt, NOW);
    const bare = { channels: [{ ref: 'main', provider: 'web', network: { verifyToken: 'x' } }] };
    assert.deepEqual([...problems(bare)].sort(), [
      'channels.0.network.apiKey is required by the provider web',
      'channels.0.network.baseUrl is required by the provider web',
      'channels.0.network.session is required by the provider web',
      'channels.0.network.verifyToken is not a setting of the provider web',
      'channels.0.network.webhookSecret is required by the provider web',
    ]);
    const cloud = { channels: [{ ref: 'x', label: 'X', provider: 'cloud', phone: '1' }] };
    assert.deepEqual([...problems(cloud)].sort(), [
      'channels.0.network.accessToken is required by the provider cloud',
      'channels.0.network.appSecret is required by the provider cloud',
      'channels.0.network.phoneNumberId is required by the provider cloud',
      'channels.0.network.verifyToken is required by the provider cloud',
      'channels.0.phone is not a phone number',
    ]);
  });

  it('take an API version and a base URL, in clear', () => {
    const { network } = channel({ network: { apiVersion: 'v99.0', baseUrl: 'https://x.example' } });
    assert.deepEqual([network.apiVersion, network.baseUrl], ['v99.0', 'https://x.example']);
  });

  it('go away disabled, with their keys', () => {
    const gone = change(WITHOUT_SHOP);
    const shop = named(state.channels, 'shop');
    const retired = { ...shop, removed: true, enabled: false };
    assert.deepEqual(named(gone.channels, 'shop'), retired);
    assert.equal(named(gone.keys, 'shop-key').revokedAt, LATER);
    assert.equal(named(gone.keys, 'erp'), named(state.keys, 'erp'));
  });
});

describe('subscriptions', () => {
  it('only new and changed URLs are looked up, not those of what goes away', () => {
    const url = 'https://crm.example.com/hook';
    const urls = (entry: object, of: OrganizationState | null = state) =>
      urlsToCheck(of, { ref: 'loja', name: 'L', subscriptions: [{ ref: 'crm', ...entry }] });
    assert.deepEqual(urls({ url }), []);
    assert.deepEqual(urls({ url: `${url}/2` }), [`${url}/2`]);
    assert.deepEqual(urls({ url: `${url}/2`, remove: true }), []);
    assert.deepEqual(urls({}), []);
    const gone = change({ subscriptions: [{ ref: 'crm', remove: true }] });
    assert.deepEqual(urls({ url }, gone), [url], 'one that comes back');
    const crm = named(state.subscriptions, 'crm');
    assert.deepEqual(named(gone.subscriptions, 'crm'), { ...crm, removed: true, enabled: false });
  });

  it('each event is named once', () => {
    const events = ['message.read', 'message.sent', 'message.read'];
    const { subscriptions } = change({ subscriptions: [{ ref: 'crm', events }] });
    assert.deepEqual(subscriptions[0]?.events, ['message.read', 'message.sent']);
  });
});

it('the organization itself keeps what its file leaves out, each limit by itself', () => {
  const { limits, name, timeZone, country } = change({ limits: { perKey: 7 } });
  assert.deepEqual([limits, name], [{ perKey: 7, perOrg: 600 }, 'Loja Exemplo']);
  assert.deepEqual([timeZone, country], ['America/Sao_Paulo', 'BR']);
  assert.deepEqual(change({ limits: { perOrg: 8 } }).limits, { perKey: 120, perOrg: 8 });
  const moved = change({ timeZone: 'Europe/Lisbon', country: 'PT', name: 'L' });
  assert.deepEqual([moved.timeZone, moved.country, moved.name], ['Europe/Lisbon', 'PT', 'L']);
  const kept = change({ members: [{ ref: 'ana', name: 'Ana' }] }, moved);
  assert.deepEqual([kept.timeZone, kept.country], ['Europe/Lisbon', 'PT']);
  assert.deepEqual([kept.createdAt, kept.version], [NOW, state.version + 2]);
});

it('an entry that is new says what it has to name, each at its path', () => {
  const bare = (list: string) => problems({ [list]: [{ ref: 'new' }] });
  const required = (list: string, ...names: readonly string[]) =>
    names.map((name) => `${list}.0.${name} is required for a new entry`);
  assert.deepEqual(bare('members'), required('members', 'name'));
  assert.deepEqual(bare('channels'), required('channels', 'label', 'provider', 'phone'));
  assert.deepEqual(bare('keys'), required('keys', 'name', 'scope'));
  assert.deepEqual(bare('flows'), required('flows', 'name', 'steps'));
  assert.deepEqual(bare('files'), required('files', 'name', 'mimeType', 'path'));
  assert.deepEqual(bare('subscriptions'), required('subscriptions', 'url'));
});

describe('a file leaves what it cannot say', () => {
  function withMain(more: Partial<ChannelEntry>): OrganizationState {
    const state = applied(LOJA);
    const channels = state.channels.map((each) =>
      each.ref === 'main' ? { ...each, ...more } : each,
    );
    return { ...state, channels };
  }
  const changed = (of: OrganizationState, entry: object) =>
    named(change({ channels: [{ ref: 'main', ...entry }] }, of).channels, 'main');

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
      const anew = changed(before, { network: { accessToken: 'new' } });
      assert.deepEqual([anew.networkAnswered, anew.networkTrouble], [undefined, undefined]);
      assert.equal(anew.networkRevision, main.networkRevision + 1, 'other settings');
    }
  });

  it('about another number at the network: under new settings too, until it is confirmed', () => {
    const networkReason = 'A sessão está conectada a outro número.';
    const stands = { networkReady: false, networkReason, networkOtherNumber: true } as const;
    const before = withMain({ ...stands, networkAnswered: true });
    assert.equal(changed(before, { label: 'Outro' }).networkOtherNumber, true);
    const anew = changed(before, { phone: '+55 11 5555-4444' });
    assert.deepEqual([anew.networkReady, anew.networkOtherNumber], [true, true]);
  });

  it('about a member: since when it is disabled', () => {
    const state = applied(LOJA);
    const ana = { ...named(state.members, 'ana'), disabledAt: NOW };
    const before: OrganizationState = { ...state, members: [ana] };
    const { members } = change({ members: [{ ref: 'ana', name: 'Ana' }] }, before);
    assert.deepEqual(members, [{ ...ana, name: 'Ana' }]);
    assert.equal(change({ members: LOJA.members }, before), before);
    const active = change({ members: [{ ref: 'ana', name: 'Ana' }] }).members;
    assert.deepEqual(active, [{ ...named(state.members, 'ana'), name: 'Ana' }]);
  });
});
