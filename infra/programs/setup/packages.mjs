// Unpacks packages of the machine's own distribution beside the project: no root, nothing
// installed, the system's package lists untouched. The mirror is the one the machine uses.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from './run-command.mjs';

/** The first release of each family whose glibc is new enough, and where its parts are. */
const FAMILIES = {
  debian: { site: /\/debian\/?$/, suite: 'trixie', components: 'main' },
  ubuntu: { site: /\/ubuntu(-ports)?\/?$/, suite: 'noble', components: 'main universe' },
};

/**
 * Downloads packages and unpacks them all into `folder`.
 * @param {string[]} names package names
 * @param {string} folder emptied first
 * @throws {Error} when this is no Debian or Ubuntu, or the mirror cannot be reached
 */
export async function unpackPackages(names, folder) {
  const family = await machineFamily();
  rmSync(folder, { recursive: true, force: true });
  const apt = join(folder, 'apt');
  for (const sub of ['lists/partial', 'cache/archives/partial', 'debs']) {
    mkdirSync(join(apt, sub), { recursive: true });
  }
  const { suite, components } = FAMILIES[family.name];
  const keyring = `/usr/share/keyrings/${family.name}-archive-keyring.gpg`;
  const signedBy = existsSync(keyring) ? `[signed-by=${keyring}] ` : '';
  const list = join(apt, 'sources.list');
  writeFileSync(list, `deb ${signedBy}${family.site} ${suite} ${components}\n`);
  const options = aptOptions(apt, list);
  await runCommand('apt-get', [...options, 'update']);
  const debs = join(apt, 'debs');
  await runCommand('apt-get', [...options, 'download', ...names], { cwd: debs });
  for (const deb of readdirSync(debs)) {
    await runCommand('dpkg', ['-x', join(debs, deb), folder]);
  }
  rmSync(apt, { recursive: true, force: true });
}

async function machineFamily() {
  const format = ['--format', '$(SITE)', 'Created-By: Packages'];
  const sites = (await runCommand('apt-get', ['indextargets', ...format])).split('\n');
  const name = osReleaseIds().find((id) => Object.hasOwn(FAMILIES, id));
  const site = name && sites.find((line) => FAMILIES[name].site.test(line.trim()));
  if (!site) throw new Error('this machine names no Debian or Ubuntu package mirror');
  return { name, site: site.trim() };
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
    'Acquire::Languages': 'none',
    'Acquire::Retries': '2',
    'APT::Sandbox::User': 'root',
    'Debug::NoLocking': '1',
  };
  return ['-q', ...Object.entries(settings).map(([key, value]) => `-o${key}=${value}`)];
}
