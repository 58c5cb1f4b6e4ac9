/** A session that ends while a message is on its way: it goes once, in a real browser. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BrowserContext, Page, Route } from 'playwright-core';
import { usePanel } from '../../support/panel/panel-fixture.ts';
import { openWith } from './open-conversation.ts';

const MESSAGES = '**/api/v1/messages';
const SESSION = '**/panel/api/session';
const STATES = /^(Enviada|Entregue|Lida)$/;

const panel = usePanel();

const logOf = (page: Page) => page.getByRole('log', { name: 'Mensagens' });

/** The first call is done, and its answer lost; nothing after it arrives. */
async function loseAnswers(context: BrowserContext | Page): Promise<void> {
  let calls = 0;
  await context.route(MESSAGES, async (route: Route) => {
    calls++;
    if (calls === 1) await route.fetch();
    await route.abort();
  });
}

async function write(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Mensagem' }).fill(text);
  await page.getByRole('button', { name: 'Enviar', exact: true }).click();
  await logOf(page).getByText('Sem resposta').first().waitFor();
}

async function signInAgain(page: Page): Promise<void> {
  await page.goto(await panel.link('ana'));
  await page.getByRole('button', { name: 'Agora não' }).click();
  await page.getByRole('heading', { name: 'Conversas' }).waitFor();
}

/** As an administrator ends it: the page is not asked, and hears of it at its next call. */
async function endSession(context: BrowserContext): Promise<void> {
  const headers = { 'x-recado-panel': '1', 'sec-fetch-site': 'same-origin' };
  const answer = await context.request.post(`${panel.url}/panel/api/sign-out`, {
    headers,
    data: {},
  });
  assert.equal(answer.status(), 200, await answer.text());
}

async function assertSentOnce(page: Page, { from, text }: { from: string; text: string }) {
  const bubbles = logOf(page).getByRole('article').filter({ hasText: text });
  await bubbles.getByText(STATES).first().waitFor();
  await logOf(page).getByText('Sem resposta').waitFor({ state: 'detached' });
  const sent = await panel.stack.network.sent(from);
  assert.deepEqual(
    sent.map((each) => each.text),
    [text],
  );
  assert.equal(await bubbles.count(), 1);
}

test('a message whose answer was lost goes once, though its session ended meanwhile', async () => {
  const { page, context } = await panel.signIn('ana');
  const from = await openWith(panel, page, 'Rui Fim');
  await loseAnswers(context);
  await write(page, 'Segue o boleto');
  const thread = page.url();
  await endSession(context);
  await page.reload();
  await page.getByRole('heading', { name: 'Entrar' }).waitFor();
  await context.unroute(MESSAGES);
  await signInAgain(page);
  await page.goto(thread);
  await assertSentOnce(page, { from, text: 'Segue o boleto' });
  await context.close();
});

/** The page does not hear of the other session before its repeat. */
async function signInElsewhere(page: Page, context: BrowserContext): Promise<void> {
  await page.route(SESSION, (route) => route.abort());
  const other = await context.newPage();
  await other.route(MESSAGES, (route) => route.abort());
  await signInAgain(other);
}

test('a page of a former session repeats what was done: it goes once', async () => {
  const { page, context } = await panel.signIn('ana');
  const from = await openWith(panel, page, 'Lia Antes');
  await loseAnswers(page);
  await write(page, 'Segue o recibo');
  await signInElsewhere(page, context);
  await page.unroute(MESSAGES);
  await assertSentOnce(page, { from, text: 'Segue o recibo' });
  await context.close();
});

test('a page of a former session is refused what was not done, and keeps its key', async () => {
  const { page, context } = await panel.signIn('ana');
  const from = await openWith(panel, page, 'Noa Antes');
  const keys = new Set<string | undefined>();
  let isCutOff = true;
  await page.route(MESSAGES, (route) => {
    const request = route.request();
    if (request.method() === 'POST') keys.add(request.headers()['idempotency-key']);
    return isCutOff ? route.abort() : route.continue();
  });
  await write(page, 'Segue a nota');
  await signInElsewhere(page, context);
  isCutOff = false;
  await logOf(page).getByRole('alert').waitFor();
  const found = page.waitForResponse(SESSION);
  await page.unroute(SESSION);
  await found;
  await logOf(page).getByRole('button', { name: 'Tentar de novo' }).click();
  await assertSentOnce(page, { from, text: 'Segue a nota' });
  assert.equal(keys.size, 1);
  await context.close();
});
