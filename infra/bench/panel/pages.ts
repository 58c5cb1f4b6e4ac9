/** Real pages of the panel in Chromium, each with a session of its own. */
import type { Browser, Page } from 'playwright-core';
import { openBrowser } from '../../tools/chromium/chromium.ts';
import { NOTE_PAINTS, type Painted, parsePainted, TAKE_PAINTS } from './painted.ts';

export interface PagesPlan {
  readonly panelUrl: string;
  /** One page for each. */
  readonly cookies: readonly string[];
  /** Conversation that the first page shows; the others show the list alone. */
  readonly conversationId: string;
}

export interface Pages {
  /** Shows Conversas, and resolves when every page has its list. */
  show(): Promise<void>;
  /** Leaves the panel; the sessions stay. */
  leave(): Promise<void>;
  /** All that was painted since the last time, page by page. */
  takePainted(): Promise<readonly (readonly Painted[])[]>;
  close(): Promise<void>;
}

export async function openPages(plan: PagesPlan): Promise<Pages> {
  const browser = await openBrowser();
  const pages: Page[] = [];
  for (const cookie of plan.cookies) pages.push(await pageOf(browser, plan.panelUrl, cookie));
  const show = async (page: Page, at: number): Promise<void> => {
    const path = at === 0 ? `/conversas/${plan.conversationId}` : '/conversas';
    await page.goto(`${plan.panelUrl}${path}`);
    const list = page.getByRole('list', { name: 'Conversas' });
    await list.getByRole('listitem').first().waitFor();
    if (at === 0) await page.getByRole('log', { name: 'Mensagens' }).waitFor();
  };
  return {
    show: async () => void (await Promise.all(pages.map(show))),
    leave: async () => void (await Promise.all(pages.map((page) => page.goto('about:blank')))),
    takePainted: () =>
      Promise.all(pages.map(async (page) => parsePainted(await page.evaluate(TAKE_PAINTS)))),
    close: () => browser.close(),
  };
}

async function pageOf(browser: Browser, url: string, cookie: string): Promise<Page> {
  const context = await browser.newContext({
    locale: 'pt-BR',
    timezoneId: 'America/Sao_Paulo',
    viewport: { width: 1280, height: 800 },
  });
  const [name = '', value = ''] = cookie.split('=', 2);
  await context.addCookies([{ name, value, url, httpOnly: true, sameSite: 'Strict' }]);
  await context.addInitScript(NOTE_PAINTS);
  return context.newPage();
}
