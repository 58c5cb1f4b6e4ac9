// Unpacks packages of the machine's own distribution beside the project: no root, nothing
// installed, the system's package lists untouched. The mirror is the one the machine uses.
// 1. apt checks each package against the release's list, and the list against its signature by the
//    distribution's key. A machine that accepts unsigned packages for itself changes nothing here.
// 2. No package is unpacked in a version that is older than the lowest one (D373).
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from './run-command.mjs';

/** The first release of each family whose glibc is new enough, and where its parts are. */
const FAMILIES = {
  debian: { site: /\/debian\/?$/, suite: 'trixie', components: 'main' },
  ubuntu: { site: /\/ubuntu(-ports)?\/?$/, suite: 'noble', components: 'main universe' },
};

/**
 * Where packages come from, and the public keys that their release is signed by.
 * @typedef {{site: string, suite: string, components: string, keyring: string}} Source
 */

/**
 * Downloads packages and unpacks them all into `folder`.
 * @param {Record<string, string>} lowest package names with their lowest versions
 * @param {string} folder emptied first
 * @param {Source} [source] the machine's own unless given
 * @throws {Error} when this is no Debian or Ubuntu, the mirror cannot be reached, or a package is
 *   not the one that was signed or too old
 */
export async function unpackPackages(lowest, folder, source) {
  const from = source ?? (await machineSource());
  rmSync(folder, { recursive: true, force: true });
  const apt = join(folder, 'apt');
  for (const sub of ['lists/partial', 'cache/archives/partial', 'debs']) {
    mkdirSync(join(apt, sub), { recursive: true });
  }
  // Without the distribution's keyring apt takes the keys that the machine trusts.
  const signedBy = existsSync(from.keyring) ? `[signed-by=${from.keyring}] ` : '';
  const list = join(apt, 'sources.list');
  writeFileSync(list, `deb ${signedBy}${from.site} ${from.suite} ${from.components}\n`);
  const options = aptOptions(apt, list);
  await runCommand('apt-get', [...options, 'update']);
  const debs = join(apt, 'debs');
  await runCommand('apt-get', [...options, 'download', ...Object.keys(lowest)], { cwd: debs });
  const files = readdirSync(debs).map((name) => join(debs, name));
  for (const file of files) await requireVersion(file, lowest);
  for (const file of files) await runCommand('dpkg', ['-x', file, folder]);
  rmSync(apt, { recursive: true, force: true });
}

/** A mirror may still serve an old release, which is signed too. */
async function requireVersion(file, lowest) {
  const field = async (name) => (await runCommand('dpkg-deb', ['-f', file, name])).trim();
  const [name, version] = [await field('Package'), await field('Version')];
  try {
    await runCommand('dpkg', ['--compare-versions', version, 'ge', lowest[name]]);
  } catch (cause) {
    const bound = `${lowest[name]}, the lowest version that this service runs with`;
    throw new Error(`the distribution's ${name} ${version} is older than ${bound}`, { cause });
  }
}

/** @returns {Promise<Source>} */
async function machineSource() {
  const format = ['--format', '$(SITE)', 'Created-By: Packages'];
  const sites = (await runCommand('apt-get', ['indextargets', ...format])).split('\n');
  const name = osReleaseIds().find((id) => Object.hasOwn(FAMILIES, id));
  const site = name && sites.find((line) => FAMILIES[name].site.test(line.trim()));
  if (!site) throw new Error('this machine names no Debian or Ubuntu package mirror');
  const { suite, components } = FAMILIES[name];
  const keyring = `/usr/share/keyrings/${name}-archive-keyring.gpg`;
  return { site: site.trim(), suite, components, keyring };
}

/** ID and ID_LIKE of os-release, the machine's own first. */
function osReleaseIds() {
  const text = readFileSync('/etc/os-release', 'utf8');
  const value = (key) => new RegExp(`^${key}="?([^"\\n]*)"?$`, 'm').exec(text)?.[1] ?? '';
  return [value('ID'), ...value('ID_LIKE').split(' ')];
}

function aptOptions(apt, list) {
  const settings = {
    'Dir::State': apt,
    'Dir::State::Lists': join(apt, 'lists'),
    'Dir::State::status': '/dev/null',
    'Dir::Cache': join(apt, 'cache'),
    'Dir::Etc::SourceList': list,
    'Dir::Etc::SourceParts': '/dev/null',
    'Dir::Etc::Preferences': '/dev/null',
    'Dir::Etc::PreferencesParts': '/dev/null',
    // The machine's own apt.conf may allow all of these.
    'Acquire::AllowInsecureRepositories': 'false',
    'Acquire::AllowDowngradeToInsecureRepositories': 'false',
    'Acquire::AllowWeakRepositories': 'false',
    'APT::Get::AllowUnauthenticated': 'false',
    'Acquire::Languages': 'none',
    'Acquire::Retries': '2',
    'APT::Sandbox::User': 'root',
    'Debug::NoLocking': '1',
  };
  return ['-q', ...Object.entries(settings).map(([key, value]) => `-o${key}=${value}`)];
}
