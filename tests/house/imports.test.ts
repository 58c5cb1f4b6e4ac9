import assert from 'node:assert/strict';
import test from 'node:test';
import { parse, readTexts, report } from '../../infra/tools/source.ts';
import { keptBy, provesToBite, readsEveryModule } from './bites.ts';
import { importCycles, importLaw, importsOf, pageLaw, startLaw } from './imports.ts';

const sources = parse(readTexts());

test('the import law reads every module, and every module that one imports', (context) => {
  const modules = readsEveryModule(context, sources);
  const paths = new Set(modules.map(({ path }) => path));
  const imports = modules.flatMap(importsOf).filter(({ own }) => own);
  context.diagnostic(`${imports.length} imports between them`);
  assert.ok(imports.length > modules.length);
  const isOfTests = (target: string): boolean => target.startsWith('tests/');
  const isCode = (target: string): boolean => /\.(tsx?|mjs)$/.test(target) && !isOfTests(target);
  assert.deepEqual(
    imports
      .filter(({ target }) => isCode(target) && !paths.has(target))
      .map(({ target }) => target),
    [],
  );
});

test('the import law is kept', () => keptBy(sources, importLaw));

test('the import law bites', () =>
  provesToBite(importLaw, {
    bad: [
      ['shared/a.ts', "import { b } from '../infra/b.ts';"],
      ['shared/a.ts', "import type { B } from '../actors/b.ts';"],
      ['shared/a.ts', "import { b } from '#infra/b.ts';"],
      ['shared/a.ts', "import { readFileSync } from 'node:fs';"],
      ['shared/a.ts', "import { request } from 'undici';"],
      ['actors/domain/a.ts', "import { createHash } from 'node:crypto';"],
      ['actors/domain/a.ts', "import type { World } from '../world.ts';"],
      ['actors/channel/a.ts', "import type { B } from '../../infra/b.ts';"],
      ['actors/channel/a.ts', "import { b } from '../../gateway/b.ts';"],
      ['actors/channel/a.ts', "import { MongoClient } from 'mongodb';"],
      ['actors/channel/a.ts', "const b = await import('../../infra/b.ts');"],
      ['actors/channel/a.ts', "export { b } from '../../infra/b.ts';"],
      ['actors/channel/a.ts', "type B = import('../../infra/b.ts').B;"],
      ['gateway/a.ts', "import { b } from '../actors/b.ts';"],
      ['gateway/a.ts', "import { App } from 'uWebSockets.js';"],
      ['gateway/a.ts', "import { readFileSync } from 'node:fs';"],
      ['gateway/panel/a.ts', "import { build } from 'esbuild';"],
      ['gateway/panel/browser/a.tsx', "import { b } from '../assets.ts';"],
      ['gateway/panel/browser/a.tsx', "import * as v from 'valibot';"],
      ['gateway/panel/browser/a.ts', "import { Output } from 'mediabunny';"],
      ['gateway/panel/browser/a.ts', "import { createHash } from 'node:crypto';"],
      ['infra/a/b.ts', "import { b } from '../../actors/b.ts';"],
      ['infra/programs/setup/a.mjs', "import { parse } from 'yaml';"],
      ['infra/tools/launch/a.mjs', "import { parse } from 'yaml';"],
    ],
    good: [
      ['shared/a.ts', "import * as v from 'valibot';"],
      ['actors/domain/a.ts', "import { b } from '../../shared/b.ts';"],
      ['actors/main.ts', "import { b } from '../infra/b.ts';"],
      ['gateway/server.ts', "import { App } from 'uWebSockets.js';"],
      ['gateway/panel/assets.ts', "import { build } from 'esbuild';"],
      ['gateway/panel/browser/a.tsx', "import { signal } from '@preact/signals';"],
      ['infra/a/b.ts', "import { MongoClient } from 'mongodb';"],
      ['infra/programs/setup/a.mjs', "import { join } from 'node:path';"],
      ['tests/a.ts', "import { b } from '../infra/b.ts';"],
    ],
  }));

test('no process loads a slow module at its start', () => keptBy(sources, startLaw));

test('the rule of slow modules bites', () =>
  provesToBite(startLaw, {
    bad: [
      ['infra/adapters/a/b.ts', "import { get } from 'node:http';"],
      ['infra/programs/cli/a.ts', "import { type Server, createServer } from 'node:http';"],
      ['infra/adapters/mail/a.ts', "import { createTransport } from 'nodemailer';"],
    ],
    good: [
      ['infra/adapters/a/b.ts', "import type { Server } from 'node:http';"],
      ['infra/adapters/mail/a.ts', "const mails = await import('nodemailer');"],
      ['infra/bench/a.ts', "import { get } from 'node:http';"],
    ],
  }));

test('the pages of the panel load types of `shared` only', () => {
  keptBy(sources, pageLaw);
  provesToBite(pageLaw, {
    bad: [
      ['gateway/panel/browser/a.ts', "import { b } from '../../../shared/api/b.ts';"],
      ['gateway/panel/browser/a.tsx', "export { b } from '../../../shared/api/b.ts';"],
      [
        'gateway/panel/browser/b/a.tsx',
        "const a = <p>{b}</p>; import b from '../../../../shared/b.ts';",
      ],
    ],
    good: [
      ['gateway/panel/browser/a.ts', "import type { B } from '../../../shared/api/b.ts';"],
      ['gateway/panel/browser/a.tsx', "import { b } from './b.ts';"],
      ['gateway/panel/a.ts', "import { b } from '../../shared/api/b.ts';"],
    ],
  });
});

test('nothing imports itself by a detour', () => {
  assert.deepEqual(report(importCycles(sources)), []);
});

test('the rule against cycles bites, over types too', () => {
  const cycle = parse([
    { path: 'a.ts', text: "import { b } from './b.ts';" },
    { path: 'b.ts', text: "import type { C } from './c/c.ts';" },
    { path: 'c/c.ts', text: "import { a } from '../a.ts';" },
    { path: 'd.ts', text: "import { a } from './a.ts';" },
  ]);
  assert.deepEqual(report(importCycles(cycle)), ['c/c.ts:1: cycle: a.ts → b.ts → c/c.ts → a.ts']);
});

test('a cycle that is planted among the modules is found', () => {
  const importer = sources.find(({ path, text }) => {
    return path.startsWith('shared/') && text.includes("'../limits.ts'");
  });
  assert.ok(importer);
  const planted = sources.map(({ path, text }) =>
    path === 'shared/limits.ts' ? { path, text: `import '../${importer.path}';\n${text}` } : null,
  );
  const [limits] = parse(planted.filter((each) => each !== null));
  assert.ok(limits);
  const worse = sources.map((source) => (source.path === limits.path ? limits : source));
  const cycles = report(importCycles(worse)).join('\n');
  assert.ok(cycles.includes(`${limits.path} → ${importer.path}`), cycles);
});
