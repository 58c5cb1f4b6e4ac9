import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { parse } from 'yaml';
import { decideApply } from '../../../../../../actors/domain/organization/apply.ts';
import { roleOf } from '../../../../../../actors/domain/organization.ts';
import {
  DESCRIPTIONS,
  definitions,
  provisioningSchema,
} from '../../../../../../infra/programs/cli/reference/json-schema.ts';
import { referencePage } from '../../../../../../infra/programs/cli/reference/page.ts';
import { ROOT } from '../../../../../../infra/tools/source.ts';
import { parseDuration } from '../../../../../../shared/provisioning/duration.ts';
import { readFile } from '../../../../../../shared/provisioning/file.ts';
import {
  applied,
  applyOf,
  contextAt,
  LOJA,
  NOW,
} from '../../../../../support/actors/domain/organization-fixture.ts';
import { CLOUD } from '../../../../../support/example-file.ts';

const COMMAND = 'npm run -s recado -- apply --reference > docs/provisioning.md';
const page = readFileSync(join(ROOT, 'docs/provisioning.md'), 'utf8');

const ajv = new Ajv({ strict: false, allErrors: true });
addFormats.default(ajv);
const isValid = ajv.addSchema(provisioningSchema(), 'recado').compile({ $ref: 'recado#' });

function wrongWith(file: unknown): string {
  return isValid(file) ? '' : JSON.stringify(isValid.errors);
}

/** Whole provisioning files of the pages, word for word. */
function writtenFiles(): readonly { page: string; text: string }[] {
  const names = readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md'));
  return ['README.md', ...names.map((name) => `docs/${name}`)].flatMap((name) =>
    [...readFileSync(join(ROOT, name), 'utf8').matchAll(/^```yaml\n([\s\S]*?)^```/gm)]
      .map(([, text = '']) => ({ page: name, text }))
      .filter(({ text }) => /^orgs:/m.test(text)),
  );
}

describe('the reference of the provisioning file', () => {
  it('is the page that the schema makes', () => {
    assert.ok(page === referencePage(), `docs/provisioning.md differs: ${COMMAND}`);
  });

  it('has words for every property of the schema, and for no other', () => {
    for (const [name, { properties = {} }] of Object.entries(definitions())) {
      const told = Object.keys(DESCRIPTIONS[name]?.properties ?? {});
      assert.deepEqual(told.toSorted(), Object.keys(properties).toSorted(), name);
    }
    assert.deepEqual(Object.keys(DESCRIPTIONS).toSorted(), Object.keys(definitions()).toSorted());
  });

  it('says of every property what leaving it out means', () => {
    for (const [name, { properties }] of Object.entries(DESCRIPTIONS)) {
      const { required = [] } = definitions()[name] ?? {};
      for (const [key, words] of Object.entries(properties)) {
        const ways = [required.includes(key), words.needed, words.without, 'default' in words];
        assert.equal(ways.filter(Boolean).length, 1, `${name}.${key}`);
      }
    }
  });

  it('gives examples that the schema takes', () => {
    for (const [name, { properties }] of Object.entries(DESCRIPTIONS)) {
      for (const [key, { example }] of Object.entries(properties)) {
        const check = ajv.getSchema(`recado#/definitions/${name}/properties/${key}`);
        assert.ok(check?.(example), `${name}.${key}: ${JSON.stringify(check?.errors)}`);
      }
    }
  });

  it('tells the defaults that a new entry takes', () => {
    const channel = { ref: 'c', label: 'C', phone: '11 4000-1000' };
    const org = applied({
      ...{ ref: 'o', name: 'O' },
      members: [{ ref: 'm', name: 'M' }],
      channels: [{ ...channel, provider: 'cloud', network: CLOUD }],
      flows: [{ ref: 'f', name: 'F', steps: [{ id: 'e', do: 'end' }] }],
      subscriptions: [{ ref: 's', url: 'https://crm.example.com/hook' }],
    });
    const [member] = org.members;
    assert.ok(member);
    const entries = {
      Organization: org,
      Member: { ...member, role: roleOf(member) },
      Channel: org.channels[0],
      Flow: { ...org.flows[0], channel: org.flows[0]?.channelId },
      Subscription: org.subscriptions[0],
    };
    for (const [name, entry] of Object.entries(entries)) {
      const properties = DESCRIPTIONS[name]?.properties ?? {};
      for (const [key, { default: value }] of Object.entries(properties)) {
        if (value === undefined || key === 'remove') continue;
        assert.deepEqual(Object.entries(entry ?? {}).find(([own]) => own === key)?.[1], value, key);
      }
    }
    const { perSecond, pairBurst, pairEveryMs } = org.channels[0]?.pace ?? {};
    const told = (key: string) =>
      /`cloud`: `?(\w+)/.exec(DESCRIPTIONS.Pace?.properties[key]?.without ?? '')?.[1];
    const counts = [Number(told('perSecond')), Number(told('pairBurst'))];
    const wait = parseDuration(told('pairEvery') ?? '');
    assert.deepEqual([...counts, wait], [perSecond, pairBurst, pairEveryMs]);
  });

  it('refuses a new entry without what it calls required', () => {
    const full: Record<string, unknown> = { Organization: LOJA };
    const lists = ['members', 'channels', 'keys', 'flows', 'files', 'subscriptions'] as const;
    for (const list of lists) {
      const name = `${list[0]?.toUpperCase()}${list.slice(1, -1)}`;
      full[name] = LOJA[list][0];
      for (const [key, { needed }] of Object.entries(DESCRIPTIONS[name]?.properties ?? {})) {
        if (!needed || key === 'path') continue;
        const { [key]: _gone, ...entry } = Object(LOJA[list][0]);
        const command = applyOf({ ref: 'o', name: 'O', [list]: [entry] });
        const decision = decideApply(null, command, contextAt(NOW));
        const paths = 'refused' in decision ? decision.refused.map(({ path }) => path) : [];
        assert.ok(paths.includes(`${list}.0.${key}`), `${name}.${key}`);
      }
    }
  });
});

describe('the JSON Schema of the provisioning file', () => {
  it('takes every whole file of the pages, each of which names it in its first line', () => {
    const files = writtenFiles();
    assert.ok(files.length >= 3);
    for (const { page: name, text } of files) {
      assert.match(text, /^# yaml-language-server: \$schema=recado\.schema\.json\n/, name);
      assert.equal(wrongWith(parse(text)), '', name);
      assert.deepEqual(readFile(parse(text)).issues, [], name);
    }
    assert.equal(wrongWith({ $schema: './recado.schema.json', orgs: [] }), '');
    const demo = readFileSync(
      join(ROOT, 'infra/programs/service/supervisor/demo/demo.yaml'),
      'utf8',
    );
    assert.equal(wrongWith(parse(demo)), '');
  });

  it('refuses what apply refuses: names, types, choices, bounds, a provider’s settings', () => {
    const channel = { ref: 'c', provider: 'web' };
    for (const org of [
      {},
      { ref: 'o', timezone: 'UTC' },
      { ref: 'o', name: '' },
      { ref: 'o', name: 'x'.repeat(121) },
      { ref: 'o', limits: { perKey: 0 } },
      { ref: 'o', tags: [1] },
      { ref: 'o', channels: [{ ...channel, provider: 'sms' }] },
      { ref: 'o', channels: [{ ...channel, network: { accessToken: 't' } }] },
      { ref: 'o', channels: [{ ...channel, pace: { pairEvery: '6 seconds' } }] },
      { ref: 'o', subscriptions: [{ ref: 's', events: ['deal.win'] }] },
      { ref: 'o', files: [{ ref: 'f', contentDigest: 'ab'.repeat(32) }] },
      { ref: 'o', flows: [{ ref: 'f', steps: [{ id: 'a', do: 'sned', next: null }] }] },
      { ref: 'o', flows: [{ ref: 'f', steps: [{ id: 'a', do: 'send', text: 'x' }] }] },
      { ref: 'o', flows: [{ ref: 'f', triggers: [{ on: 'tag' }] }] },
    ]) {
      assert.notEqual(wrongWith({ orgs: [org] }), '', JSON.stringify(org));
    }
  });
});
