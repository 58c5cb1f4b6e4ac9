// Keeps node_modules equal to package-lock.json: the packages of production for users, those of
// development too for the scripts of maintainers (D373). The installer must run npm under Node.js
// 24. An older one leaves out the optional packages with other `engines`, the native ones here.
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { environmentWith, npmEntry, ROOT } from './environment.mjs';
import { runCommand } from './run-command.mjs';

const NODE_MAJOR = 24;

/** npm's own record of the installed packages, which it writes last. */
function recordOf(root) {
  return join(root, 'node_modules', '.package-lock.json');
}

/**
 * Installs the packages of the lock file unless node_modules already holds them. The command `npm
 * ci` would refuse the lock file wherever a registry lacks an optional package of some other
 * platform. Its replacement, `install --no-save`, installs the same versions and checks the same
 * digests.
 * @param {string} node24
 * @param {(text: string) => void} say
 * @param {{root?: string, development?: boolean}} [options] `root`: where the lock file is
 */
export async function installDependencies(node24, say, { root = ROOT, development = false } = {}) {
  if (dependenciesMatch(root, development)) return;
  say(`installing the npm packages${development ? ', those of development too' : ''}`);
  // Without npm's record the folder is left from an interrupted install, and may be incomplete.
  const modules = join(root, 'node_modules');
  if (!existsSync(recordOf(root))) rmSync(modules, { recursive: true, force: true });
  const env = environmentWith(dirname(node24));
  const kinds = [development ? '--include=dev' : '--omit=dev', '--include=optional'];
  const args = ['install', '--no-save', ...kinds, '--no-audit', '--no-fund'];
  const entry = npmEntry();
  const [file, words] = entry === undefined ? ['npm', args] : [node24, [entry, ...args]];
  await runCommand(file, words, { cwd: root, env });
  if (development) return;
  removeOptionalPeers(root);
  removeOtherLanguages(root);
}

/** npm keeps a development package that a production one can work with, such as a compiler. */
function removeOptionalPeers(root) {
  const packages = packagesOf(join(root, 'package-lock.json'));
  const production = productionPaths(packages);
  for (const path of Object.keys(packages)) {
    if (path === '' || production.has(path)) continue;
    rmSync(join(root, path), { recursive: true, force: true });
  }
}

/** The panel shows emoji by their Portuguese names; the package has 30 languages, 48 MB. */
function removeOtherLanguages(root) {
  const folder = join(root, 'node_modules', 'emojibase-data');
  if (!existsSync(folder)) return;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (!entry.isDirectory() || entry.name === 'pt') continue;
    rmSync(join(folder, entry.name), { recursive: true, force: true });
  }
}

/** True if every package of the lock file that this machine needs is there in its version. */
function dependenciesMatch(root, development) {
  if (!existsSync(recordOf(root))) return false;
  const wanted = packagesOf(join(root, 'package-lock.json'));
  const found = packagesOf(recordOf(root));
  const production = productionPaths(wanted);
  return Object.entries(wanted).every(([path, entry]) => {
    if (path === '' || !isNeeded(entry) || !(development || production.has(path))) return true;
    return found[path]?.version === entry.version && existsSync(join(root, path));
  });
}

function packagesOf(lockFile) {
  return JSON.parse(readFileSync(lockFile, 'utf8')).packages;
}

/** Paths of what the project's own dependencies lead to. */
function productionPaths(packages) {
  const reached = new Set();
  const follow = (from) => {
    for (const name of dependenciesOf(packages[from])) {
      const path = pathOf(name, from, packages);
      if (path === undefined || reached.has(path)) continue;
      reached.add(path);
      follow(path);
    }
  };
  follow('');
  return reached;
}

function dependenciesOf({ dependencies, optionalDependencies, ...entry }) {
  const peers = Object.keys(entry.peerDependencies ?? {});
  const needed = peers.filter((name) => !entry.peerDependenciesMeta?.[name]?.optional);
  return [...Object.keys({ ...dependencies, ...optionalDependencies }), ...needed];
}

/** Where Node.js finds a package from another one: the nearest folder that holds it. */
function pathOf(name, from, packages) {
  for (let folder = from; ; folder = folder.slice(0, folder.lastIndexOf('/node_modules/'))) {
    const path = `${folder}/node_modules/${name}`.replace(/^\//, '');
    if (packages[path] !== undefined) return path;
    if (!folder.includes('/node_modules/')) break;
  }
  const path = `node_modules/${name}`;
  return packages[path] === undefined ? undefined : path;
}

function isNeeded({ optional, os, cpu, libc, engines }) {
  if (!optional) return true;
  // An optional package for any machine serves another optional one, which decides for it.
  if (os === undefined || cpu === undefined) return false;
  const bounds = /^>=(\d+)\S* <(\d+)/.exec(engines?.node ?? '');
  const runs = !bounds || (NODE_MAJOR >= Number(bounds[1]) && NODE_MAJOR < Number(bounds[2]));
  const glibc = libc === undefined || [libc].flat().includes('glibc');
  return runs && glibc && os.includes(process.platform) && cpu.includes(process.arch);
}
