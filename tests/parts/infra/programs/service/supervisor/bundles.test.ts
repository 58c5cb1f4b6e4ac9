import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { BundleFolders } from '../../../../../../infra/programs/service/supervisor/bundles/bundle-folders.ts';
import {
  type Bundles,
  prepareBundles,
} from '../../../../../../infra/programs/service/supervisor/bundles/bundles.ts';
import { ownBundles } from '../../../../../../infra/programs/service/supervisor/plans.ts';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../../../../../..');
const MODULE = join(ROOT, 'infra/programs/service/supervisor/bundles/bundles.ts');
const ENTRIES = ['one/main.ts', 'two/main.ts'];
const COMMAND = { args: ['--stack-size=900', 'one/main.ts', '--word'], env: {} };
/** Behind it the sources are looked at again. */
const SEEN_MS = 1_100;

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'recado-bundles-')));
after(() => rmSync(folder, { recursive: true, force: true }));

interface Project {
  readonly root: string;
  readonly place: string;
  readonly said: string[];
  prepare(): Promise<Bundles | null>;
}

/** A project of two programs that share a module. */
function projectIn(name: string): Project {
  const root = join(folder, name);
  const place = join(root, '.runtime', 'programs');
  const said: string[] = [];
  for (const program of ['one', 'two']) {
    mkdirSync(join(root, program), { recursive: true });
    const text = [
      "import { word } from '../shared.ts';",
      'const { args }: { args: readonly string[] } = { args: process.argv.slice(2) };',
      'console.log(word, import.meta.dirname, import.meta.url, ...args);',
    ];
    writeFileSync(join(root, program, 'main.ts'), text.join('\n'));
  }
  writeFileSync(join(root, 'shared.ts'), "export const word: string = 'first';\n");
  const report = (sentence: string) => void said.push(sentence);
  return {
    ...{ root, place, said },
    prepare: () => prepareBundles({ root, place, groups: [ENTRIES], report }),
  };
}

async function outputOf(bundles: Bundles | null): Promise<string> {
  const command = bundles?.commandOf(COMMAND);
  assert.ok(command, 'there is a bundle');
  return (await run(process.execPath, command.args)).stdout.trim();
}

function foldersIn({ place }: Project): readonly string[] {
  return readdirSync(place);
}

test('a program runs from its bundle, at the place of its source and with its options', async () => {
  const project = projectIn('place');
  const bundles = await project.prepare();
  const place = join(project.root, 'one');
  const url = pathToFileURL(join(place, 'main.ts')).href;
  assert.equal(await outputOf(bundles), `first ${place} ${url} --word`);
  assert.ok(bundles);
  const file = join(project.place, bundles.key, 'one/main.mjs');
  assert.deepEqual(bundles.commandOf(COMMAND)?.args, ['--stack-size=900', file, '--word']);
});

test('bundles of unchanged sources are made once', async () => {
  const project = projectIn('once');
  const first = await project.prepare();
  const again = await project.prepare();
  assert.equal(again?.key, first?.key);
  assert.deepEqual(foldersIn(project), [first?.key]);
});

test('a changed source makes other bundles, and no bundle is started that is older', async () => {
  const project = projectIn('changed');
  const first = await project.prepare();
  writeFileSync(join(project.root, 'shared.ts'), "export const word: string = 'other';\n");
  const next = await project.prepare();
  assert.notEqual(next?.key, first?.key);
  assert.match(await outputOf(next), /^other /);
  await sleep(SEEN_MS);
  assert.equal(first?.commandOf(COMMAND), null);
  assert.match(await outputOf(next), /^other /);
  const said = 'the sources have changed: roles that start again start from them';
  assert.deepEqual(project.said, [said]);
});

test('a source that does not compile is left to Node.js, and the log says so', async () => {
  const project = projectIn('broken');
  writeFileSync(join(project.root, 'shared.ts'), 'export const word: string = ;\n');
  assert.equal(await project.prepare(), null);
  assert.match(project.said.join(), /^the roles start from their sources: .*shared\.ts:1:28/);
  assert.deepEqual(foldersIn(project), []);
});

test('a folder that cannot be written leaves the programs to their sources', async () => {
  const project = projectIn('unwritable');
  writeFileSync(join(project.root, '.runtime'), '');
  assert.equal(await project.prepare(), null);
  assert.match(project.said.join(), /^the roles start from their sources: ENOTDIR/);
});

test('a late import of CommonJS, whose names a bundle loses, is left to Node.js', async () => {
  const project = projectIn('late');
  writeFileSync(join(project.root, 'names.cjs'), 'exports.word = "named";\n');
  const late = "export const word: string = (await import('./names.cjs')).word;\n";
  writeFileSync(join(project.root, 'shared.ts'), late);
  assert.equal(await project.prepare(), null);
  assert.match(project.said.join(), /shared\.ts loads names\.cjs late, which is CommonJS/);
});

test('all programs of this project have bundles', async () => {
  const said: string[] = [];
  const report = (sentence: string) => void said.push(sentence);
  assert.ok(await ownBundles({ root: ROOT, report }), said.join());
});

test('bundles that are taken away leave the programs to their sources', async () => {
  const project = projectIn('removed');
  const bundles = await project.prepare();
  rmSync(project.place, { recursive: true });
  await sleep(SEEN_MS);
  assert.equal(bundles?.commandOf(COMMAND), null);
});

test('two that start at once use the same bundles', async () => {
  const project = projectIn('together');
  const { root, place } = project;
  const options = JSON.stringify({ root, place, groups: [ENTRIES] });
  const program = [
    `import { prepareBundles } from ${JSON.stringify(pathToFileURL(MODULE).href)};`,
    `const bundles = await prepareBundles({ ...${options}, report: console.log });`,
    'console.log(bundles?.key);',
  ].join('\n');
  const args = ['--input-type=module', '--eval', program];
  const ran = await Promise.all([0, 1].map(() => run(process.execPath, args)));
  const keys = ran.map(({ stdout }) => stdout.trim());
  assert.equal(keys[0], keys[1]);
  assert.deepEqual(foldersIn(project), [keys[0]]);
});

test('a program that is no entry, or that something is loaded before, has no bundle', async () => {
  const bundles = await projectIn('others').prepare();
  const { env } = COMMAND;
  const others = [
    { args: ['other/main.ts'], env },
    { args: ['other.ts', 'one/main.ts'], env },
    { args: ['--import', './probe.ts', 'one/main.ts'], env },
    { args: ['--import=./probe.ts', 'one/main.ts'], env },
    { args: ['one/main.ts'], env: { NODE_OPTIONS: '--import=./probe.ts' } },
    { args: ['one/main.ts'], env: { NODE_V8_COVERAGE: '/tmp/coverage' } },
  ];
  for (const other of others) assert.equal(bundles?.commandOf(other), null, other.args.join(' '));
});

test('compiled code is kept beside the bundles', async () => {
  const project = projectIn('compiled');
  const bundles = await project.prepare();
  const env = { NODE_COMPILE_CACHE: '/elsewhere' };
  assert.ok(bundles);
  const compiled = join(project.place, bundles.key, 'compiled');
  const command = bundles.commandOf({ ...COMMAND, env });
  assert.deepEqual(command?.env, { NODE_COMPILE_CACHE: compiled });
});

test('a folder is removed when nothing uses it and two were used later', () => {
  const place = join(folder, 'swept');
  const folders = new BundleFolders(place);
  const [used, unused, ...last] = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(32));
  assert.ok(used !== undefined && unused !== undefined);
  for (const key of [used, unused, ...last]) folders.publish(folders.draft(), key, []);
  folders.use(used);
  [used, unused, ...last].forEach((key, index) => {
    const at = new Date(Date.now() - (10 - index) * 3_600_000);
    utimesSync(join(place, key, 'users'), at, at);
  });
  folders.sweep();
  assert.deepEqual(readdirSync(place).toSorted(), [used, ...last]);
  assert.ok(existsSync(join(place, used, 'manifest.json')));
});
