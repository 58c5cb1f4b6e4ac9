/**
 * A real Chromium for tests and benchmarks of the panel. The package `@sparticuz/chromium` carries
 * it with its libraries and a font; it is unpacked once into `.runtime`.
 */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { type Browser, chromium } from 'playwright-core';
import { environment } from '../../config/process-config.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const RUNTIME = join(ROOT, '.runtime');
const PACKAGE = '@sparticuz/chromium';

const ARGUMENTS = [
  ...['--no-sandbox', '--no-zygote', '--disable-gpu', '--disable-dev-shm-usage'],
  ...['--font-render-hinting=none', '--force-color-profile=srgb', '--hide-scrollbars'],
];

/**
 * @param more arguments of the program
 * @throws when no browser can run here
 */
export async function openBrowser(more: readonly string[] = []): Promise<Browser> {
  const folder = await unpacked();
  return chromium.launch({
    executablePath: join(folder, 'chromium'),
    args: [...ARGUMENTS, ...more],
    env: {
      HOME: folder,
      FONTCONFIG_FILE: join(folder, 'fonts.conf'),
      LD_LIBRARY_PATH: join(folder, 'al2023', 'lib'),
    },
  });
}

async function unpacked(): Promise<string> {
  const { version } = JSON.parse(
    readFileSync(join(ROOT, 'node_modules', PACKAGE, 'package.json'), 'utf8'),
  );
  const folder = join(RUNTIME, `chromium-${version}`);
  if (existsSync(folder)) return folder;
  const draft = `${folder}.${process.pid}`;
  mkdirSync(draft, { recursive: true });
  const env = { ...environment(), TMPDIR: draft, AWS_LAMBDA_JS_RUNTIME: 'nodejs22.x' };
  const program = join(import.meta.dirname, 'unpack.ts');
  await promisify(execFile)(process.execPath, [program], { cwd: ROOT, env });
  writeFileSync(join(draft, 'fonts.conf'), fontConfiguration(folder));
  try {
    renameSync(draft, folder);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    // Another process was faster.
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

/** The package's own names the folders of a Lambda. */
function fontConfiguration(folder: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${join(folder, 'fonts')}</dir>
  <cachedir>${join(folder, 'fonts-cache')}</cachedir>
</fontconfig>
`;
}
