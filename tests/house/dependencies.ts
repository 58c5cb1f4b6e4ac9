/** Packages installed for the service itself, with their licences, as the lock file lists them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { ROOT } from '../../infra/tools/source.ts';

const LockSchema = v.object({
  packages: v.record(
    v.string(),
    v.object({
      version: v.optional(v.string(), ''),
      license: v.optional(v.string(), 'none'),
      dev: v.optional(v.boolean(), false),
      /** Reached from a development package, and optional for a production one. */
      devOptional: v.optional(v.boolean(), false),
      /** Machines that it is for; for all of them unless given. */
      cpu: v.optional(v.array(v.string()), []),
    }),
  ),
});

export interface Dependency {
  readonly name: string;
  readonly version: string;
  readonly licence: string;
}

/**
 * May be used and passed on by an Apache-2.0 project. MPL-2.0 binds its own files alone, which are
 * passed on unchanged.
 */
const FREE: ReadonlySet<string> = new Set([
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'MIT-0',
  'MPL-2.0',
  'Unlicense',
]);

/** Optional, run as a process of its own and part of nothing: MongoDB's engine. */
const BESIDE = /^@0q\/embedded-mongodb/;

/** The same package for other machines: listed once. */
const FOR_A_MACHINE =
  /-(linux|darwin|win32|freebsd|netbsd|openbsd|sunos|aix)-|^@uwsjs\/linux-|^@esbuild\//;

export function dependenciesOf(lock: unknown): readonly Dependency[] {
  const { packages } = v.parse(LockSchema, lock);
  return Object.entries(packages)
    .filter(([path, { dev, devOptional }]) => path !== '' && !dev && !devOptional)
    .map(([path, { version, license }]) => ({
      name: path.split('node_modules/').at(-1) ?? path,
      version,
      licence: license,
    }))
    .sort((a, b) => (`${a.name} ${a.version}` < `${b.name} ${b.version}` ? -1 : 1));
}

export function installed(): readonly Dependency[] {
  return dependenciesOf(JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')));
}

const SETUP = join(ROOT, 'infra/programs/setup');
/** Of the compiler, which the set-up leaves out. */
const OF_DEVELOPMENT = /^@typescript\//;
const PLATFORMS = /linux-(x64|arm64)|darwin-arm64/;
/** Built for another version of Node.js than the one that the set-up places. */
const OF_ANOTHER_NODE = /^@uwsjs\/.*-(22|26)$/;

/** Names of the packages with machine code, of npm on our platforms and of the distribution. */
export function nativePackages(): readonly string[] {
  const lock: unknown = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
  const ofNpm = Object.entries(v.parse(LockSchema, lock).packages)
    .filter(([, { cpu, dev }]) => cpu.length > 0 && !dev)
    .map(([path]) => path.replace('node_modules/', ''))
    .filter((name) => PLATFORMS.test(name))
    .filter((name) => !OF_DEVELOPMENT.test(name) && !OF_ANOTHER_NODE.test(name));
  const libraries = readFileSync(join(SETUP, 'node-binary.mjs'), 'utf8');
  const [, table = ''] = /LIBRARIES = \{(.*?)\n\};/s.exec(libraries) ?? [];
  const ofSystem = [...table.matchAll(/^ *'?([\w+-]+)'?:/gm)].map(([, name = '']) => name);
  const server = readFileSync(join(SETUP, 'nats-binary.mjs'), 'utf8');
  const [, natsServer = ''] = /unpackPackages\(\{ '([\w-]+)': LOWEST \}/.exec(server) ?? [];
  return [...ofNpm, ...ofSystem, natsServer];
}

/** Packages whose licence is not known to be free. */
export function unfree(dependencies: readonly Dependency[]): readonly Dependency[] {
  return dependencies.filter(({ name, licence }) => !FREE.has(licence) && !BESIDE.test(name));
}

/** As `docs/security.md` shows them. */
export function tableOf(dependencies: readonly Dependency[]): string {
  const rows = dependencies
    .filter(({ name }) => !FOR_A_MACHINE.test(name))
    .map(({ name, version, licence }) => `| \`${name}\` | ${version} | ${licence} |`);
  return ['| package | version | licence |', '|---|---|---|', ...rows].join('\n');
}
