/** The files of `infra/deploy`, read as the operator's programs read them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { parse } from 'yaml';
import { SETTING_DESCRIPTIONS } from '../../infra/config/settings.ts';
import { ROOT, type Source } from '../../infra/tools/source.ts';
import { importsOf } from './imports.ts';

/** Not settings of Recado: docs/security.md, Hardening. */
const OF_LIBRARIES = ['UV_THREADPOOL_SIZE', 'UWS_HTTP_MAX_HEADERS_SIZE'];

export type Settings = Readonly<Record<string, string>>;

export function deployFile(name: string): string {
  return readFileSync(join(ROOT, 'infra/deploy', name), 'utf8');
}

export function unknownSettings(names: Iterable<string>): readonly string[] {
  const known = new Set([...Object.keys(SETTING_DESCRIPTIONS), ...OF_LIBRARIES]);
  return [...names].filter((name) => !known.has(name));
}

const Healthcheck = v.strictObject({
  test: v.pipe(v.array(v.string()), v.minLength(2)),
  interval: v.string(),
  timeout: v.string(),
  retries: v.optional(v.number()),
  start_period: v.string(),
  start_interval: v.optional(v.string()),
});

/** What the file uses of Compose, which refuses a misspelt key. */
const Compose = v.strictObject({
  name: v.string(),
  'x-recado': v.unknown(),
  'x-settings': v.unknown(),
  volumes: v.record(v.string(), v.strictObject({})),
  services: v.record(
    v.string(),
    v.strictObject({
      image: v.string(),
      build: v.optional(v.strictObject({ context: v.string(), dockerfile: v.string() })),
      command: v.array(v.string()),
      restart: v.literal('always'),
      stop_grace_period: v.string(),
      read_only: v.optional(v.boolean()),
      tmpfs: v.optional(v.array(v.string())),
      cap_drop: v.optional(v.array(v.string())),
      security_opt: v.optional(v.array(v.string())),
      depends_on: v.optional(v.array(v.string())),
      environment: v.optional(v.record(v.string(), v.string()), {}),
      ports: v.optional(v.array(v.string()), []),
      volumes: v.optional(v.array(v.string()), []),
      deploy: v.optional(v.strictObject({ replicas: v.number() })),
      healthcheck: v.optional(Healthcheck),
    }),
  ),
});

/**
 * @param given values of the file's variables; without them its text is kept
 * @throws for a key that the file may not have, or that is not in its place
 */
export function readCompose(text: string, given?: Settings) {
  const reviver = (_key: unknown, value: unknown): unknown =>
    given && typeof value === 'string' ? substitute(value, given) : value;
  return v.parse(Compose, parse(text, reviver, { merge: true }));
}

/** `NAME=value` lines, as systemd and Compose read them. */
export function readEnvironment(text: string): Settings {
  const rows = [...text.matchAll(/^([A-Z_]+)=(.*)$/gm)];
  return Object.fromEntries(rows.map(([, name = '', value = '']) => [name, unquoted(value)]));
}

function unquoted(value: string): string {
  return value.replace(/^"(.*)"$/, '$1');
}

/** `${NAME}`, `${NAME:-otherwise}` and `${NAME:?what it is}`. */
const VARIABLE = /\$\{([A-Z_]+)(?::([-?])([^}]*))?\}/g;

export function variablesOf(text: string): readonly string[] {
  return [...text.matchAll(VARIABLE)].map(([, name = '']) => name);
}

/** @throws where a needed value is missing, as Compose does */
function substitute(text: string, given: Settings): string {
  return text.replace(VARIABLE, (_, name: string, sign?: string, rest = '') => {
    const value = given[name];
    if (value) return value;
    if (sign === '?') throw new Error(`${name} is missing: ${rest}`);
    return rest;
  });
}

/** Instructions with their continued lines joined. */
export function instructionsOf(dockerfile: string): readonly (readonly [string, string])[] {
  const text = dockerfile.replace(/^#.*\n/gm, '').replace(/\\\n\s*/g, '');
  return [...text.matchAll(/^([A-Z]+) +(.*)$/gm)].map(([, name = '', rest = '']) => [name, rest]);
}

/** The environment that an image gives its processes. */
export function imageSettings(dockerfile: string): Settings {
  const words = instructionsOf(dockerfile)
    .filter(([name]) => name === 'ENV')
    .flatMap(([, rest]) => rest.split(/\s+/));
  return readEnvironment(words.join('\n'));
}

/** A unit's lines by their key, in order; `%i` is the first instance. */
export function readUnit(text: string) {
  const rows = [...text.matchAll(/^(\w+)=(.*)$/gm)];
  const all = (key: string): readonly string[] =>
    rows.filter(([, name]) => name === key).map(([, , value = '']) => value.replaceAll('%i', '1'));
  const words = all('Environment').flatMap((line) => line.split(' '));
  const one = (key: string): string => all(key)[0] ?? '';
  return { all, one, settings: readEnvironment(words.join('\n')) };
}

/** The modules that those import, and they again, by path; and the packages among them. */
export function importedBy(mains: readonly string[], sources: readonly Source[]) {
  const bySource = new Map(sources.map((source) => [source.path, source]));
  const files = new Set(mains);
  const packages = new Set<string>();
  for (const path of files) {
    const source = bySource.get(path);
    if (!source) continue;
    for (const { own, target } of importsOf(source)) {
      if (own) files.add(target);
      else if (!target.startsWith('node:')) packages.add(packageOf(target));
    }
  }
  return { files, packages };
}

function packageOf(specifier: string): string {
  const [scope = '', name = ''] = specifier.split('/');
  return scope.startsWith('@') ? `${scope}/${name}` : scope;
}
