/** A new user's first minute in the panel, as the README tells it: `npm start` with its demo. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import * as v from 'valibot';
import { openBrowser } from '../../infra/tools/chromium/chromium.ts';
import { openPage } from '../support/browser.ts';
import { type Stack, startStack } from '../support/stack.ts';

const DemoSchema = v.object({
  secrets: v.object({ accountKey: v.string() }),
  channelId: v.string(),
});
const PASSPHRASE = 'quatro palavras bem ao acaso';
const PHONE = '5511912345678';

let stack: Stack;
let browser: Browser;

before(async () => {
  [stack, browser] = await Promise.all([
    startStack({ settings: { FORMATION: 'panel=1' }, demo: true }),
    openBrowser(),
  ]);
});

after(async () => {
  await browser?.close();
  await stack?.stop();
});

function printed(): string {
  const [, link] = /^ {2}Sign in \(once\) +(http\S+)$/m.exec(stack.story()) ?? [];
  assert.ok(link !== undefined, 'the start prints a link');
  return link;
}

const logOf = (page: Page) => page.getByRole('log', { name: 'Mensagens' });

test('the printed link opens Conversas once, and the first message is answered there', async () => {
  const link = printed();
  const { origin } = new URL(link);
  assert.equal(origin, stack.runFile().panelUrl);
  const { page, context, offences } = await openPage(browser, origin);
  await page.goto(link);
  await page.getByLabel('Nova senha').fill(PASSPHRASE);
  await page.getByLabel('Repita a senha').fill(PASSPHRASE);
  await page.getByRole('button', { name: 'Salvar e entrar' }).click();
  await page.getByRole('heading', { name: 'Conversas' }).waitFor();

  const file = readFileSync(join(stack.dataDir, 'demo.json'), 'utf8');
  const { secrets, channelId } = v.parse(DemoSchema, JSON.parse(file));
  await stack.send(secrets.accountKey, { channelId, phone: PHONE, text: 'Recado funcionando.' });
  const list = page.getByRole('list', { name: 'Conversas' });
  await list.getByRole('link').filter({ hasText: 'Recado funcionando.' }).click();
  await page.getByRole('textbox', { name: 'Mensagem' }).fill('Posso ajudar?');
  await page.getByRole('button', { name: 'Enviar' }).click();
  const answer = logOf(page).getByRole('article').filter({ hasText: 'Posso ajudar?' });
  await answer.getByText('Lida').waitFor();
  await stack.network.inbound({ channelId, from: PHONE, text: 'Sim, o preço.' });
  await logOf(page).getByText('Sim, o preço.').waitFor();

  const again = await openPage(browser, origin);
  await again.page.goto(link);
  await again.page.getByRole('alert').waitFor();
  assert.equal(await again.page.getByRole('navigation').count(), 0);
  assert.deepEqual([...offences, ...again.offences], []);
  await Promise.all([context.close(), again.context.close()]);
});
