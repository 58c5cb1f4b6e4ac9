/** The panel in a real browser on a real stack, driven by role and name only. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { freshPhone } from '../../support/api.ts';
import { violations } from '../../support/browser.ts';
import { usePanel } from '../../support/panel/panel-fixture.ts';
import { waitFor } from '../../support/wait-for.ts';
import { pressBeforePainting } from './before-painting.ts';
import { historyPage, MESSAGES, NODES_MAX, reach, scrolledTo } from './long-thread.ts';

const PASSPHRASE = 'quatro palavras bem ao acaso';

const panel = usePanel();

/** A contact writes; the page shows it once it is read anew. */
async function write(text: string, name: string): Promise<string> {
  const from = freshPhone();
  await panel.stack.network.inbound({ channelId: panel.shop.main, from, text, name });
  return from;
}

function rowOf(page: Page, name: string) {
  return page.getByRole('list', { name: 'Conversas' }).getByRole('link', { name });
}

function logOf(page: Page) {
  return page.getByRole('log', { name: 'Mensagens' });
}

test('a link opens Conversas once; a used one shows an alert and no navigation', async () => {
  const { page, context, offences } = await panel.open();
  const link = await panel.link('ana');
  await page.goto(link);
  await page.getByLabel('Nova senha').fill(PASSPHRASE);
  await page.getByLabel('Repita a senha').fill(PASSPHRASE);
  assert.deepEqual(await violations(page), []);
  await page.getByRole('button', { name: 'Salvar e entrar' }).click();
  await page.getByRole('heading', { name: 'Conversas' }).waitFor();
  await page.getByRole('button', { name: 'Sair' }).click();
  await page.getByLabel('E-mail').fill(panel.emailOf('ana'));
  await page.getByLabel('Senha').fill(PASSPHRASE);
  assert.deepEqual(await violations(page), []);
  await page.getByRole('button', { name: 'Entrar' }).click();
  await page.getByRole('navigation').getByRole('link', { name: 'Conversas' }).waitFor();
  await page.getByRole('button', { name: 'Sair' }).click();
  await page.getByRole('heading', { name: 'Entrar' }).waitFor();
  await page.goto(link);
  await page.getByRole('alert').waitFor();
  assert.equal(await page.getByRole('navigation').count(), 0);
  assert.deepEqual(offences, []);
  await context.close();
});

test('an attendant answers, notes, assigns and resolves, by keyboard alone', async () => {
  await write('Olá <b>tudo</b>?', 'Rui <img src=x onerror=alert(1)>');
  const { page, context, offences } = await panel.signIn('ana');
  await rowOf(page, 'Rui').waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await logOf(page).getByText('Olá <b>tudo</b>?').waitFor();
  await page.keyboard.press('r');
  await page.keyboard.type('Oi Rui, bom dia');
  await page.keyboard.press('Enter');
  const sent = logOf(page).getByRole('article').filter({ hasText: 'Oi Rui, bom dia' });
  await sent.getByText(/^(Enviada|Entregue|Lida)$/).waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('n');
  await page.keyboard.type('Cliente antigo');
  await page.keyboard.press('Enter');
  await logOf(page).getByRole('article').filter({ hasText: 'Nota interna' }).waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('a');
  await page.getByRole('menuitem', { name: 'Ana Souza' }).and(page.locator(':focus')).waitFor();
  await page.keyboard.press('Enter');
  await page.getByText('Responsável: Ana Souza').waitFor();
  await page.keyboard.press('e');
  await page.getByRole('button', { name: 'Reabrir' }).waitFor();
  await page.keyboard.press('?');
  await page.getByRole('dialog').getByText('Próxima conversa').waitFor();
  assert.deepEqual(await violations(page), []);
  assert.deepEqual(offences, []);
  await context.close();
});

test('a note that is begun right behind the choice of its conversation is one', async () => {
  await write('Primeira', 'Yara Nota');
  await write('Segunda', 'Wagner Nota');
  const { page, context } = await panel.signIn('ana');
  await rowOf(page, 'Yara').click();
  await logOf(page).getByText('Primeira').waitFor();
  await rowOf(page, 'Wagner').focus();
  await pressBeforePainting(page, 'focused.click();', 'n');
  await logOf(page).getByText('Segunda').waitFor();
  await page.keyboard.type('Só para nós');
  await page.keyboard.press('Enter');
  const noted = logOf(page).getByRole('article').filter({ hasText: 'Só para nós' });
  await noted.getByText('Nota interna').waitFor();
  assert.equal(await noted.count(), 1);
  await context.close();
});

test('a draft survives a reload, and so does a message without an answer, which is sent once', async () => {
  await write('Ainda tem?', 'Lia Prado');
  const { page, context } = await panel.signIn('ana');
  await rowOf(page, 'Lia').click();
  const box = page.getByRole('textbox', { name: 'Mensagem' });
  await box.fill('Tem sim');
  await page.reload();
  await logOf(page).getByText('Ainda tem?').waitFor();
  assert.equal(await box.inputValue(), 'Tem sim');
  await context.route('**/api/v1/messages', (route) => route.abort());
  await page.getByRole('button', { name: 'Enviar' }).click();
  await logOf(page).getByText('Sem resposta').waitFor();
  await page.reload();
  await logOf(page).getByText('Sem resposta').waitFor();
  await context.unroute('**/api/v1/messages');
  const sent = logOf(page).getByRole('article').filter({ hasText: 'Tem sim' });
  await sent.getByText(/^(Na fila|Enviada|Entregue|Lida)$/).waitFor();
  assert.equal(await sent.count(), 1);
  await context.close();
});

test('a file is attached by its button and taken away, and a quick reply is inserted', async () => {
  await write('Manda a tabela?', 'Caio Dias');
  const { page, context } = await panel.signIn('bia');
  await rowOf(page, 'Caio').click();
  await logOf(page).getByText('Manda a tabela?').waitFor();
  const choosing = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Anexar arquivo' }).click();
  const file = { name: 'nota.txt', mimeType: 'text/plain', buffer: Buffer.from('nota') };
  await (await choosing).setFiles(file);
  await page.getByRole('button', { name: 'Remover nota.txt' }).click();
  await page.getByText('nota.txt').waitFor({ state: 'detached' });
  const box = page.getByRole('textbox', { name: 'Mensagem' });
  await box.fill('Bom dia!');
  await page.getByRole('button', { name: 'Respostas rápidas' }).click();
  await page.getByRole('menuitem', { name: 'Salvar o texto como resposta rápida' }).click();
  await page.getByLabel('Título da resposta rápida').fill('Saudação');
  await page.getByLabel('Título da resposta rápida').press('Enter');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  assert.equal(await box.inputValue(), 'Bom dia!');
  assert.equal(await logOf(page).getByRole('article').count(), 1);
  await box.fill('');
  await page.getByRole('button', { name: 'Respostas rápidas' }).click();
  await page.getByRole('menuitem', { name: 'Saudação' }).click();
  assert.equal(await box.inputValue(), 'Bom dia!');
  await page.keyboard.type(' Tudo bem?');
  assert.equal(await box.inputValue(), 'Bom dia! Tudo bem?');
  await page.getByRole('button', { name: 'Respostas rápidas' }).click();
  await page.getByRole('menuitem', { name: 'Apagar respostas rápidas' }).click();
  await page.getByRole('button', { name: 'Apagar Saudação' }).click();
  await page.getByRole('dialog').getByText('Nenhuma resposta rápida').waitFor();
  await page.keyboard.press('Escape');
  await context.close();
});

test('a held key acts once, a pause ends by the clock, and a contact over a thread lets it go', async () => {
  await write('Bom dia', 'Noa Melo');
  const { page, context } = await panel.signIn('ana', { width: 1100, height: 800 });
  await page.clock.install();
  await page.goto('/conversas?unread=true');
  await rowOf(page, 'Noa').click();
  await logOf(page).getByText('Bom dia').waitFor();
  await page.keyboard.down('n');
  await page.keyboard.down('n');
  await page.keyboard.up('n');
  assert.equal(await page.getByRole('textbox', { name: 'Mensagem' }).inputValue(), '');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Pausar automação' }).click();
  await page.getByText(/^Automação pausada até /).waitFor();
  await page.clock.fastForward('01:00:30');
  await page.getByRole('button', { name: 'Pausar automação' }).waitFor();
  assert.equal(await page.getByText(/^Automação pausada até /).count(), 0);
  await page.getByRole('button', { name: 'Contato', exact: true }).click();
  const pane = page.getByRole('complementary', { name: 'Contato' });
  await pane.getByText('Opt-in').waitFor();
  await page.keyboard.press('r');
  await page.keyboard.type('xyze');
  assert.equal(await page.getByRole('textbox', { name: 'Mensagem' }).inputValue(), '');
  await page.keyboard.press('Enter');
  await pane.waitFor({ state: 'detached' });
  assert.equal(await page.getByRole('button', { name: 'Reabrir' }).count(), 0);
  await page.keyboard.press('r');
  await page.keyboard.type('chega');
  assert.equal(await page.getByRole('textbox', { name: 'Mensagem' }).inputValue(), 'chega');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Atalhos de teclado' }).click();
  await page.getByRole('dialog').getByText('Próxima conversa').waitFor();
  await context.close();
});

test('letters of a search and another filter both count, whichever comes first', async () => {
  await write('Oi', 'Maria Alves');
  const { page, context } = await panel.signIn('ana');
  await rowOf(page, 'Maria').waitFor();
  await page.getByRole('searchbox', { name: 'Buscar' }).pressSequentially('maria');
  await page.getByRole('button', { name: 'Não lidas' }).click();
  await page.waitForURL((url) => url.searchParams.get('query') === 'maria');
  assert.equal(new URL(page.url()).searchParams.get('unread'), 'true');
  await rowOf(page, 'Maria').click();
  await logOf(page).waitFor();
  assert.equal(new URL(page.url()).searchParams.get('query'), 'maria');
  await context.close();
});

test('the address of a conversation that was joined to another one leads there', async () => {
  await write('Sou eu de novo', 'Ivo Paz');
  const { page, context } = await panel.signIn('ana');
  await rowOf(page, 'Ivo').click();
  await page.waitForURL('**/conversas/*');
  const { pathname } = new URL(page.url());
  const id = pathname.replace('/conversas/', '');
  await context.route('**/panel/api/conversations/younger', (route) =>
    route.continue({ url: route.request().url().replace('younger', id) }),
  );
  await page.goto('/conversas/younger?unread=true');
  await logOf(page).getByText('Sou eu de novo').waitFor();
  const { pathname: led, search } = new URL(page.url());
  assert.deepEqual([led, search], [pathname, '?unread=true']);
  await context.close();
});

test(`a thread of ${MESSAGES} messages has at most ${NODES_MAX} nodes, and nothing jumps`, async () => {
  const from = await write('Oi', 'Eva Lima');
  const { page, context } = await panel.signIn('ana', { width: 390, height: 844 });
  const second = Promise.withResolvers<void>();
  let word = 'palavra ';
  await context.route('**/api/v1/messages?*', async (route) => {
    const url = route.request().url();
    if (url.includes('page=2&')) await second.promise;
    await route.fulfill({ contentType: 'application/json', body: historyPage(url, word) });
  });
  await rowOf(page, 'Eva').click();
  const log = logOf(page);
  await log.getByText(`mensagem ${MESSAGES - 1} `).waitFor();
  await log.hover();
  const watched = log.getByText(`mensagem ${MESSAGES - 96} `);
  await waitFor(() => scrolledTo(page, log, watched), { what: 'the oldest messages of a page' });
  const before = await watched.boundingBox();
  second.resolve();
  await log.getByText(`mensagem ${MESSAGES - 102} `).waitFor();
  const after = await watched.boundingBox();
  assert.ok(before && after);
  assert.ok(Math.abs(before.y - after.y) <= 2, `${before.y} px became ${after.y} px`);
  for (const wheel of [-600, -3_000, -200_000, -900_000]) {
    await page.mouse.wheel(0, wheel);
    await log
      .getByText(/^mensagem \d+/)
      .first()
      .waitFor();
    const nodes = await page.evaluate('document.querySelectorAll("*").length');
    assert.ok(Number(nodes) <= NODES_MAX, `${nodes} nodes`);
  }
  await reach(page, log.getByText(/^mensagem 0 /));
  await page.getByRole('button', { name: 'Ir para a última mensagem' }).click();
  await log.getByText(`mensagem ${MESSAGES - 1} `).waitFor();
  word = 'outra ';
  const anew = page.waitForResponse(/messages\?.*page=1&/);
  await panel.stack.network.inbound({ channelId: panel.shop.main, from, text: 'Oi de novo' });
  await anew;
  await reach(page, log.getByText(/^mensagem 1 outra/));
  await context.close();
});

test('a session that an admin ends leads every tab to the way in, untouched', async () => {
  const { page, context, offences } = await panel.signIn('bia');
  const second = await context.newPage();
  await second.goto('/tarefas');
  await second.getByRole('heading', { name: 'Tarefas' }).waitFor();
  const tabs = [page, second];
  for (const tab of tabs) await tab.evaluate("globalThis.mark = 'not reloaded'");
  const { page: admin, context: other } = await panel.signIn('ana');
  await admin.getByRole('link', { name: 'Equipe' }).click();
  const sessions = admin.getByRole('list', { name: 'Sessões abertas' }).getByRole('listitem');
  const ended = sessions.filter({ hasText: 'Bia Reis' });
  await ended.first().waitFor();
  for (let left = await ended.count(); left > 0; left--) {
    await ended.first().getByRole('button', { name: 'Encerrar sessão' }).click();
    await ended.nth(left - 1).waitFor({ state: 'detached' });
  }
  for (const tab of tabs) {
    await tab.getByRole('heading', { name: 'Entrar' }).waitFor();
    assert.equal(await tab.getByRole('navigation').count(), 0);
    assert.equal(await tab.evaluate('globalThis.mark'), 'not reloaded');
  }
  assert.deepEqual(offences, []);
  await context.close();
  await other.close();
});

test('what brought a contact, and what they ask about and order, is in the entry', async () => {
  const from = freshPhone();
  const tell = (more: Readonly<Record<string, unknown>>) =>
    panel.stack.network.control('POST /inbound', { channelId: panel.shop.main, from, ...more });
  const referral = { source_id: '1', source_type: 'ad', headline: 'Aquecedores <b>já</b>' };
  const coffee = { product_retailer_id: 'CAFE', quantity: 2, item_price: 19.995, currency: 'BRL' };
  await tell({ text: 'Vi e gostei', referral, name: 'Dora' });
  await tell({ text: 'Tem este?', product: { product_retailer_id: 'CAFE' } });
  await tell({ order: { catalog_id: '88', text: 'Para hoje', product_items: [coffee] } });
  const { page, context } = await panel.signIn('ana');
  await rowOf(page, 'Dora').click();
  const log = page.getByRole('log', { name: 'Mensagens' });
  const entry = (text: string) => log.getByRole('article').filter({ hasText: text });
  await entry('Vi e gostei').getByText('Veio do anúncio: Aquecedores <b>já</b>').waitFor();
  await entry('Tem este?').getByText('Sobre o produto CAFE').waitFor();
  const sum = /^Pedido do catálogo · 2 itens · R\$\s40,00$/;
  await entry('Para hoje').getByText(sum).waitFor();
  await context.close();
});
