/** The documentation's pages of a real gateway in a real browser. */
import assert from 'node:assert/strict';
import type { Browser, Locator, Page, Request } from 'playwright-core';
import { openBrowser } from '../../../../infra/tools/chromium/chromium.ts';
import {
  type BrowserOptions,
  openPage,
  type PanelPage,
  violations,
} from '../../../support/browser.ts';
import { useUntil } from '../../../support/test-hooks.ts';

export interface WatchedPage extends PanelPage {
  /** Every request, of whatever origin. */
  readonly requests: readonly Request[];
}

export interface PagesFixture {
  readonly browser: Browser;
  open(path: string, options?: BrowserOptions): Promise<WatchedPage>;
  /** Fails if any page that was opened broke its policy, threw, or left its origin. */
  stop(): Promise<void>;
}

export async function openPages(origin: string): Promise<PagesFixture> {
  const browser = await openBrowser();
  const offences: (readonly string[])[] = [];
  return {
    browser,
    open: async (path, options) => {
      const opened = await openPage(browser, origin, options);
      offences.push(opened.offences);
      const requests: Request[] = [];
      opened.context.on('request', (request) => requests.push(request));
      await opened.page.goto(path);
      return { ...opened, requests };
    },
    stop: async () => {
      await browser.close();
      assert.deepEqual(offences.flat(), []);
    },
  };
}

/** Of the origin that a started service tells. */
export function usePages(origin: () => string): PagesFixture {
  return useUntil(
    () => openPages(origin()),
    (pages) => pages.stop(),
  );
}

export async function assertAccessible(page: Page, where: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    assert.deepEqual(await violations(page), [], `${where}, ${colorScheme}`);
  }
}

/** More controls than either page has before its operations. */
const TABS_MAX = 400;

/** Tab until the control has the focus. */
export async function reach(page: Page, control: Locator, key = 'Tab'): Promise<void> {
  await control.first().waitFor();
  const focused = control.and(page.locator(':focus'));
  for (let tabs = 0; tabs <= TABS_MAX; tabs++) {
    if ((await focused.count()) === 1) return;
    await page.keyboard.press(key);
  }
  assert.fail(`no ${key} reaches ${control}`);
}

/** All that a page can leave in a browser: empty lists and texts where it left nothing. */
export function storedBy(page: Page): Promise<unknown> {
  return page.evaluate(`(async () => ({
    local: Object.keys(localStorage),
    session: Object.keys(sessionStorage),
    cookies: document.cookie,
    databases: await indexedDB.databases(),
    workers: (await navigator.serviceWorker.getRegistrations()).length,
    name: window.name,
    state: JSON.stringify(history.state),
  }))()`);
}
