/**
 * Pages of a real Chromium for the tests of the panel. A machine where it cannot run fails the
 * test: the panel is not proven there.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, BrowserContext, Page } from 'playwright-core';

const require = createRequire(import.meta.url);

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

/** A page of its own profile; every request to another origin is an offence. */
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
  const page = await context.newPage();
  const offences: string[] = [];
  page.on('pageerror', (error) => offences.push(`error: ${error.message}`));
  page.on('console', (message) => {
    if (/Content Security Policy|Uncaught/.test(message.text())) offences.push(message.text());
  });
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== baseURL) offences.push(`request: ${request.url()}`);
  });
  return { page, context, offences };
}

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

/** Rules of axe-core that the page breaks, with the elements that break them. */
export async function violations(page: Page): Promise<readonly string[]> {
  await page.evaluate(AXE);
  const found: unknown = await page.evaluate(`axe.run(document).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html)))`);
  assert.ok(Array.isArray(found));
  return found.map(String);
}
