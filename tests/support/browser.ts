/**
 * Pages of a real Chromium for the tests of the panel. A machine where it cannot run fails the
 * test: the panel is not proven there.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, BrowserContext, Page } from 'playwright-core';

const require = createRequire(import.meta.url);

/** On a machine that does other things too a page takes seconds for a click. */
const ACTION_MS = 90_000;

export interface BrowserOptions {
  readonly width?: number;
  readonly height?: number;
  readonly dark?: boolean;
  /** A finger, as on a phone, in place of a pointer. */
  readonly touch?: boolean;
}

export interface PanelPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Deeds that no page may do: violations, errors, requests to elsewhere. */
  readonly offences: readonly string[];
}

/** A violation has no line on the console where its directive is reported only. */
const TELL_VIOLATIONS = `addEventListener('securitypolicyviolation', (event) =>
  console.error('Content Security Policy violated: ' + event.violatedDirective
    + ' by ' + event.blockedURI))`;

/** A page of its own profile. Each page that it opens is watched like the first. */
export async function openPage(
  browser: Browser,
  baseURL: string,
  { width = 1280, height = 800, dark = false, touch = false }: BrowserOptions = {},
): Promise<PanelPage> {
  const context = await browser.newContext({
    baseURL,
    locale: 'pt-BR',
    timezoneId: 'America/Sao_Paulo',
    viewport: { width, height },
    hasTouch: touch,
    isMobile: touch,
    colorScheme: dark ? 'dark' : 'light',
  });
  context.setDefaultTimeout(ACTION_MS);
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

/**
 * Holds the answers to changes back, as a slow network may: the live event, and reads behind it,
 * come before them.
 * @returns lets them go, those to come too
 */
export async function holdAnswers(context: BrowserContext, path: RegExp): Promise<() => void> {
  const held = Promise.withResolvers<void>();
  await context.route(path, async (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    const response = await route.fetch();
    await held.promise;
    await route.fulfill({ response });
  });
  return held.resolve;
}

/** An answer of a read that has one text, and not another. */
export function readWith(page: Page, path: RegExp, text: string, absent?: string) {
  return page.waitForResponse(async (response) => {
    if (!path.test(response.url()) || response.request().method() !== 'GET') return false;
    const body = await response.text();
    return body.includes(text) && (absent === undefined || !body.includes(absent));
  });
}

/** What the page has received until now is painted. */
export async function painted(page: Page): Promise<void> {
  await page.evaluate(`(async () => {
    for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame);
  })()`);
}

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

/** A button that has just been enabled is on its way to its colours. */
const SETTLED = `Promise.allSettled(document.getAnimations()
  .filter(({ effect }) => effect.getComputedTiming().endTime !== Infinity)
  .map(({ finished }) => finished))`;

const AXE_OPTIONS = JSON.stringify({ resultTypes: ['violations'] });

/** Rules of axe-core that the page breaks, with the elements that break them. */
export async function violations(page: Page): Promise<readonly string[]> {
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(AXE);
  await page.evaluate(SETTLED);
  const found: unknown =
    await page.evaluate(`axe.run(document, ${AXE_OPTIONS}).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html)))`);
  assert.ok(Array.isArray(found));
  return found.map(String);
}
