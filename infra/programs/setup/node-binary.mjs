// Puts the project's Node.js at .runtime/node/bin/node. Node.js must be version 24: an older one is
// too old for the code, a newer one has no uWebSockets.js build here. On Linux it must run on glibc
// 2.38 or newer, as uWebSockets.js and the embedded MongoDB engine require. Where the machine's
// glibc is older, a copy of the binary gets a newer one of its own.
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { environmentWith, NODE, RUNTIME } from './environment.mjs';
import { unpackPackages } from './packages.mjs';
import { runCommand } from './run-command.mjs';

const MAJOR = 24;
const GLIBC_MINOR = 38;
/** With their lowest versions: the compiler's libraries are those of the first such glibc's time. */
const LIBRARIES = {
  libc6: `2.${GLIBC_MINOR}`,
  'libstdc++6': '13',
  'libgcc-s1': '13',
  patchelf: '0.14',
};
const LOADERS = { x64: 'ld-linux-x86-64.so.2', arm64: 'ld-linux-aarch64.so.1' };

/** An unpatched Node.js 24 of this machine: the running one, else npm's `node` package. */
export async function findNode24(say) {
  if (Number(process.versions.node.split('.')[0]) === MAJOR) return process.execPath;
  say(`Node.js ${process.versions.node} started this, fetching Node.js ${MAJOR}`);
  const print = ['node', '-p', 'process.execPath'];
  const env = environmentWith(dirname(process.execPath));
  try {
    const args = ['--yes', `--package=node@${MAJOR}`, '--', ...print];
    return lastLine(await runCommand('npx', args, { env, cwd: RUNTIME }));
  } catch (error) {
    // Where npm refuses install scripts, the package that `node` would install still works.
    const name = `node-${process.platform}-${process.arch}`;
    say(`npx could not (${lastLine(error.message)}), trying ${name}`);
    const args = ['--yes', `--package=${name}@${MAJOR}`, '--', ...print];
    return lastLine(await runCommand('npx', args, { env, cwd: RUNTIME }));
  }
}

/** Makes `.runtime/node/bin/node` from an unpatched Node.js 24. */
export async function placeNode(node24, say) {
  const folder = join(RUNTIME, 'node.next');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, 'bin'), { recursive: true });
  const binary = join(folder, 'bin', 'node');
  if (await glibcIsOld()) {
    copyFileSync(node24, binary);
    chmodSync(binary, 0o755);
    await giveOwnGlibc(binary, say);
  } else if (node24 === process.execPath) {
    symlinkSync(node24, binary);
  } else {
    copyFileSync(node24, binary);
    chmodSync(binary, 0o755);
  }
  const version = lastLine(await runCommand(binary, ['-p', 'process.version']));
  const place = dirname(dirname(NODE));
  rmSync(place, { recursive: true, force: true });
  renameSync(folder, place);
  say(`Node.js ${version} is ready`);
}

/** Gives a Node.js binary the loader and libraries of a newer distribution, kept in .runtime. */
async function giveOwnGlibc(binary, say) {
  const loader = LOADERS[process.arch];
  if (loader === undefined) throw new Error(`no recipe for glibc on ${process.arch}`);
  say(`this machine's glibc is older than 2.${GLIBC_MINOR}, giving Node.js its own copy`);
  const unpacked = join(RUNTIME, 'glibc-unpacked');
  await unpackPackages(LIBRARIES, unpacked);
  const libraries = join(RUNTIME, 'glibc');
  const next = `${libraries}.next`;
  rmSync(next, { recursive: true, force: true });
  mkdirSync(next, { recursive: true });
  for (const file of sharedObjects(unpacked)) copyFileSync(file.path, join(next, file.name));
  chmodSync(join(next, loader), 0o755);
  const patchelf = join(unpacked, 'usr', 'bin', 'patchelf');
  const edit = (change) =>
    runCommand(join(next, loader), ['--library-path', next, patchelf, ...change, binary]);
  // In this order and one at a time: patchelf 0.18 spoils the Node.js binary when it is asked for
  // both at once. RPATH rather than RUNPATH, which would not hold for the native modules' needs.
  await edit(['--force-rpath', '--set-rpath', libraries]);
  await edit(['--set-interpreter', join(libraries, loader)]);
  rmSync(libraries, { recursive: true, force: true });
  renameSync(next, libraries);
  rmSync(unpacked, { recursive: true, force: true });
}

/** Every shared object of the unpacked packages, found through whatever links lead to it. */
function sharedObjects(unpacked) {
  const found = new Map();
  for (const entry of readdirSync(unpacked, { recursive: true, withFileTypes: true })) {
    const folder = entry.parentPath ?? entry.path;
    const wanted = /\.so(\.[\d.]+)?$/.test(entry.name) && !/gconv|audit/.test(folder);
    if (wanted && !entry.isDirectory()) found.set(entry.name, join(folder, entry.name));
  }
  return [...found].map(([name, path]) => ({ name, path }));
}

/** True on a Linux whose glibc the native parts refuse; a Linux without glibc is an error. */
async function glibcIsOld() {
  if (process.platform !== 'linux') return false;
  let text;
  try {
    text = await runCommand('getconf', ['GNU_LIBC_VERSION']);
  } catch (error) {
    throw new Error('the native parts need a Linux with glibc', { cause: error });
  }
  const minor = Number(/glibc 2\.(\d+)/.exec(text)?.[1] ?? 0);
  return minor < GLIBC_MINOR;
}

function lastLine(text) {
  return text.trim().split('\n').at(-1)?.trim() ?? '';
}
