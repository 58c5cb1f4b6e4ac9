/** The version of Recado is one number, wherever it is read (C9.2). */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import * as v from 'valibot';
import { buildDocument } from '../../gateway/openapi/document.ts';
import { ROOT } from '../../infra/tools/source.ts';
import { VERSION } from '../../shared/version.ts';

const Versioned = v.object({ version: v.string() });

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

test('package, lock file, API description, metrics and changelog have one version', () => {
  const lock = v.parse(
    v.object({ version: v.string(), packages: v.looseObject({ '': Versioned }) }),
    JSON.parse(read('package-lock.json')),
  );
  const document = v.parse(
    v.object({ info: Versioned }),
    JSON.parse(buildDocument([], 'https://api.example.com')),
  );
  const [, newest] = /^## (\S+)/m.exec(read('CHANGELOG.md')) ?? [];
  const versions = {
    package: v.parse(Versioned, JSON.parse(read('package.json'))).version,
    lock: lock.version,
    root: lock.packages[''].version,
    openapi: document.info.version,
    code: VERSION,
    changelog: newest,
  };
  assert.deepEqual([...new Set(Object.values(versions))], ['1.0.0'], JSON.stringify(versions));
});

test('the pages name no release that is older', () => {
  const page = read('docs/operations.md');
  const named = [...page.matchAll(/\/opt\/recado\/(\d+\.\d+\.\d+)/g)].map(([, number]) => number);
  assert.ok(named.includes(VERSION));
  assert.ok(named.every((number) => String(number) >= VERSION));
});
