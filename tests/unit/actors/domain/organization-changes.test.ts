import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { NO_TAG_CHANGES } from '../../../../actors/domain/organization/tags.ts';
import { organizationChanges } from '../../../../actors/domain/organization/written.ts';
import { APPLY_CHANGE_VALUE_MAX_CHARS, APPLY_CHANGES_MAX } from '../../../../shared/limits.ts';
import { applied, LOJA } from '../../../support/actors/domain/organization-fixture.ts';

const stored = applied(LOJA);

/** Changes that the file would make, as `change path`. */
function told(organization: object) {
  return organizationChanges(
    stored,
    applied({ ref: 'loja', ...organization }, stored),
    NO_TAG_CHANGES,
  );
}

function paths(organization: object): readonly string[] {
  return told(organization).changes.map(({ change, path }) => `${change} ${path}`);
}

describe('what a provisioning file would change', () => {
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
    assert.deepEqual(
      changes.map(({ path, change, secret: isSecret }) => [change, path, isSecret]),
      [
        ['change', 'channels.main.network.accessToken', true],
        ['change', 'channels.main.network.appSecret', true],
        ['change', 'channels.shop.network.apiKey', true],
        ['change', 'keys.erp.token', true],
        ['change', 'subscriptions.crm.secret', true],
      ],
    );
    const text = JSON.stringify(changes);
    for (const each of [...secrets, 'another-token', 'sealed', 'before', 'after']) {
      assert.ok(!text.includes(each), each);
    }
  });

  it('knows steps by their ids, and tells another order of them', () => {
    const [hi, ask, done] = LOJA.flows[0]?.steps ?? [];
    const flow = (steps: unknown) => ({ flows: [{ ref: 'welcome', steps }] });
    assert.deepEqual(paths(flow([hi, { ...ask, timeout: '2h' }, done])), [
      'change flows.welcome.steps.ask.timeout',
    ]);
    assert.deepEqual(told(flow([hi, done, ask])).changes, [
      {
        path: 'flows.welcome.steps',
        list: 'flows',
        ref: 'welcome',
        change: 'change',
        before: ['hi', 'ask', 'done'],
        after: ['hi', 'done', 'ask'],
      },
    ]);
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

  it('clips values around their first difference, and counts rows behind the last one', () => {
    const text = (end: string) => `${'a'.repeat(1_000)}${end}${'b'.repeat(1_000)}`;
    const flow = (end: string) => ({
      flows: [
        { ref: 'long', name: 'L', steps: [{ id: 's', do: 'send', text: text(end), next: null }] },
      ],
    });
    const before = applied({ ref: 'loja', ...flow('1') }, stored);
    const after = applied({ ref: 'loja', ...flow('2') }, before);
    const [row] = organizationChanges(before, after, NO_TAG_CHANGES).changes;
    assert.match(String(row?.before), /^…a{20}1b+…$/);
    assert.match(String(row?.after), /^…a{20}2b+…$/);
    assert.equal(String(row?.after).length, APPLY_CHANGE_VALUE_MAX_CHARS + 2);
    const members = Array.from({ length: APPLY_CHANGES_MAX + 7 }, (_, n) => ({
      ref: `m${n}`,
      name: 'M',
    }));
    const many = told({ members });
    assert.deepEqual([many.changes.length, many.more], [APPLY_CHANGES_MAX, 7]);
  });
});
