/** Payloads as the networks' own sources show them, and how bodies are compared with them. */
import { readdirSync, readFileSync } from 'node:fs';
import * as v from 'valibot';

const FOLDER = new URL('./payloads/', import.meta.url);

const PayloadSchema = v.object({
  /** Where the shape comes from. */
  source: v.string(),
  engine: v.optional(v.picklist(['webjs', 'noweb', 'gows'])),
  payload: v.unknown(),
});

export function payloadNames(provider: 'web' | 'cloud', prefix = ''): readonly string[] {
  return readdirSync(new URL(`${provider}/`, FOLDER))
    .map((file) => file.replace(/\.json$/, ''))
    .filter((name) => name.startsWith(prefix))
    .sort();
}

export function payloadOf(provider: 'web' | 'cloud', name: string): unknown {
  const json = readFileSync(new URL(`${provider}/${name}.json`, FOLDER), 'utf8');
  return v.parse(PayloadSchema, JSON.parse(json)).payload;
}

/** Every key with the type of its value, by path; what a list holds counts once. */
export function shapeOf(value: unknown): readonly string[] {
  const found = new Set<string>();
  collect(value, '', found);
  return [...found].sort();
}

function collect(value: unknown, path: string, found: Set<string>): void {
  if (Array.isArray(value)) {
    found.add(`${path}: list`);
    for (const item of value) collect(item, `${path}[]`, found);
  } else if (typeof value === 'object' && value !== null) {
    found.add(`${path}: object`);
    for (const [key, inner] of Object.entries(value)) collect(inner, `${path}.${key}`, found);
  } else {
    found.add(`${path}: ${value === null ? 'null' : typeof value}`);
  }
}
