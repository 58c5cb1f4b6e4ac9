/** Every package that the service is installed with is listed, and free to be used. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../../infra/tools/source.ts';
import { dependenciesOf, installed, nativePackages, tableOf, unfree } from './dependencies.ts';

test('every licence of a production dependency is known and free', () => {
  assert.ok(installed().length > 20, 'there are some');
  assert.deepEqual(unfree(installed()), []);
});

test('a licence that binds, and one that is not told, are seen', () => {
  const packages = {
    '': { version: '1.0.0', license: 'Apache-2.0' },
    'node_modules/bound': { version: '1.0.0', license: 'AGPL-3.0-only' },
    'node_modules/a/node_modules/silent': { version: '2.0.0' },
    'node_modules/tool': { version: '3.0.0', license: 'GPL-3.0', dev: true },
    'node_modules/good': { version: '4.0.0', license: 'MIT' },
  };
  const names = unfree(dependenciesOf({ packages })).map(({ name }) => name);
  assert.deepEqual(names, ['bound', 'silent']);
});

test('docs/security.md lists what is installed', () => {
  const page = readFileSync(join(ROOT, 'docs', 'security.md'), 'utf8');
  const table = tableOf(installed());
  assert.ok(page.includes(table), `docs/security.md, Dependencies, has to be:\n\n${table}\n`);
});

test('docs/security.md names every package with machine code', () => {
  const page = readFileSync(join(ROOT, 'docs', 'security.md'), 'utf8');
  const [, section = ''] = /### Native parts\n(.*?)\n##/s.exec(page) ?? [];
  const names = nativePackages();
  for (const some of ['@uwsjs/linux-x64-24', 'libc6', 'patchelf', 'nats-server']) {
    assert.ok(names.includes(some), some);
  }
  const unnamed = names.filter((name) => !section.includes(`\`${name}\``));
  assert.deepEqual(unnamed, []);
});
