/** Rows of `recado apply --diff`: what is added, removed and changed, and where. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { FlowEntry, OrganizationState } from '../../../../actors/domain/organization/state.ts';
import { NO_TAG_CHANGES } from '../../../../actors/domain/organization/tags.ts';
import {
  exportOrganization,
  organizationChanges,
} from '../../../../actors/domain/organization/written.ts';
import type { AppliedChange } from '../../../../shared/provisioning/commands.ts';
import { applied, LOJA, NOW, named } from '../../../support/actors/domain/organization-fixture.ts';
import { CLOUD } from '../../../support/example-file.ts';

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
      assert.deepEqual(
        rows({ [list]: [entry] }),
        [{ path: `${list}.${path}`, list, ref, change: 'change', before, after }],
        path,
      );
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

describe('an export', () => {
  it('says the limits and the entries as the file has them', () => {
    const { limits, members, files, subscriptions } = exportOrganization(stored);
    assert.deepEqual(limits, LOJA.limits);
    assert.deepEqual(members, [{ ...LOJA.members[0], role: 'attendant' }]);
    assert.deepEqual(files, [{ ref: 'logo', name: 'logo.png', mimeType: 'image/png' }]);
    assert.deepEqual(subscriptions, [{ ...LOJA.subscriptions[0], enabled: true }]);
  });
});
