/** D373: what a user starts installs no package of development; what a maintainer starts adds them. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { packFiles } from '../../../../../infra/kit/tar.ts';
import { runSetUp } from '../../../../support/infra/programs/setup/set-up.ts';

const root = mkdtempSync(join(tmpdir(), 'recado-dependencies-'));
after(() => rmSync(root, { recursive: true, force: true }));

const REGISTRY = {
  // Works with the compiler where it is there, as valibot does.
  library: {
    dependencies: { 'library-part': 'file:library-part.tgz' },
    peerDependencies: { compiler: '*' },
    peerDependenciesMeta: { compiler: { optional: true } },
  },
  'library-part': {},
  engine: {},
  'emojibase-data': {},
  compiler: { optionalDependencies: { 'compiler-part': 'file:compiler-part.tgz' } },
  'compiler-part': {},
  linter: { dependencies: { 'linter-part': 'file:linter-part.tgz' } },
  'linter-part': {},
};

const LANGUAGES = 'emojibase-data';
const TABLES = ['de', 'pt', 'meta'].map((name) => ({ name: `${name}/compact.json`, text: '[]' }));

type Name = keyof typeof REGISTRY;

function files(...names: readonly Name[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, `file:${name}.tgz`]));
}

/** A project with both kinds of packages, all of them archives beside it. */
async function plant(): Promise<void> {
  mkdirSync(root, { recursive: true });
  for (const [name, entry] of Object.entries(REGISTRY)) {
    const text = JSON.stringify({ name, version: '1.0.0', ...entry });
    const files = [{ name: 'package.json', text }, ...(name === LANGUAGES ? TABLES : [])];
    writeFileSync(join(root, `${name}.tgz`), await packFiles(files));
  }
  const project = {
    name: 'planted',
    version: '1.0.0',
    dependencies: files('library', 'library-part', 'emojibase-data'),
    optionalDependencies: files('engine'),
    devDependencies: files('compiler', 'compiler-part', 'linter', 'linter-part'),
  };
  writeFileSync(join(root, 'package.json'), JSON.stringify(project));
  const lock = ['install', '--package-lock-only', '--no-audit', '--no-fund', '--offline'];
  await runSetUp({
    module: 'run-command.mjs',
    call: `setUp.runCommand('npm', given.lock, { cwd: given.root })`,
    given: { lock, root },
  });
}

/** Said, and installed then. */
async function install(options: { readonly development: boolean }) {
  const said = await runSetUp({
    module: 'dependencies.mjs',
    call: 'setUp.installDependencies(process.execPath, console.log, given)',
    given: { root, ...options },
  });
  const installed = readdirSync(join(root, 'node_modules')).filter((name) => !name.startsWith('.'));
  return { said, installed };
}

test('a start installs no package of development, and what maintainers run adds them', async () => {
  await plant();
  const production = ['emojibase-data', 'engine', 'library', 'library-part'];
  const start = await install({ development: false });
  assert.deepEqual(start.installed, production);
  assert.match(start.said, /installing/);
  const tables = readdirSync(join(root, 'node_modules', LANGUAGES));
  assert.deepEqual(tables, ['package.json', 'pt'], 'names of emoji in Portuguese alone');
  assert.equal((await install({ development: false })).said, '', 'there is nothing to do again');

  const all = Object.keys(REGISTRY).sort();
  assert.deepEqual((await install({ development: true })).installed, all);
  const next = await install({ development: false });
  assert.deepEqual(next, { said: '', installed: all }, 'a start takes nothing away');
});
