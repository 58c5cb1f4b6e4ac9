/** Rows of `recado apply --diff`, their values, and the export of an organization (D181). */
import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import fc from 'fast-check';
import { parse, stringify } from 'yaml';
import { decideApply } from '../../../../../actors/domain/organization/apply.ts';
import { decideOrganization } from '../../../../../actors/domain/organization/decide.ts';
import {
  exportOrganization,
  organizationChanges,
} from '../../../../../actors/domain/organization/written.ts';
import type { FlowEntry, OrganizationState } from '../../../../../actors/domain/organization.ts';
import { NO_TAG_CHANGES } from '../../../../../actors/domain/tags.ts';
import {
  APPLY_CHANGES_MAX,
  APPLY_CHANGE_VALUE_MAX_CHARS as MAX,
} from '../../../../../shared/limits.ts';
import type { AppliedChange } from '../../../../../shared/provisioning/commands.ts';
import { STEP_ACTIONS } from '../../../../../shared/provisioning/flow-steps.ts';
import { readOrganization } from '../../../../../shared/provisioning/organization.ts';
import {
  channelSchema,
  fileSchema,
  flowSchema,
  keySchema,
  memberSchema,
  organizationSchema,
  subscriptionSchema,
} from '../../../../../shared/provisioning/schema.ts';
import {
  applied,
  applyOf,
  contextAt,
  LOJA,
  NOW,
  named,
} from '../../../../support/actors/domain/organization-fixture.ts';
import { CLOUD } from '../../../../support/example-file.ts';
import { pluck } from '../../../../support/pluck.ts';
import { withRuns } from '../../../../support/property.ts';
import { FULL, organizationArb, SECRET } from './organization-arb.ts';

const stored = applied(LOJA);

/** Rows of an `apply` of these lists and properties. */
function rows(organization: object, before = stored): readonly AppliedChange[] {
  const after = applied({ ref: 'loja', ...organization }, before);
  return organizationChanges(before, after, NO_TAG_CHANGES).changes;
}

function paths(organization: object, before = stored): readonly string[] {
  return rows(organization, before).map(({ change, path }) => `${change} ${path}`);
}

/** Rows between two lists of steps of the flow `welcome`. */
function ofSteps(before: FlowEntry['steps'], after: FlowEntry['steps']) {
  const withSteps = (steps: FlowEntry['steps']): OrganizationState => ({
    ...stored,
    flows: stored.flows.map((flow) => ({ ...flow, steps })),
  });
  return organizationChanges(withSteps(before), withSteps(after), NO_TAG_CHANGES).changes;
}

describe('rows about the organization itself', () => {
  it('a new one is one row, before those of its entries and tags', () => {
    const after = applied({ ref: 'loja', name: 'Loja', members: LOJA.members });
    const tags = { add: ['vip'], remove: [] };
    assert.deepEqual(organizationChanges(null, after, tags), {
      changes: [
        { path: '', list: null, ref: null, change: 'add' },
        { path: 'members.ana', list: 'members', ref: 'ana', change: 'add' },
        { path: 'tags.vip', list: 'tags', ref: 'vip', change: 'add' },
      ],
      more: 0,
    });
  });

  it('one that was removed comes back as a new one', () => {
    const gone = applied({ ref: 'loja', remove: true }, stored);
    const [first] = rows({ name: 'Loja' }, gone);
    assert.deepEqual(first, { path: '', list: null, ref: null, change: 'add' });
  });

  it('its own properties have the path of their names', () => {
    assert.deepEqual(rows({ name: 'Outra', limits: { perKey: 60 } }), [
      { path: 'name', list: null, ref: null, change: 'change', before: LOJA.name, after: 'Outra' },
      { path: 'limits.perKey', list: null, ref: null, change: 'change', before: 120, after: 60 },
    ]);
  });

  it('tags that come are told before those that go', () => {
    const tags = { add: ['novo', 'vip'], remove: ['velho'] };
    assert.deepEqual(organizationChanges(stored, stored, tags), {
      changes: [
        { path: 'tags.novo', list: 'tags', ref: 'novo', change: 'add' },
        { path: 'tags.vip', list: 'tags', ref: 'vip', change: 'add' },
        { path: 'tags.velho', list: 'tags', ref: 'velho', change: 'remove' },
      ],
      more: 0,
    });
  });
});

describe('rows about an entry', () => {
  it('each property of a member, a channel, a file and a subscription', () => {
    const digest = 'cd'.repeat(32);
    const table: readonly (readonly [string, object, string, unknown, unknown])[] = [
      ['members', { ref: 'ana', name: 'Ana' }, 'ana.name', 'Ana Souza', 'Ana'],
      ['members', { ref: 'ana', email: 'a@b.co' }, 'ana.email', 'ana@example.com', 'a@b.co'],
      ['members', { ref: 'ana', role: 'admin' }, 'ana.role', 'attendant', 'admin'],
      ['channels', { ref: 'main', label: 'Loja' }, 'main.label', 'Atendimento', 'Loja'],
      ['channels', { ref: 'main', enabled: false }, 'main.enabled', true, false],
      ['files', { ref: 'logo', name: 'l.png' }, 'logo.name', 'logo.png', 'l.png'],
      ['files', { ref: 'logo', mimeType: 'image/gif' }, 'logo.mimeType', 'image/png', 'image/gif'],
      ['subscriptions', { ref: 'crm', enabled: false }, 'crm.enabled', true, false],
    ];
    for (const [list, entry, path, before, after] of table) {
      const [ref] = path.split('.');
      const row = { path: `${list}.${path}`, list, ref, change: 'change', before, after };
      assert.deepEqual(rows({ [list]: [entry] }), [row], path);
    }
    const content = { ref: 'logo', contentDigest: digest, sizeBytes: 13, mimeType: 'image/png' };
    assert.deepEqual(paths({ files: [content] }), [
      'change files.logo.sizeBytes',
      'change files.logo.content',
    ]);
  });

  it('plain network settings are told with their values', () => {
    const network = { ...CLOUD, phoneNumberId: '1002' };
    assert.deepEqual(rows({ channels: [{ ref: 'main', network }] }), [
      {
        ...{ path: 'channels.main.network.phoneNumberId', list: 'channels', ref: 'main' },
        ...{ change: 'change', before: '1001', after: '1002' },
      },
    ]);
  });

  it('one that comes or goes is one row without its properties', () => {
    const bia = { ref: 'bia', name: 'Bia' };
    assert.deepEqual(rows({ members: [bia, { ref: 'ana', remove: true }] }), [
      { path: 'members.ana', list: 'members', ref: 'ana', change: 'remove' },
      { path: 'members.bia', list: 'members', ref: 'bia', change: 'add' },
    ]);
  });

  it('a key is there while it is live', () => {
    const [erp, shop] = [named(stored.keys, 'erp'), named(stored.keys, 'shop-key')];
    const revoked = { ...stored, keys: [{ ...erp, revokedAt: NOW }, shop] };
    assert.deepEqual(organizationChanges(stored, revoked, NO_TAG_CHANGES).changes, [
      { path: 'keys.erp', list: 'keys', ref: 'erp', change: 'remove' },
    ]);
    const token = 'another-token-of-theirs-1';
    assert.deepEqual(paths({ keys: [{ ref: 'erp', token }] }, revoked), ['add keys.erp']);
  });
});

describe('rows about secrets', () => {
  it('one that comes or goes is told as one that changes, without a value', () => {
    const main = named(stored.channels, 'main');
    const { appSecret, ...others } = main.secrets;
    const without = {
      ...stored,
      channels: stored.channels.map((each) =>
        each === main ? { ...main, secrets: others } : each,
      ),
    };
    const row = {
      ...{ path: 'channels.main.network.appSecret', list: 'channels', ref: 'main' },
      ...{ change: 'change', secret: true },
    };
    assert.ok(appSecret);
    assert.deepEqual(organizationChanges(without, stored, NO_TAG_CHANGES).changes, [row]);
    assert.deepEqual(organizationChanges(stored, without, NO_TAG_CHANGES).changes, [row]);
  });

  it('a subscription’s secret is its newest one', () => {
    const withSecrets = (...sealed: readonly string[]): OrganizationState => ({
      ...stored,
      subscriptions: stored.subscriptions.map((each) => ({
        ...each,
        secrets: sealed.map((text, age) => ({ sealed: text, until: age === 0 ? null : NOW })),
      })),
    });
    const between = (before: OrganizationState, after: OrganizationState) =>
      organizationChanges(before, after, NO_TAG_CHANGES).changes.map(({ path }) => path);
    assert.deepEqual(between(withSecrets('new', 'old'), withSecrets('new')), []);
    assert.deepEqual(between(withSecrets('one', 'old'), withSecrets('two', 'old')), [
      'subscriptions.crm.secret',
    ]);
  });
});

describe('rows about the steps of a flow', () => {
  const [hi, ask, done] = [{ id: 'hi' }, { id: 'ask' }, { id: 'done' }];
  const place = { path: 'flows.welcome.steps', list: 'flows', ref: 'welcome' };
  const at = (path: string) => ({ ...place, path: `${place.path}.${path}` });

  it('a step that comes or goes between the others leaves their order as it was', () => {
    assert.deepEqual(ofSteps([hi, done], [hi, ask, done]), [{ ...at('ask'), change: 'add' }]);
    assert.deepEqual(ofSteps([hi, ask, done], [hi, done]), [{ ...at('ask'), change: 'remove' }]);
  });

  it('a new order is told after what changes in the steps', () => {
    assert.deepEqual(ofSteps([hi, ask], [{ ...ask, timeout: '1h' }, hi]), [
      { ...at('ask.timeout'), change: 'change', before: null, after: '1h' },
      { ...place, change: 'change', before: ['hi', 'ask'], after: ['ask', 'hi'] },
    ]);
  });

  it('a property that a step no longer has is null after it', () => {
    assert.deepEqual(ofSteps([{ ...ask, timeout: '1h' }], [ask]), [
      { ...at('ask.timeout'), change: 'change', before: '1h', after: null },
    ]);
  });

  it('a list without ids of their own for all items is told whole', () => {
    const table: readonly (readonly [unknown[], unknown[]])[] = [
      [['a'], ['b']],
      [[], ['b']],
      [[null], [{ id: 'x' }]],
      [
        [{ id: 'x' }, { name: 'n' }],
        [{ id: 'x' }, { name: 'm' }],
      ],
      [
        [{ id: 'x' }, { id: 'x' }],
        [{ id: 'x', more: 1 }, { id: 'x' }],
      ],
      [[{ id: 1 }], [{ id: 2 }]],
    ];
    for (const [before, after] of table) {
      assert.deepEqual(ofSteps([{ ...hi, options: before }], [{ ...hi, options: after }]), [
        { ...at('hi.options'), change: 'change', before, after },
      ]);
    }
  });
});

/** Changes that the file would make, as `change path`. */
function told(organization: object) {
  const after = applied({ ref: 'loja', ...organization }, stored);
  return organizationChanges(stored, after, NO_TAG_CHANGES);
}

describe('what a provisioning file would change', () => {
  it('has 500 rows at most, and counts those behind the last one', () => {
    const flows = Array.from({ length: APPLY_CHANGES_MAX + 7 }, (_, n) => {
      return { ref: `f${n}`, name: 'F', steps: [{ id: 'end', do: 'end' }] };
    });
    const many = told({ flows });
    assert.deepEqual([many.changes.length, many.more], [APPLY_CHANGES_MAX, 7]);
  });

  it('is nothing where the file says what is stored', () => {
    assert.deepEqual(told(LOJA), { changes: [], more: 0 });
  });

  it('tells that a secret changes, and never the secret', () => {
    const [cloud, web] = LOJA.channels;
    const secrets = ['other-token', 'other-app-secret', 'other-api-key', 'other-signing-secret'];
    const [accessToken, appSecret, apiKey, secret] = secrets;
    const { changes } = told({
      channels: [
        { ref: 'main', network: { ...cloud?.network, accessToken, appSecret } },
        { ref: 'shop', network: { ...web?.network, apiKey } },
      ],
      keys: [{ ref: 'erp', token: 'another-token-of-the-caller-1' }],
      subscriptions: [{ ref: 'crm', secret }],
    });
    assert.deepEqual(pluck(changes, 'path'), [
      ...['channels.main.network.accessToken', 'channels.main.network.appSecret'],
      ...['channels.shop.network.apiKey', 'keys.erp.token', 'subscriptions.crm.secret'],
    ]);
    assert.ok(changes.every((each) => each.change === 'change' && each.secret === true));
    const text = JSON.stringify(changes);
    for (const each of [...secrets, 'another-token', 'sealed', 'before', 'after']) {
      assert.ok(!text.includes(each), each);
    }
  });

  it('names channels by their refs and durations as they are written', () => {
    const { changes } = told({
      keys: [{ ref: 'shop-key', channel: 'main' }],
      channels: [{ ref: 'main', pace: { pairEvery: '1500ms' } }],
    });
    assert.deepEqual(
      changes.map(({ path, before, after }) => [path, before, after]),
      [
        ['channels.main.pace.pairEvery', '6s', '1500ms'],
        ['keys.shop-key.channel', 'shop', 'main'],
      ],
    );
  });

  it('tells an organization that goes in one row, and what goes with a channel', () => {
    const gone = applied({ ref: 'loja', remove: true }, stored);
    assert.deepEqual(organizationChanges(stored, gone, NO_TAG_CHANGES), {
      changes: [{ path: '', list: null, ref: null, change: 'remove' }],
      more: 0,
    });
    const shop = [{ ref: 'shop', remove: true }];
    const key = [{ ref: 'shop-key', remove: true }];
    assert.deepEqual(paths({ channels: shop, keys: key }), [
      'remove channels.shop',
      'remove keys.shop-key',
    ]);
    assert.deepEqual(organizationChanges(null, null, NO_TAG_CHANGES), { changes: [], more: 0 });
  });
});

/** Both values as they are shown where a step's property changes from one to the other. */
function shown(before: unknown, after: unknown): readonly unknown[] {
  const having = (text: unknown): OrganizationState => ({
    ...stored,
    flows: stored.flows.map((flow) => ({ ...flow, steps: [{ id: 'hi', text }] })),
  });
  const { changes } = organizationChanges(having(before), having(after), NO_TAG_CHANGES);
  assert.equal(changes.length, 1);
  return [changes[0]?.before, changes[0]?.after];
}

const a = (count: number) => 'a'.repeat(count);
const b = (count: number) => 'b'.repeat(count);

describe('a value that changes', () => {
  it('is shown whole up to the bound, wherever the difference is', () => {
    const [before, after] = [`${a(100)}1${b(MAX - 101)}`, `${a(100)}2${b(MAX - 101)}`];
    assert.equal(before.length, MAX);
    assert.deepEqual(shown(before, after), [before, after]);
  });

  it('is counted in characters, not in their halves', () => {
    const emojis = '😀'.repeat(MAX - 1);
    assert.deepEqual(shown(`${emojis}1`, `${emojis}2`), [`${emojis}1`, `${emojis}2`]);
    assert.deepEqual(shown('', `${emojis}12`), ['', `${emojis}1…`]);
  });

  it('is cut at its end alone where it differs within the first 20 characters', () => {
    for (const same of [0, 1, 19, 20]) {
      const text = (mark: string) => `${a(same)}${mark}${b(MAX)}`;
      assert.deepEqual(
        shown(text('1'), text('2')),
        ['1', '2'].map((mark) => `${a(same)}${mark}${b(MAX - same - 1)}…`),
        String(same),
      );
    }
  });

  it('begins with 20 characters of what is the same behind that', () => {
    const text = (mark: string) => `${a(21)}${mark}${b(MAX)}`;
    assert.deepEqual(
      shown(text('1'), text('2')),
      ['1', '2'].map((mark) => `…${a(20)}${mark}${b(MAX - 21)}…`),
    );
  });

  it('is cut at its beginning alone where its end is near', () => {
    const text = (mark: string, end: number) => `${a(MAX)}${mark}${b(end)}`;
    for (const end of [0, 50, MAX - 21]) {
      assert.deepEqual(
        shown(text('1', end), text('2', end)),
        ['1', '2'].map((mark) => `…${a(20)}${mark}${b(end)}`),
        String(end),
      );
    }
  });

  it('begins before what is added to its end', () => {
    const before = a(MAX + 100);
    assert.deepEqual(shown(before, `${before}bc`), [`…${a(20)}`, `…${a(20)}bc`]);
    assert.deepEqual(shown(`${before}bc`, before), [`…${a(20)}bc`, `…${a(20)}`]);
  });

  it('begins with its first character where it is no text, or was none', () => {
    const list = Array.from({ length: MAX }, () => 1);
    assert.deepEqual(shown([0], list), [[0], `${JSON.stringify(list).slice(0, MAX)}…`]);
    assert.deepEqual(shown(undefined, a(MAX + 1)), [null, `${a(MAX)}…`]);
    assert.deepEqual(shown(a(MAX + 1), undefined), [`${a(MAX)}…`, null]);
  });
});

const LATER = NOW + 86_400_000;

/** The output of the command line, read as it reads a file. */
function exported(state: OrganizationState): { readonly text: string; readonly raw: unknown } {
  const text = stringify(exportOrganization(state), { aliasDuplicateObjects: false });
  return { text, raw: parse(text, { maxAliasCount: 0 }) };
}

function assertUnchanged(state: OrganizationState): void {
  const { text, raw } = exported(state);
  assert.deepEqual(readOrganization(raw).issues, []);
  const decision = decideApply(state, applyOf(raw), contextAt(LATER, {}, ['vip']));
  assert.ok('accepted' in decision, JSON.stringify(decision));
  assert.equal(decision.accepted, state, 'the very same state');
  assert.deepEqual([decision.claims, decision.releases], [[], []]);
  assert.doesNotMatch(text, new RegExp(SECRET));
}

test('an export says the limits and the entries as the file has them', () => {
  const { limits, members, files, subscriptions } = exportOrganization(stored);
  assert.deepEqual(limits, LOJA.limits);
  assert.deepEqual(members, [{ ...LOJA.members[0], role: 'attendant' }]);
  assert.deepEqual(files, [{ ref: 'logo', name: 'logo.png', mimeType: 'image/png' }]);
  assert.deepEqual(subscriptions, [{ ...LOJA.subscriptions[0], enabled: true }]);
});

test('an export that is applied changes nothing, and holds no secret', () => {
  withRuns(60)([organizationArb], (organization) => assertUnchanged(applied(organization)));
});

/** Changes to an organization by others than the file. */
function livedIn(state: OrganizationState): OrganizationState {
  const head = { id: 'key_by_hand', type: 'keys.create', seed: 'x'.repeat(32) } as const;
  const order = { ...head, name: 'By hand', scope: 'account' };
  const made = decideOrganization(state, order, contextAt(NOW)).next;
  assert.ok(made);
  const [first] = made.keys;
  const [gone] = made.channels;
  return {
    ...made,
    keys: made.keys.map((key) => (key === first ? { ...key, revokedAt: NOW } : key)),
    channels: made.channels.map((channel) =>
      channel === gone ? { ...channel, networkReady: false, networkReason: 'Sem sinal.' } : channel,
    ),
    subscriptions: made.subscriptions.map((each) => ({
      ...each,
      enabled: false,
      disabledReason: 'gone',
      secrets: [...each.secrets, { sealed: 'sealed old', until: LATER }],
    })),
  };
}

test('nor does an export of an organization that was used, and of which much was removed', () => {
  withRuns(25)([organizationArb, fc.infiniteStream(fc.boolean())], (organization, chances) => {
    const state = livedIn(applied(organization));
    const chance = (): boolean => chances.next().value;
    const removals = (entries: readonly { readonly ref: string }[]) =>
      entries.flatMap(({ ref }) => (chance() ? [{ ref, remove: true }] : []));
    const without = {
      ref: state.ref,
      // Flows and keys go whole: entries that one of them names cannot go before it.
      keys: state.keys
        .filter(({ id, ref }) => id !== ref)
        .map(({ ref }) => ({ ref, remove: true })),
      flows: state.flows.map(({ ref }) => ({ ref, remove: true })),
      files: removals(state.files),
      subscriptions: removals(state.subscriptions),
      channels: removals(state.channels),
      members: removals(state.members),
    };
    assertUnchanged(state);
    assertUnchanged(applied(without, state));
  });
});

const LEFT_OUT = {
  head: ['remove', 'tags'],
  members: ['remove'],
  channels: ['remove'],
  keys: ['remove', 'token'],
  flows: ['remove'],
  files: ['remove', 'path', 'contentDigest', 'sizeBytes'],
  subscriptions: ['remove', 'secret'],
};

test('an export holds every property that the schema knows', () => {
  const whole = { ...exportOrganization(applied(FULL)) } as Record<string, unknown>;
  const told = (list: string): string[] => {
    const entries = list === 'head' ? [whole] : (whole[list] as readonly object[]);
    return [...new Set(entries.flatMap((entry) => Object.keys(entry)))];
  };
  const known = {
    head: organizationSchema.entries,
    members: memberSchema.entries,
    channels: channelSchema.entries,
    keys: keySchema.entries,
    flows: flowSchema.pipe[0].entries,
    files: fileSchema.entries,
    subscriptions: subscriptionSchema.entries,
  };
  for (const [list, left] of Object.entries(LEFT_OUT)) {
    const names = Object.keys(known[list as keyof typeof known]);
    assert.deepEqual([...told(list), ...left].sort(), names.sort(), list);
  }
  const steps = applied(FULL).flows.flatMap(({ steps }) => steps.map((step) => String(step.do)));
  assert.deepEqual([...new Set(steps)].sort(), [...STEP_ACTIONS].sort());
});

test('a flow that names what is no more is exported, and applied as it is', () => {
  const state = applied(FULL);
  assertUnchanged({ ...state, members: state.members.map((each) => ({ ...each, removed: true })) });
});

test('an address that names a password is left out whole, and stays', () => {
  const bridge = 'http://user:SECRET-password@bridge.example:3000';
  const channel = {
    ...{ ref: 'web', label: 'Web', provider: 'web', phone: '+55 11 4000-2000' },
    network: { baseUrl: bridge, session: 's', apiKey: 'k', webhookSecret: 'w' },
  };
  const state = applied({ ref: 'loja', name: 'Loja', channels: [channel] });
  assert.equal(state.channels[0]?.network.baseUrl, bridge);
  assertUnchanged(state);
});
