/**
 * Bundler of the panel's pages. At the start `esbuild` compiles `browser/` in memory: one entry,
 * and one chunk a screen. The name of each file holds the hash of its content.
 *
 * 1. Nothing is written to a disk, and no file is read after the start.
 * 2. A file below `/assets/` never changes under its name: browsers keep it for a year. The page
 *    itself is asked for anew each time.
 * 3. Each file is compressed once, by brotli and by gzip.
 */
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { build, type Metafile, type Plugin, stop } from 'esbuild';
import { chooseCoding, type EncodedFile, encodeFile } from '../http/encoded-file.ts';

const SOURCE = join(import.meta.dirname, 'browser');
const ENTRY = 'main';
/** The first screen of a member. Its page names its scripts too, so that none waits for another. */
const HOME = { path: /^\/(conversas(\/|$)|$)/, source: 'conversations/conversations.tsx' };
const FOLDER = '/assets/';
const FOREVER = 'public, max-age=31536000, immutable';

const HTML = 'text/html; charset=utf-8';
const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};

export interface AssetReply {
  readonly bytes: Uint8Array;
  readonly contentType: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Assets {
  /** The file at a path below `/assets/`, else the page; null for an unknown file. */
  find(path: string, acceptEncoding: string): AssetReply | null;
  /** Compressed size of the scripts that the page loads before it shows anything. */
  readonly firstLoadBytes: number;
}

interface Asset extends EncodedFile {
  readonly cacheControl: string;
}

function encoded(asset: Asset, acceptEncoding: string): AssetReply {
  const { bytes, headers } = chooseCoding(asset, acceptEncoding);
  const { contentType, cacheControl } = asset;
  return { bytes, contentType, headers: { 'cache-control': cacheControl, ...headers } };
}

/**
 * Of the table of emoji the pages need names, search words and groups, in their order. With skin
 * tones and parts of emoji its compression would take 0.3 s of each start, and twice the bytes.
 */
const EMOJI: Plugin = {
  name: 'emoji',
  setup({ onLoad }) {
    onLoad({ filter: /emojibase-data[\\/]pt[\\/]compact\.json$/ }, async ({ path }) => ({
      contents: JSON.stringify(neededOf(JSON.parse(await readFile(path, 'utf8')))),
      loader: 'json',
    }));
  },
};

interface TabledEmoji {
  readonly unicode: string;
  readonly label: string;
  readonly tags?: readonly string[];
  readonly group?: number;
  readonly order?: number;
}

const GROUP_OF_PARTS = 2;

function neededOf(table: readonly TabledEmoji[]): readonly TabledEmoji[] {
  return table
    .filter(({ group }) => group !== undefined && group !== GROUP_OF_PARTS)
    .toSorted((a, b) => (a.order ?? 0) - (b.order ?? 0))
    .map(({ unicode, label, tags = [], group = 0 }) => ({ unicode, label, tags, group }));
}

/** @throws when the source does not compile */
export async function buildAssets(): Promise<Assets> {
  const { outputFiles, metafile } = await build({
    entryPoints: { [ENTRY]: join(SOURCE, 'main.tsx'), icon: join(SOURCE, 'icon.svg') },
    absWorkingDir: SOURCE,
    tsconfig: join(SOURCE, 'tsconfig.json'),
    outdir: FOLDER,
    publicPath: FOLDER,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    loader: { '.svg': 'copy' },
    plugins: [EMOJI],
    bundle: true,
    splitting: true,
    format: 'esm',
    target: 'es2022',
    minify: true,
    legalComments: 'none',
    charset: 'utf8',
    metafile: true,
    write: false,
    logLevel: 'silent',
  });
  await stop();
  const entries = outputFiles.map(async ({ path, contents }) => {
    const type = TYPES[path.slice(path.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
    return [FOLDER + basename(path), await compressed(contents, type, FOREVER)] as const;
  });
  const files: ReadonlyMap<string, Asset> = new Map(await Promise.all(entries));
  const names = namesOf(metafile);
  const plain = await pageWith(names, []);
  const home = await pageWith(names, names.ofHome);
  return {
    firstLoadBytes: [...names.scripts, ...names.ofHome]
      .map((name) => files.get(FOLDER + name)?.brotli.length ?? 0)
      .reduce((sum, bytes) => sum + bytes, 0),
    find: (path, acceptEncoding) => {
      const page = HOME.path.test(path) ? home : plain;
      const asset = path.startsWith(FOLDER) ? files.get(path) : page;
      return asset ? encoded(asset, acceptEncoding) : null;
    },
  };
}

function pageWith(names: FileNames, more: readonly string[]): Promise<Asset> {
  const html = pageOf({ ...names, scripts: [...names.scripts, ...more] });
  return compressed(new TextEncoder().encode(html), HTML, 'no-cache');
}

async function compressed(
  plain: Uint8Array,
  contentType: string,
  cacheControl: string,
): Promise<Asset> {
  return { ...(await encodeFile(plain, contentType)), cacheControl };
}

interface FileNames {
  /** The entry first, then the chunks that it imports statically. */
  readonly scripts: readonly string[];
  /** Further scripts of the first screen. */
  readonly ofHome: readonly string[];
  readonly style: string;
  readonly icon: string;
}

function namesOf({ outputs }: Metafile): FileNames {
  const outputOf = (source: string) =>
    Object.keys(outputs).find((path) => outputs[path]?.entryPoint === source);
  const entry = outputOf('main.tsx');
  const home = outputOf(HOME.source);
  const icon = Object.keys(outputs).find((path) => /icon-\w+\.svg$/.test(path));
  const style = entry === undefined ? undefined : outputs[entry]?.cssBundle;
  if (!entry || !home || !style || !icon) throw new Error('the bundle of the panel is incomplete');
  const scripts = withImports(outputs, entry);
  const ofHome = withImports(outputs, home).filter((path) => !scripts.includes(path));
  return {
    scripts: scripts.map((path) => basename(path)),
    ofHome: ofHome.map((path) => basename(path)),
    style: basename(style),
    icon: basename(icon),
  };
}

/** The script first, then those that it imports statically. */
function withImports(outputs: Metafile['outputs'], script: string): readonly string[] {
  const scripts = new Set([script]);
  for (const path of scripts) {
    for (const { path: target, kind } of outputs[path]?.imports ?? []) {
      if (kind === 'import-statement') scripts.add(target);
    }
  }
  return [...scripts];
}

function pageOf({ scripts, style, icon }: Omit<FileNames, 'ofHome'>): string {
  const [entry = '', ...chunks] = scripts;
  const preloads = chunks.map((name) => `<link rel="modulepreload" href="${FOLDER}${name}">`);
  return `<!doctype html>
<html lang="pt-BR">
<head>
<meta charset="utf-8">
<title>Recado</title>
<meta name="viewport" content="width=device-width, initial-scale=1, interactive-widget=resizes-content">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="${FOLDER}${icon}" type="image/svg+xml">
<link rel="stylesheet" href="${FOLDER}${style}">
${preloads.join('\n')}
<script type="module" src="${FOLDER}${entry}"></script>
</head>
<body>
<div id="app"></div>
<noscript>O painel do Recado precisa de JavaScript.</noscript>
</body>
</html>
`;
}
