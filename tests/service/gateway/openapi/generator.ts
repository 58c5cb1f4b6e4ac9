/**
 * A public generator's TypeScript client of the OpenAPI document, in a folder of the caller's. The
 * generator needs the compiler's JavaScript interface, which TypeScript 7 does not have. It gets
 * the one that `@ts-morph/common` contains.
 */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../../../..');
const COMPILER = import.meta.resolve('@ts-morph/common/dist/typescript.js');

/** Writes the client of `document` (a file) into `folder`. */
export async function generateClient(document: string, folder: string): Promise<void> {
  const hooks = registerHooks({
    resolve: (specifier, context, next) =>
      next(specifier === 'typescript' ? COMPILER : specifier, context),
  });
  try {
    const { createClient } = await import('@hey-api/openapi-ts');
    await createClient({
      input: document,
      output: { path: folder, tsConfigPath: join(ROOT, 'tsconfig.json') },
      plugins: ['@hey-api/typescript', '@hey-api/client-fetch', '@hey-api/sdk'],
      logs: { level: 'silent', file: false },
    });
  } finally {
    hooks.deregister();
  }
}

/**
 * Errors of a strict compiler in all the code of `folder`; empty without any. The option
 * `exactOptionalPropertyTypes` is left out: the generator's own runtime does not keep it.
 */
export function typeErrors(folder: string): string {
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(STRICT));
  const compiler = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  const ran = spawnSync(process.execPath, [compiler, '-p', folder], { encoding: 'utf8' });
  return ran.status === 0 ? '' : `${ran.stdout}${ran.stderr}` || `status ${ran.status}`;
}

const STRICT = {
  compilerOptions: {
    target: 'es2024',
    lib: ['es2024', 'dom', 'dom.iterable'],
    module: 'esnext',
    moduleResolution: 'bundler',
    types: [],
    noEmit: true,
    strict: true,
    noUncheckedIndexedAccess: true,
    noImplicitOverride: true,
    noImplicitReturns: true,
    noFallthroughCasesInSwitch: true,
  },
  include: ['.'],
};
