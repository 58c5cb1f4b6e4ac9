import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseDuration } from '../../../../../../shared/provisioning/duration.ts';
import { readFile } from '../../../../../../shared/provisioning/file.ts';
import { stepIssues } from '../../../../../../shared/provisioning/flow.ts';

function pathsOf(raw: unknown): readonly string[] {
  return readFile(raw)
    .issues.map(({ path }) => path)
    .sort();
}

/** One entry of one organization, and the paths that are wrong with it. */
const TABLE: readonly (readonly [string, string, unknown, readonly string[]])[] = [
  ['an unknown property', 'members', { ref: 'a', nome: 'x', idade: 1 }, ['idade', 'nome']],
  ['an entry without ref', 'members', { name: 'x' }, ['ref']],
  ['an entry that is no object', 'keys', 'erp', ['']],
  ['a number for text', 'channels', { ref: 'a', phone: 551140001000 }, ['phone']],
  ['an unknown provider', 'channels', { ref: 'a', provider: 'sms' }, ['provider']],
  [
    'unknown and wrong network settings',
    'channels',
    { ref: 'a', network: { token: 'x', appSecret: '', baseUrl: 'ftp://x', apiVersion: '26' } },
    ['network.apiVersion', 'network.appSecret', 'network.baseUrl', 'network.token'],
  ],
  [
    'a pace out of bounds',
    'channels',
    { ref: 'a', pace: { perSecond: 0, pairBurst: 1.5, pairEvery: '6 seconds', every: 1 } },
    ['pace.every', 'pace.pairBurst', 'pace.pairEvery', 'pace.perSecond'],
  ],
  ['a token of 23 characters', 'keys', { ref: 'a', token: 'x'.repeat(23) }, ['token']],
  ['a token of 201 characters', 'keys', { ref: 'a', token: 'x'.repeat(201) }, ['token']],
  ['a token with a line break', 'keys', { ref: 'a', token: `${'x'.repeat(24)}\n` }, ['token']],
  ['a token of 24 characters', 'keys', { ref: 'a', token: '!'.repeat(24) }, []],
  ['a wrong e-mail', 'members', { ref: 'a', email: 'ana' }, ['email']],
  ['an empty tag', 'tags', '', ['']],
  ['a tag of 41 characters', 'tags', 'x'.repeat(41), ['']],
  ['an event that is not known', 'subscriptions', { ref: 'a', events: ['*', 'x'] }, ['events.1']],
  ['an extension event', 'subscriptions', { ref: 'a', events: ['message.read'] }, []],
  ['a URL that is none', 'subscriptions', { ref: 'a', url: 'crm' }, ['url']],
  ['a mime type that is none', 'files', { ref: 'a', mimeType: 'png' }, ['mimeType']],
  ['a trigger without on', 'flows', { ref: 'a', triggers: [{ tag: 'x' }] }, ['triggers.0.on']],
  ['a removed entry', 'flows', { ref: 'a', remove: true }, []],
  ['a remove that is no boolean', 'flows', { ref: 'a', remove: 'yes' }, ['remove']],
];

describe('provisioning file: every problem with its path', () => {
  for (const [title, list, entry, wrong] of TABLE) {
    it(`finds ${title}`, () => {
      const expected = wrong.map((path) => ['orgs.0', list, '0', path].filter(Boolean).join('.'));
      assert.deepEqual(pathsOf({ orgs: [{ ref: 'o', [list]: [entry] }] }), expected);
    });
  }

  it('finds what is wrong with the file as a whole', () => {
    assert.deepEqual(pathsOf(null), ['']);
    assert.deepEqual(pathsOf([]), ['orgs']);
    assert.deepEqual(pathsOf({}), ['orgs']);
    assert.deepEqual(pathsOf({ orgs: {} }), ['orgs']);
    assert.deepEqual(pathsOf({ orgs: [], org: 1 }), ['org']);
    assert.deepEqual(pathsOf({ orgs: ['x', { ref: 'a', keys: {} }] }), ['orgs.0', 'orgs.1.keys']);
  });

  it('finds an organization’s own mistakes beside those of its entries', () => {
    const limits = { perKey: 0, perOrg: 1_000_000_001, perMonth: 1 };
    const org = { ref: 'loja nova', timeZone: '+03:00', country: 'XX', limits, tags: [''] };
    const own = ['country', 'limits.perKey', 'limits.perMonth', 'limits.perOrg', 'ref', 'tags.0'];
    const expected = [...own, 'timeZone'].map((path) => `orgs.0.${path}`);
    assert.deepEqual(pathsOf({ orgs: [org] }), expected);
  });

  it('takes limits up to 1e9', () => {
    assert.deepEqual(pathsOf({ orgs: [{ ref: 'o', limits: { perKey: 1e9, perOrg: 1 } }] }), []);
  });

  it('finds refs and tokens used twice, also across organizations', () => {
    const token = 'x'.repeat(24);
    const orgs = [
      { ref: 'a', keys: [{ ref: 'k', token }, { ref: 'k' }] },
      { ref: 'a', keys: [{ ref: 'l', token }] },
    ];
    assert.deepEqual(pathsOf({ orgs }), ['orgs.0.keys.1.ref', 'orgs.1.keys.0.token', 'orgs.1.ref']);
  });
});

describe('provisioning file: a flow’s steps', () => {
  it('have ids of their own, a known action, and lead to steps that exist', () => {
    const options = [
      { label: 'x', next: 'a' },
      { label: 'y', next: 'q' },
    ];
    const issues = stepIssues([
      { id: 'a', do: 'send', next: 'b', onTimeout: 'nowhere' },
      { id: 'a', do: 'jump' },
      { do: 'end' },
      { id: 'b', do: 'choose', options },
      { id: 'c', do: 'http', body: { next: 'free' }, else: null, onError: 3 },
    ]);
    const paths = issues.map(({ path }) => path).sort();
    const expected = ['0.onTimeout', '1.do', '1.id', '2.id', '3.options.1.next', '4.onError'];
    assert.deepEqual(paths, expected);
  });
});

describe('provisioning file: words', () => {
  it('reads durations', () => {
    const read = ['250ms', '6s', '1.5m', '2h', '1d'].map(parseDuration);
    assert.deepEqual(read, [250, 6_000, 90_000, 7_200_000, 86_400_000]);
    assert.deepEqual(['6', 's', '-1s', '1 s', ''].map(parseDuration), Array(5).fill(null));
  });
});
