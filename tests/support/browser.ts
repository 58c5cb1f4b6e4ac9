/**
 * A real Chromium for the tests of the panel. The package `@sparticuz/chromium` carries it with its
 * libraries and a font; it is unpacked once into `.runtime`. A machine where it cannot run
 * fails the test: the panel is not proven there.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';

const ROOT = resolve(import.meta.dirname, '../..');
const RUNTIME = join(ROOT, '.runtime');
const require = createRequire(import.meta.url);
const PACKAGE = '@sparticuz/chromium';

const ARGUMENTS = [
  ...['--no-sandbox', '--no-zygote', '--disable-gpu', '--disable-dev-shm-usage'],
  ...['--font-render-hinting=none', '--force-color-profile=srgb', '--hide-scrollbars'],
];

export interface BrowserOptions {
  readonly width?: number;
  readonly height?: number;
  readonly dark?: boolean;
}

export interface PanelPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Deeds that no page may do: violations, errors, requests to elsewhere. */
  readonly offences: readonly string[];
}

async function unpacked(): Promise<string> {
  const { version } = JSON.parse(
    readFileSync(join(ROOT, 'node_modules', PACKAGE, 'package.json'), 'utf8'),
  );
  const folder = join(RUNTIME, `chromium-${version}`);
  if (existsSync(folder)) return folder;
  const draft = `${folder}.${process.pid}`;
  mkdirSync(draft, { recursive: true });
  const env = { ...process.env, TMPDIR: draft, AWS_LAMBDA_JS_RUNTIME: 'nodejs22.x' };
  const program = join(import.meta.dirname, 'unpack-chromium.ts');
  await promisify(execFile)(process.execPath, [program], { cwd: ROOT, env });
  writeFileSync(join(draft, 'fonts.conf'), fontConfiguration(folder));
  try {
    renameSync(draft, folder);
  } catch (error) {
    // Another test file was faster.
    rmSync(draft, { recursive: true, force: true });
    assert.ok(existsSync(folder), String(error));
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

/** @throws when no browser can run here */
export async function openBrowser(): Promise<Browser> {
  const folder = await unpacked();
  return chromium.launch({
    executablePath: join(folder, 'chromium'),
    args: ARGUMENTS,
    env: {
      HOME: folder,
      FONTCONFIG_FILE: join(folder, 'fonts.conf'),
      LD_LIBRARY_PATH: join(folder, 'al2023', 'lib'),
    },
  });
}

/** A violation has no line on the console where its directive is reported only. */
const TELL_VIOLATIONS = `addEventListener('securitypolicyviolation', (event) =>
  console.error('Content Security Policy violated: ' + event.violatedDirective
    + ' by ' + event.blockedURI))`;

/** A page of its own profile. Each page that it opens is watched like the first. */
export async function openPage(
  browser: Browser,
  baseURL: string,
  { width = 1280, height = 800, dark = false }: BrowserOptions = {},
): Promise<PanelPage> {
  const context = await browser.newContext({
    baseURL,
    locale: 'pt-BR',
    timezoneId: 'America/Sao_Paulo',
    viewport: { width, height },
    colorScheme: dark ? 'dark' : 'light',
  });
  context.setDefaultTimeout(10_000);
  const offences = watched(context, baseURL);
  await context.addInitScript(TELL_VIOLATIONS);
  const page = await context.newPage();
  return { page, context, offences };
}

function watched(context: BrowserContext, origin: string): readonly string[] {
  const offences: string[] = [];
  context.on('weberror', (thrown) => offences.push(`error: ${thrown.error().message}`));
  context.on('console', (message) => {
    if (/Content Security Policy|Uncaught/.test(message.text())) offences.push(message.text());
  });
  context.on('request', (request) => {
    if (new URL(request.url()).origin !== origin) offences.push(`request: ${request.url()}`);
  });
  context.on('dialog', (dialog) => {
    offences.push(`dialog: ${dialog.message()}`);
    dialog.dismiss().catch((fault: unknown) => offences.push(String(fault)));
  });
  return offences;
}

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

const AXE_OPTIONS = JSON.stringify({ resultTypes: ['violations'] });

/** Rules of axe-core that the page breaks, with the elements that break them. */
export async function violations(page: Page): Promise<readonly string[]> {
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(AXE);
  const found: unknown =
    await page.evaluate(`axe.run(document, ${AXE_OPTIONS}).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html)))`);
  assert.ok(Array.isArray(found));
  return found.map(String);
}
