/** D262: the page to try, in a real browser, with a real key on a real service. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { freshPhone } from '../../../support/api.ts';
import { startGateway } from '../../../support/gateway/gateway-fixture.ts';
import { useOrganizations, useStack } from '../../../support/stack-hooks.ts';
import { assertAccessible, openPages, reach, storedBy, usePages } from './pages-fixture.ts';

const NOTHING = {
  ...{ local: [], session: [], cookies: '', databases: [], workers: 0, name: '', state: 'null' },
};

const stack = useStack();
const { try: org } = useOrganizations(stack, { try: {} });
const pages = usePages(() => stack.baseUrl);

const button = (within: Page | Locator, name: string): Locator =>
  within.getByRole('button', { name, exact: true });
const keyField = (page: Page): Locator => page.getByLabel('auth-bearer-value');

async function giveKey(page: Page, key: string): Promise<void> {
  await button(page, 'Authorize').click();
  await keyField(page).fill(key);
  await button(page.locator('.auth-container'), 'Authorize').click();
  await button(page.locator('.auth-container'), 'Logout').waitFor();
  await button(page, 'Close').click();
}

/** Of an operation, as the page to read has it. */
const addressOf = (tag: string, operationId: string): string =>
  `/docs/try#/${encodeURIComponent(tag)}/${operationId}`;

async function openedOperation(page: Page): Promise<Locator> {
  const operation = page.locator('.opblock.is-open');
  await button(operation, 'Execute').waitFor();
  return operation;
}

async function messageAccepted(operation: Locator): Promise<string> {
  const answered = operation.locator('.live-responses-table');
  await answered.getByText('201', { exact: true }).waitFor();
  const text = await answered.locator('.highlight-code').first().textContent();
  const [, id] = /"conversationId": "([\w-]+)"/.exec(text ?? '') ?? assert.fail(String(text));
  return id ?? '';
}

test('a message is sent from the page, and nothing goes to another origin', async () => {
  const { page, context, requests } = await pages.open('/docs');
  await page.getByRole('link', { name: 'Testar no navegador' }).click();
  await page.goto(addressOf('Mensagens', 'sendMessage'));
  await page.reload();
  const operation = await openedOperation(page);
  await giveKey(page, org.key);
  const text = `Do navegador ${freshPhone()}`;
  const body = JSON.stringify({ channelId: org.main, phone: freshPhone(), text });
  await operation.getByRole('textbox', { name: 'Corpo da chamada' }).fill(body);
  await button(operation, 'Execute').click();
  const conversationId = await messageAccepted(operation);
  const [message] = await stack.history(org.key, conversationId);
  assert.equal(message?.text, text);
  const origins = new Set(requests.map((request) => new URL(request.url()).origin));
  assert.deepEqual([...origins], [stack.baseUrl]);
  const keyed = requests.filter((each) => 'authorization' in each.headers());
  assert.deepEqual(
    keyed.map((each) => `${each.method()} ${new URL(each.url()).pathname}`),
    ['POST /api/v1/messages'],
    'the key goes with the call alone',
  );
  assert.equal(keyed[0]?.headers().authorization, `Bearer ${org.key}`);
  await context.close();
});

test('the key is forgotten: nothing is stored, and a reload asks for it anew', async () => {
  const { page, context } = await pages.open(addressOf('Chave', 'getMe'));
  const operation = await openedOperation(page);
  await giveKey(page, org.key);
  await button(operation, 'Execute').click();
  await operation.locator('.live-responses-table').getByText('200', { exact: true }).waitFor();
  assert.deepEqual(await storedBy(page), NOTHING);
  assert.deepEqual(await context.storageState(), { cookies: [], origins: [] });
  assert.ok(!page.url().includes(org.key));
  await page.reload();
  await button(page, 'Authorize').click();
  assert.equal(await keyField(page).inputValue(), '');
  assert.equal(await keyField(page).getAttribute('autocomplete'), 'off', 'nor by the browser');
  assert.equal(await keyField(page).getAttribute('spellcheck'), 'false');
  await context.close();
});

test('a message is sent by keys alone', async () => {
  const { page, context } = await pages.open('/docs/try');
  await reach(page, button(page, 'Authorize'));
  await page.keyboard.press('Enter');
  await reach(page, keyField(page));
  await page.keyboard.type(org.key);
  await page.keyboard.press('Enter');
  await reach(page, button(page, 'Close'));
  await page.keyboard.press('Enter');
  await reach(page, page.locator('#operations-tag-Mensagens').getByRole('button'));
  await page.keyboard.press('Enter');
  await reach(page, page.locator('[id$="sendMessage"] .opblock-summary-control'));
  await page.keyboard.press('Enter');
  const operation = page.locator('.opblock.is-open');
  await reach(page, operation.getByRole('textbox', { name: 'Corpo da chamada' }));
  await page.keyboard.press('ControlOrMeta+a');
  const body = { channelId: org.main, phone: freshPhone(), text: 'Só com o teclado' };
  await page.keyboard.insertText(JSON.stringify(body));
  await reach(page, button(operation, 'Execute'));
  await page.keyboard.press('Enter');
  const [message] = await stack.history(org.key, await messageAccepted(operation));
  assert.equal(message?.text, body.text);
  await context.close();
});

for (const width of [1280, 390]) {
  test(`axe finds nothing on the page to try at ${width} px`, async () => {
    const { page, context } = await pages.open('/docs/try', { width });
    await page.locator('.opblock-tag').first().waitFor();
    await assertAccessible(page, `/docs/try at ${width} px`);
    await button(page, 'Authorize').click();
    await keyField(page).waitFor();
    await assertAccessible(page, `the key at ${width} px`);
    await button(page, 'Close').click();
    await page.locator('#operations-tag-Mensagens').getByRole('button').click();
    await page.locator('[id$="sendMessage"] .opblock-summary-control').click();
    const operation = await openedOperation(page);
    await assertAccessible(page, `an operation at ${width} px`);
    await giveKey(page, org.key);
    await button(operation, 'Execute').click();
    await operation.locator('.live-responses-table').waitFor();
    await assertAccessible(page, `a refusal at ${width} px`);
    assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true);
    await context.close();
  });
}

test('the calls go to the page’s origin, whatever address the description has', async () => {
  await using gateway = await startGateway();
  assert.ok(!gateway.gateway.document.includes(gateway.base), 'it has another one');
  const own = await openPages(gateway.base);
  try {
    const { page, requests } = await own.open('/docs/try#/Sa%C3%BAde/getHealth');
    const operation = page.locator('.opblock.is-open');
    await button(operation, 'Execute').click();
    await operation.locator('.live-responses-table').getByText('200', { exact: true }).waitFor();
    assert.ok(requests.some((each) => each.url() === `${gateway.base}/healthz`));
  } finally {
    await own.stop();
  }
});

test('a description that cannot be read is told, and nothing else is shown', async () => {
  const { page, context } = await pages.open('/docs');
  await context.route('**/docs/files/triable', (route) => route.fulfill({ status: 503 }));
  await page.goto('/docs/try');
  await page.getByRole('alert').filter({ hasText: 'não pôde ser lida' }).waitFor();
  assert.equal(await page.locator('.swagger-ui').count(), 0);
  await context.close();
});
