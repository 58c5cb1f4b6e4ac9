/**
 * D373: the set-up unpacks what the distribution has signed, in no version that is too old. The
 * repository of the tests is signed by a key of its own; the machine's apt-get and gpgv check it.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, suite, test } from 'node:test';
import { ROOT } from '../../../../../infra/tools/source.ts';
import { runSetUp } from '../../../../support/infra/programs/setup/set-up.ts';

const FIXTURE = join(ROOT, 'tests/support/infra/programs/setup/repository');
const NATS = 'nats-server_2.10.27-1_all.deb';
const DEBIAN_KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';
const folder = mkdtempSync(join(tmpdir(), 'recado-packages-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** A machine that accepts whatever a mirror says. */
const CARELESS = join(folder, 'careless.conf');
writeFileSync(
  CARELESS,
  [
    'Acquire::AllowInsecureRepositories "true";',
    'Acquire::AllowDowngradeToInsecureRepositories "true";',
    'Acquire::AllowWeakRepositories "true";',
    'APT::Get::AllowUnauthenticated "true";',
  ].join('\n'),
);

interface Unpacking {
  /** Changes the copy of the repository. */
  readonly tamper?: (repository: string) => void;
  readonly lowest?: Readonly<Record<string, string>>;
  readonly keyring?: string;
}

let count = 0;

/** The server's program as it was unpacked. */
async function unpack({ tamper, lowest, keyring }: Unpacking = {}): Promise<string> {
  count += 1;
  const repository = join(folder, `repository-${count}`);
  const target = join(folder, `unpacked-${count}`);
  cpSync(FIXTURE, repository, { recursive: true });
  tamper?.(repository);
  const source = {
    site: `copy:${repository}`,
    suite: './',
    components: '',
    keyring: keyring ?? join(FIXTURE, 'keyring.gpg'),
  };
  await runSetUp({
    module: 'packages.mjs',
    call: 'setUp.unpackPackages(given.lowest, given.target, given.source)',
    given: { lowest: lowest ?? { 'nats-server': '2.9' }, target, source },
    env: { APT_CONFIG: CARELESS },
  });
  const program = join(target, 'usr/sbin/nats-server');
  return existsSync(program) ? readFileSync(program, 'utf8') : '';
}

const hasApt = spawnSync('apt-get', ['--version']).status === 0;
const skip = hasApt ? false : 'this machine has no apt-get';

suite('packages of the distribution', { skip }, () => {
  test('what is signed is unpacked', async () => {
    assert.match(await unpack(), /v2\.10\.27/);
  });

  test('an older one than the lowest version is refused, and the sentence says so', async () => {
    const lowest = { 'nats-server': '2.9', libc6: '2.38' };
    await assert.rejects(unpack({ lowest }), /libc6 2\.31-13 is older than 2\.38, the lowest/);
  });

  test('a package of another content is refused', async () => {
    const tamper = (repository: string) => {
      const path = join(repository, NATS);
      const bytes = readFileSync(path);
      bytes[bytes.length - 20] = (bytes.at(-20) ?? 0) ^ 1;
      writeFileSync(path, bytes);
    };
    await assert.rejects(unpack({ tamper }), /Hash Sum mismatch/);
  });

  test('a list of packages that is not the signed one is refused', async () => {
    const tamper = (repository: string) => {
      const path = join(repository, 'Packages');
      writeFileSync(path, readFileSync(path, 'utf8').replace('2.31-13', '2.41-13'));
    };
    await assert.rejects(unpack({ tamper }), /Hash Sum mismatch|unexpected size/);
  });

  test('a release whose text is not the signed one is refused', async () => {
    const tamper = (repository: string) => {
      const path = join(repository, 'InRelease');
      writeFileSync(path, readFileSync(path, 'utf8').replace('Suite: fixture', 'Suite: trixie'));
    };
    await assert.rejects(unpack({ tamper }), /not signed|BADSIG|invalid|[Bb]ad/);
  });

  test('a release without a signature is refused, even where the machine accepts it', async () => {
    const tamper = (repository: string) => {
      const signed = readFileSync(join(repository, 'InRelease'), 'utf8');
      const [, text = ''] = /SHA256\n\n(.*)\n-----BEGIN PGP SIG/s.exec(signed) ?? [];
      rmSync(join(repository, 'InRelease'));
      appendFileSync(join(repository, 'Release'), `${text}\n`);
    };
    await assert.rejects(unpack({ tamper }), /is not signed|no Release file/);
  });

  test('a signature of another key is refused', { skip: !existsSync(DEBIAN_KEYRING) }, async () => {
    await assert.rejects(unpack({ keyring: DEBIAN_KEYRING }), /NO_PUBKEY|is not signed/);
  });
});

test('an older NATS server of the PATH is not used, and a newer one behind it is', async () => {
  const servers = ['2.8.4', '2.9.10'].map((version) => {
    const place = join(folder, `server-${version}`);
    mkdirSync(place);
    const text = `#!/bin/sh\necho nats-server: v${version}\n`;
    writeFileSync(join(place, 'nats-server'), text, { mode: 0o755 });
    return place;
  });
  const said = await runSetUp({
    module: 'nats-on-path.mjs',
    call: 'console.log(await setUp.findOnPath(console.log))',
    given: {},
    env: { PATH: [...servers, '/usr/bin', '/bin'].join(delimiter) },
  });
  const [older = '', newer = ''] = servers.map((place) => join(place, 'nats-server'));
  assert.equal(said, `${older} 2.8.4 is older than 2.9, and left alone\n${newer}\n`);
});
