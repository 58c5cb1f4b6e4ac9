/**
 * Files of the documentation's pages, by the name in their address. Each is read and compressed at
 * its first use: a gateway whose pages nobody opens holds none of them.
 *
 * 1. The list is closed: no part of an address reaches the disk.
 * 2. The colours and sizes are those of the panel, from its own file.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type EncodedFile, encodeFile } from '../http/encoded-file.ts';

const OWN = join(import.meta.dirname, 'browser');
const PANEL = join(import.meta.dirname, '../panel/browser');
const require = createRequire(import.meta.url);

const SCRIPT = 'text/javascript; charset=utf-8';
const STYLE = 'text/css; charset=utf-8';

export interface TaggedFile extends EncodedFile {
  /** Weak: the codings share it. */
  readonly etag: string;
}

interface Source {
  readonly contentType: string;
  /** Joined in this order. */
  readonly paths: () => readonly string[];
  /** Of the cascade: the styles that a page has for itself are stronger than any layer. */
  readonly layer?: 'frame' | 'swagger';
}

const SOURCES: Readonly<Record<string, Source>> = {
  icon: { contentType: 'image/svg+xml', paths: () => [join(PANEL, 'icon.svg')] },
  'frame-style': {
    contentType: STYLE,
    paths: () => [join(PANEL, 'styles/tokens.css'), join(OWN, 'frame.css')],
    layer: 'frame',
  },
  'page-style': { contentType: STYLE, paths: () => [join(OWN, 'page.css')] },
  'page-script': { contentType: SCRIPT, paths: () => [join(OWN, 'page.mjs')] },
  'try-style': { contentType: STYLE, paths: () => [join(OWN, 'try.css')] },
  'try-script': { contentType: SCRIPT, paths: () => [join(OWN, 'try.mjs')] },
  'swagger-style': {
    contentType: STYLE,
    paths: () => [require.resolve('swagger-ui-dist/swagger-ui.css')],
    layer: 'swagger',
  },
  'swagger-script': {
    contentType: SCRIPT,
    paths: () => [require.resolve('swagger-ui-dist/swagger-ui-bundle.js')],
  },
};

/** One for each source. */
const read = new Map<string, Promise<TaggedFile>>();

/** Null for an unknown name. */
export async function findFile(name: string): Promise<TaggedFile | null> {
  const known = read.get(name);
  if (known) return known;
  const source = Object.hasOwn(SOURCES, name) ? SOURCES[name] : undefined;
  if (!source) return null;
  const file = load(source);
  read.set(name, file);
  // A disk that fails for a moment is asked again by the next request.
  file.catch(() => read.delete(name));
  return file;
}

async function load({ contentType, paths, layer }: Source): Promise<TaggedFile> {
  const parts = await Promise.all(paths().map((path) => readFile(path, 'utf8')));
  const text = parts.join('\n');
  return tagged(Buffer.from(layer ? `@layer ${layer} {\n${text}\n}\n` : text), contentType);
}

export async function tagged(bytes: Uint8Array, contentType: string): Promise<TaggedFile> {
  const digest = createHash('sha256').update(bytes).digest('base64url').slice(0, 22);
  return { ...(await encodeFile(bytes, contentType)), etag: `W/"${digest}"` };
}
