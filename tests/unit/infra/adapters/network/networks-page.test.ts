/** docs/networks.md: its files are taken, its session passes the check, its table is whole. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { parse } from 'yaml';
import { tellStep } from '../../../../../infra/programs/cli/organization/channel-step-sentences.ts';
import { CHECK_STEPS } from '../../../../../shared/channel-check.ts';
import { readFile } from '../../../../../shared/provisioning/file.ts';
import { ok, useBridge } from '../../../../support/stand-ins/bridge.ts';

const PAGE = readFileSync(new URL('../../../../../docs/networks.md', import.meta.url), 'utf8');

const bridge = useBridge('the suite');

function blocks(language: string): readonly string[] {
  const found = PAGE.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'));
  return [...found].map(([, text = '']) => text);
}

test('both provisioning files are taken as they stand there', () => {
  const files = blocks('yaml').filter((text) => /^orgs:/m.test(text));
  assert.equal(files.length, 2);
  for (const text of files) {
    const { issues, organizations } = readFile(parse(text));
    assert.deepEqual(issues, []);
    assert.equal(organizations.length, 1);
  }
});

test('the session of the page fails no step', async () => {
  const [session] = blocks('json').map((text) => JSON.parse(text));
  const url = `${bridge.url}/hook`;
  const [hook] = session.config.webhooks;
  const webhooks = [{ ...hook, url, hmac: { key: 'hook-secret' } }];
  bridge.answers = ({ path }) =>
    path === '/hook'
      ? ok({ data: { received: true } })
      : ok({ name: 'shop', status: 'WORKING', config: { ...session.config, webhooks } });
  const findings = (await bridge.driver.check?.(bridge.channel, url)) ?? [];
  const failed = findings.filter((finding) => finding.ok !== true);
  assert.deepEqual(failed, []);
  assert.ok(
    !findings.some(({ detail }) => tellStep(detail).includes('without')),
    'no event is missing',
  );
});

test('the table tells of every step, in the order of the check', () => {
  const [, section = ''] = /## Is it connected\?(.*?)## A Meta account/s.exec(PAGE) ?? [];
  const rows = [...section.matchAll(/^\| `(\w+)` \|/gm)].map(([, step]) => step);
  assert.deepEqual(rows, CHECK_STEPS);
  const sample = [...section.matchAll(/^(\w+) +(?:ok|NOT OK) /gm)].map(([, step]) => step);
  assert.deepEqual(sample, CHECK_STEPS);
});
