/** The packed client, as its user installs it, against the service. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { freshPhone } from '../support/api.ts';
import { type Organization, organizations } from '../support/organization.ts';
import { shareStack } from '../support/shared-stack.ts';
import type { Stack } from '../support/stack.ts';
import { emptyProject, type Project } from './installed.ts';
import { MISUSES, PROGRAM } from './program.ts';

const PACKAGE_MAX_BYTES = 64 * 1024;

let stack: Stack;
let shop: Organization;
let project: Project;

before(async () => {
  stack = await shareStack();
  ({ shop } = await organizations(stack, { shop: {} }));
  project = emptyProject();
});
after(async () => {
  project?.remove();
  await stack?.stop();
});

test('npm installs it from the service, and nothing beside it', async (context) => {
  const address = `${stack.baseUrl}/docs/recado-client.tgz`;
  const response = await fetch(address);
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('content-type'), 'application/gzip');
  const { byteLength } = await response.arrayBuffer();
  context.diagnostic(`recado-client.tgz: ${byteLength} bytes`);
  assert.ok(byteLength < PACKAGE_MAX_BYTES, `${byteLength} bytes`);
  await project.install(address);
  const modules = readdirSync(join(project.folder, 'node_modules'));
  assert.deepEqual(
    modules.filter((name) => !name.startsWith('.')),
    ['recado-client'],
  );
});

test('a strict compiler accepts its use, and refuses its misuse', () => {
  project.write('program.ts', PROGRAM);
  project.write('misuses.ts', MISUSES);
  assert.equal(project.typeErrors(), '');
});

test('it calls, pages, hears events, and tells refusals', async () => {
  const phones = [freshPhone(), freshPhone()];
  const [PHONE = '', OTHER_PHONE = ''] = phones;
  const printed = await project.run('program.ts', {
    ...{ BASE_URL: stack.baseUrl, API_KEY: shop.key, CHANNEL_ID: shop.main, PHONE, OTHER_PHONE },
  });
  const { texts, titles, ...told } = JSON.parse(printed);
  assert.deepEqual(told, {
    scope: 'account',
    channels: [shop.main, shop.shop],
    created: true,
    same: true,
    paged: phones.sort(),
    won: 'won',
    closed: 409,
    issues: ['phone'],
    inbound: false,
    ready: true,
  });
  assert.deepEqual(new Set(texts), new Set(['Olá!', null]));
  assert.deepEqual(new Set(titles), new Set(['Plano', null]));
});
