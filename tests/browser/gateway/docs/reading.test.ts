/** D261: the page to read, in a real browser. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { ROUTES } from '../../../../gateway/routes.ts';
import { CONTRACT_EVENTS } from '../../../../shared/events.ts';
import { useGateway } from '../../../support/gateway/gateway-fixture.ts';
import { assertAccessible, reach, usePages } from './pages-fixture.ts';

const WIDTHS = [1280, 390];

const gateway = useGateway();
const pages = usePages(() => gateway.base);

const searchOf = (page: Page): Locator => page.getByRole('searchbox', { name: 'Procurar' });
const operations = (page: Page): Locator => page.locator('article:visible');
const headingOf = (page: Page, id: string): Locator => page.locator(`[id="${id}"]`);

async function search(page: Page, text: string): Promise<void> {
  await searchOf(page).fill(text);
  await page
    .getByRole('status')
    .filter({ hasText: /\d|Nada/ })
    .waitFor();
}

for (const width of WIDTHS) {
  test(`axe finds nothing at ${width} px, and nothing is wider than the window`, async () => {
    const { page, context } = await pages.open('/docs', { width });
    await assertAccessible(page, `/docs at ${width} px`);
    assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true);
    await search(page, 'etiqueta');
    await assertAccessible(page, `a search at ${width} px`);
    await context.close();
  });
}

test('every operation, event and record can be reached from the list of contents', async () => {
  const { page, context } = await pages.open('/docs');
  // One question for all links: each of a locator's elements is looked for in the whole page.
  const listed = page.getByRole('navigation').getByRole('link');
  const links = await listed.evaluateAll((all) => all.map((link) => link.getAttribute('href')));
  for (const { operationId } of ROUTES) assert.ok(links.includes(`#${operationId}`), operationId);
  const ids = await page.locator('[id]').evaluateAll((all) => all.map(({ id }) => id));
  for (const link of links) {
    const named = ids.filter((id) => `#${id}` === link);
    assert.equal(named.length, 1, String(link));
  }
  const texts = await page.getByRole('navigation').textContent();
  for (const event of CONTRACT_EVENTS) assert.ok(texts?.includes(event), event);
  await context.close();
});

test('the list of contents follows its reader, and never moves the page', async () => {
  const wide = await pages.open('/docs#onDealWon');
  const current = wide.page.locator('a[aria-current="location"]');
  await current.filter({ hasText: 'deal.won' }).waitFor();
  assert.equal(await current.count(), 1);
  await wide.page.evaluate("location.hash = 'listChannels'");
  await current.filter({ hasText: '/channels' }).waitFor();
  const box = await current.boundingBox();
  assert.ok(box && box.y > 0 && box.y < 800, 'it is in view');
  await wide.context.close();
  const { page, context } = await pages.open('/docs', { width: 390 });
  await page.evaluate('scrollTo(0, 9000)');
  await page.locator('a[aria-current="location"]').first().waitFor({ state: 'attached' });
  assert.equal(await page.evaluate('scrollY'), 9000);
  await context.close();
});

test('the search shows the parts that have every word, whatever accents and case', async () => {
  const { page, context } = await pages.open('/docs');
  const all = await operations(page).count();
  await search(page, 'NEGOCIOS');
  assert.ok(await headingOf(page, 'listDeals').isVisible());
  assert.equal(await headingOf(page, 'getMe').isVisible(), false);
  const links = page.getByRole('navigation').locator('a:visible');
  assert.ok((await links.allInnerTexts()).some((text) => text.includes('/deals')));
  assert.ok(!(await links.allInnerTexts()).some((text) => text.includes('/me')));
  await search(page, 'message.failed rede');
  assert.ok(await headingOf(page, 'onMessageFailed').isVisible());
  assert.equal(await headingOf(page, 'onMessageRead').isVisible(), false);
  await search(page, 'xyzzy');
  assert.equal(await operations(page).count(), 0);
  await page.getByRole('status').filter({ hasText: 'Nada encontrado' }).waitFor();
  await searchOf(page).press('Escape');
  assert.equal(await operations(page).count(), all);
  await context.close();
});

test('a link to a part that the search has put away leads there', async () => {
  const { page, context } = await pages.open('/docs');
  await search(page, 'deal.won');
  const link = page.locator('#conteudo a[href^="#"]:visible').first();
  const target = (await link.getAttribute('href'))?.slice(1) ?? '';
  assert.equal(await headingOf(page, target).isVisible(), false);
  await link.click();
  await headingOf(page, target).waitFor();
  assert.equal(await searchOf(page).inputValue(), '');
  await context.close();
});

test('the page is searched, read and copied by keys alone', async () => {
  const { page, context } = await pages.open('/docs');
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.keyboard.press('/');
  assert.equal(await searchOf(page).and(page.locator(':focus')).count(), 1);
  await page.keyboard.type('cada chamada envia uma mensagem');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/docs#sendMessage');
  await searchOf(page).press('Escape');
  const example = page.locator('article[aria-labelledby="sendMessage"]');
  await reach(page, example.getByRole('radio', { name: 'curl' }));
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  assert.ok(await example.getByText('import urllib.request').isVisible());
  assert.equal(await example.getByText('await fetch').isVisible(), false);
  const other = page.locator('article[aria-labelledby="getMe"]');
  assert.ok(await other.getByText('import urllib.request').isVisible(), 'chosen for all');
  await reach(page, example.getByRole('button', { name: 'Copiar' }));
  await page.keyboard.press('Enter');
  await example.getByRole('button', { name: 'Copiado' }).waitFor();
  assert.match(String(await page.evaluate('navigator.clipboard.readText()')), /^import json\n/);
  await page.goto('about:blank');
  await page.goto('/docs');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/docs#conteudo');
  await context.close();
});

test('without its script everything is there, and the languages can be chosen', async () => {
  const context = await pages.browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(`${gateway.base}/docs`);
  assert.equal(await searchOf(page).count(), 0);
  const example = page.locator('article[aria-labelledby="sendMessage"]');
  assert.ok(await example.locator('.in-curl').isVisible());
  await example.getByText('Python', { exact: true }).click();
  assert.ok(await example.getByText('import urllib.request').isVisible());
  await page.getByRole('navigation').getByRole('link', { name: 'deal.won' }).click();
  assert.ok(await page.getByRole('heading', { name: 'deal.won' }).isVisible());
  await context.close();
});

test('on paper everything is shown, in every language, even after a search', async () => {
  const { page, context } = await pages.open('/docs', { dark: true });
  const all = await operations(page).count();
  await search(page, 'etiqueta');
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  assert.equal(await operations(page).count(), all);
  const codes = page.locator('.tabs > pre');
  const shown = page.locator('.tabs > pre:visible');
  assert.ok((await codes.count()) > 60);
  assert.equal(await shown.count(), await codes.count());
  assert.equal(await page.getByRole('navigation').isVisible(), false);
  const ink = await page.evaluate('getComputedStyle(document.body).color');
  assert.equal(ink, 'rgb(23, 33, 28)', 'dark ink, on a dark screen too');
  await context.close();
});

test('each operation leads to the page where it can be called', async () => {
  const { page, context } = await pages.open('/docs');
  for (const operationId of ['changeDeal', 'receiveInbound']) {
    await page.goto('/docs');
    await page.getByRole('link', { name: `Testar ${operationId}` }).click();
    await page.locator('.opblock.is-open').waitFor();
    const id = await page.locator('.opblock.is-open').getAttribute('id');
    assert.equal(id?.split('-').at(-1), operationId);
  }
  assert.equal(await page.goto('/docs').then((answer) => answer?.status()), 200);
  const networks = page.locator('article[aria-labelledby="receiveWebWebhook"]');
  assert.equal(await networks.getByRole('link', { name: 'Testar' }).count(), 0);
  await context.close();
});
