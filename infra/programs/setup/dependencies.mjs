// Keeps node_modules equal to package-lock.json. The installer must run npm under Node.js 24. An
// older one leaves out the optional packages with other `engines`, the native ones here.
import { existsSync, readFileSync, rmSync } from 'node:fs';
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
 * @param {string} [root] where the lock file is
 */
export async function installDependencies(node24, say, root = ROOT) {
  if (dependenciesMatch(root)) return;
  say('installing the npm packages');
  // Without npm's record the folder is left from an interrupted install, and may be incomplete.
  const modules = join(root, 'node_modules');
  if (!existsSync(recordOf(root))) rmSync(modules, { recursive: true, force: true });
  const env = environmentWith(dirname(node24));
  const options = ['--no-save', '--include=dev', '--include=optional', '--no-audit', '--no-fund'];
  const args = ['install', ...options];
  const entry = npmEntry();
  const [file, words] = entry === undefined ? ['npm', args] : [node24, [entry, ...args]];
  await runCommand(file, words, { cwd: root, env });
}

/** True if every package of the lock file that this machine needs is there in its version. */
function dependenciesMatch(root) {
  if (!existsSync(recordOf(root))) return false;
  const wanted = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
  const found = JSON.parse(readFileSync(recordOf(root), 'utf8')).packages;
  return Object.entries(wanted).every(([path, entry]) => {
    if (path === '' || !isNeeded(entry)) return true;
    return found[path]?.version === entry.version && existsSync(join(root, path));
  });
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
