/**
 * Loads test files of the project anew for each mutation. The mutated file and its importers get
 * URLs of their own, everything else is loaded once in this thread. The collector is `node:test`.
 */
import { registerHooks, stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export interface Planted {
  /** From the project's root. */
  readonly file: string;
  readonly text: string;
  /** The files that are loaded anew. */
  readonly dependents: ReadonlySet<string>;
}

const ROOT = join(import.meta.dirname, '..', '..', '..');
const COLLECTOR = new URL('./registered.ts', import.meta.url).href;
const BASE = pathToFileURL(join(ROOT, '/')).href;
const OWN = new URL('./', import.meta.url).href;

let planted: Planted | null = null;
let generation = 0;

function pathOf(url: string): string | null {
  const isOurs = url.startsWith(BASE) && !url.startsWith(OWN) && !url.includes('/node_modules/');
  return isOurs ? fileURLToPath(url.split('?')[0] ?? '').slice(ROOT.length + 1) : null;
}

/** Once per thread. */
export function watchLoads(): void {
  registerHooks({
    resolve(specifier, context, nextResolve) {
      const ours = context.parentURL !== undefined && pathOf(context.parentURL) !== null;
      if (ours && specifier === 'node:test') return { url: COLLECTOR, shortCircuit: true };
      const resolved = nextResolve(specifier, context);
      const path = pathOf(resolved.url);
      if (path === null || !planted?.dependents.has(path)) return resolved;
      return { ...resolved, url: `${resolved.url.split('?')[0]}?generation=${generation}` };
    },
    load(url, context, nextLoad) {
      if (planted === null || pathOf(url) !== planted.file) return nextLoad(url, context);
      const source = stripTypeScriptTypes(planted.text);
      return { format: 'module', source, shortCircuit: true };
    },
  });
}

export function plant(next: Planted): void {
  planted = next;
  generation += 1;
}

/** @param path from the project's root */
export async function load(path: string): Promise<unknown> {
  return await import(`${pathToFileURL(join(ROOT, path)).href}?loaded=${generation}`);
}
