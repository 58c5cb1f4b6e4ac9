/**
 * The package `recado-client`, made from the service's OpenAPI document (D267).
 *
 * 1. Its code is this folder's `client/`, bundled, and the table of the document's operations.
 * 2. Its types are those of the document, and `api.ts` as it stands.
 * 3. It depends on nothing at run time. The same document gives the same bytes.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build, type Plugin, stop } from 'esbuild';
import type { OperationRow } from './client/client.ts';
import { declarationsOf } from './declarations.ts';
import { operationsOf } from './operations.ts';
import { isObject } from './schema-types.ts';
import { type PackedFile, packFiles } from './tar.ts';

export const PACKAGE = 'recado-client';
const SOURCE = join(import.meta.dirname, 'client');
const GENERATED = 'recado:index';

/** The archive, as `npm pack` makes it. @param document the OpenAPI document, serialized */
export async function packClient(document: string): Promise<Uint8Array> {
  return await packFiles(await clientFiles(document));
}

/** The package's files. @throws for a document that the generator does not understand */
export async function clientFiles(document: string): Promise<readonly PackedFile[]> {
  const parsed: unknown = JSON.parse(document);
  if (!isObject(parsed) || !isObject(parsed.info)) throw new Error('this is no OpenAPI document');
  const rows = operationsOf(parsed).map(rowOf);
  const text = (name: string) => readFile(join(SOURCE, name), 'utf8');
  const [scripts, runtime, listen, readme] = await Promise.all([
    bundle(indexOf(rows)),
    text('api.ts'),
    text('listen/api.ts'),
    text('README.md'),
  ]);
  return [
    { name: 'package.json', text: manifestOf(String(parsed.info.version)) },
    { name: 'README.md', text: readme },
    { name: 'index.d.ts', text: declarationsOf(parsed) },
    { name: 'runtime.d.ts', text: runtime },
    { name: 'listen.d.ts', text: listen },
    ...scripts,
  ];
}

function rowOf(operation: OperationRow): OperationRow {
  const { resource, name, method, path, takes, isKeyed, isPaged, gives, answers } = operation;
  return { resource, name, method, path, takes, isKeyed, isPaged, gives, answers };
}

function indexOf(rows: readonly OperationRow[]): string {
  return [
    "import { clientOf } from './index.ts';",
    "export { NoAnswer, RecadoError, SignatureRefused, StreamReplaced, verify } from './index.ts';",
    `const ROWS = ${JSON.stringify(rows)};`,
    'export const createClient = (options) => clientOf(ROWS, options);',
  ].join('\n');
}

async function bundle(index: string): Promise<readonly PackedFile[]> {
  const { outputFiles } = await build({
    entryPoints: {
      index: GENERATED,
      listen: join(SOURCE, 'listen/index.ts'),
      'recado-listen': join(SOURCE, 'listen/main.ts'),
    },
    plugins: [generated(index)],
    outdir: '/package',
    absWorkingDir: SOURCE,
    bundle: true,
    splitting: true,
    chunkNames: 'chunk-[hash]',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    charset: 'utf8',
    write: false,
    logLevel: 'silent',
  });
  await stop();
  return outputFiles.map(({ path, text }) => {
    const name = path.slice(path.lastIndexOf('/') + 1);
    return { name, text, isProgram: name === 'recado-listen.js' };
  });
}

/** The generated entry lies beside the written ones. */
function generated(index: string): Plugin {
  return {
    name: 'generated',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^recado:index$/ }, ({ path }) => ({ path, namespace: 'generated' }));
      onLoad({ filter: /.*/, namespace: 'generated' }, () => ({
        contents: index,
        resolveDir: SOURCE,
        loader: 'js',
      }));
    },
  };
}

function manifestOf(version: string): string {
  const entry = (name: string) => ({ types: `./${name}.d.ts`, default: `./${name}.js` });
  const manifest = {
    ...{ name: PACKAGE, version, description: 'Client of Recado: calls, events, signatures' },
    ...{ license: 'Apache-2.0', type: 'module', engines: { node: '>=20' }, sideEffects: false },
    exports: { '.': entry('index'), './listen': entry('listen') },
    ...{ types: './index.d.ts', bin: { 'recado-listen': 'recado-listen.js' } },
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}
