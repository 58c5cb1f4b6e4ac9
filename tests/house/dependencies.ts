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
    }),
  ),
});

export interface Dependency {
  readonly name: string;
  readonly version: string;
  readonly licence: string;
}

/** May be used and passed on by an Apache-2.0 project. */
const FREE: ReadonlySet<string> = new Set([
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'MIT-0',
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
