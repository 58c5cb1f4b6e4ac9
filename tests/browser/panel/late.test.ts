/** Pages beside refused reads, late answers, lost hints, and a browser with another person. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page, Route } from 'playwright-core';
import { freshPhone } from '../../support/api.ts';
import { holdAnswers, painted, readWith } from '../../support/browser.ts';
import { usePanel } from '../../support/panel/panel-fixture.ts';

const PASSPHRASE = 'quatro palavras bem ao acaso';
const READS = /\/api\/(v1\/messages|v1\/channels|conversations|members)\b/;
const CHANGES = /\/api\/v1\/conversations\/[\w-]+$/;
const DEAF = `{
  const { addEventListener: add } = EventSource.prototype;
  EventSource.prototype.addEventListener = function (type, ...rest) {
    if (type !== 'hint') add.call(this, type, ...rest);
  };
}`;

const panel = usePanel();

async function write(text: string, name: string, from = freshPhone()): Promise<string> {
  await panel.stack.network.inbound({ channelId: panel.shop.main, from, text, name });
  return from;
}

function rowOf(page: Page, name: string) {
  return page.getByRole('list', { name: 'Conversas' }).getByRole('link', { name });
}

function refuse(route: Route): Promise<void> {
  return route.fulfill({
    status: 503,
    contentType: 'application/json',
    body: '{"error":"Agora não."}',
  });
}

test('a read that is refused heals by itself, and the page says that it may be late', async () => {
  const from = await write('Oi', 'Rui');
  const { page, context } = await panel.signIn('ana');
  await rowOf(page, 'Rui').click();
  const log = page.getByRole('log', { name: 'Mensagens' });
  await log.getByText('Oi').waitFor();
  await context.route(READS, refuse);
  await write('Ainda tem pão?', 'Rui', from);
  const stale = page.getByRole('status').filter({ hasText: 'pode estar atrasado' });
  await stale.waitFor();
  await context.unroute(READS);
  await log.getByText('Ainda tem pão?').waitFor();
  await rowOf(page, 'Ainda tem pão?').waitFor();
  await stale.waitFor({ state: 'detached' });
  await context.close();
});

test('a message that comes late stands among the others, and says when it came', async () => {
  const from = await write('Ainda aberto?', 'Nina');
  const { page, context } = await panel.signIn('ana');
  await rowOf(page, 'Nina').click();
  const entries = page.getByRole('log', { name: 'Mensagens' }).getByRole('article');
  await entries.filter({ hasText: 'Ainda aberto?' }).waitFor();
  const late = { channelId: panel.shop.main, from, text: 'Vou passar aí' };
  await panel.stack.network.inbound({ ...late, at: Date.now() - 2 * 60 * 60 * 1_000 });
  await entries.getByText('Vou passar aí').waitFor();
  const [first = '', second = ''] = await entries.allInnerTexts();
  assert.match(first, /Vou passar aí.*recebida (em \d\d\/\d\d )?às \d\d:\d\d/s);
  assert.match(second, /Ainda aberto\?/);
  assert.doesNotMatch(second, /recebida/);
  await rowOf(page, 'Ainda aberto?').waitFor();
  await context.close();
});

test('a key that is pressed before the last one is answered acts once, in its turn', async () => {
  await write('Fechado?', 'Ivo Luz');
  const { page, context } = await panel.signIn('ana');
  await rowOf(page, 'Ivo Luz').click();
  const held = Promise.withResolvers<void>();
  const posted: string[] = [];
  await context.route(CHANGES, async (route) => {
    const request = route.request();
    const changed = request.method() === 'POST' ? Object.keys(request.postDataJSON()) : [];
    posted.push(...changed);
    if (!changed.includes('assignedTo')) return route.continue();
    const response = await route.fetch();
    await held.promise;
    await route.fulfill({ response });
  });
  await page.getByRole('button', { name: 'Resolver' }).waitFor();
  await page.keyboard.press('a');
  await page.getByRole('menuitem', { name: 'Ana Souza' }).and(page.locator(':focus')).waitFor();
  await page.keyboard.press('Enter');
  // The live event comes before the answer.
  await page.getByText('Responsável: Ana Souza').waitFor();
  await page.keyboard.press('e');
  await page.keyboard.press('e');
  held.resolve();
  await page.getByRole('button', { name: 'Reabrir' }).waitFor();
  assert.deepEqual(posted, ['assignedTo', 'status']);
  await context.close();
});

test('a message stands once in its thread, though the history comes before its answer', async () => {
  await write('Tem bolo?', 'Lia Luz');
  const { page, context } = await panel.signIn('ana');
  await rowOf(page, 'Lia Luz').click();
  const log = page.getByRole('log', { name: 'Mensagens' });
  await log.getByText('Tem bolo?').waitFor();
  const release = await holdAnswers(context, /\/api\/v1\/messages$/);
  await page.evaluate(`{
    most = 0;
    const count = () => {
      const shown = [...document.querySelectorAll('.bubble-text')];
      most = Math.max(most, shown.filter((each) => each.textContent === 'Tem sim.').length);
    };
    new MutationObserver(count).observe(document, { childList: true, subtree: true });
  }`);
  const history = readWith(page, /\/api\/v1\/messages\?/, 'Tem sim.');
  await page.getByRole('textbox', { name: 'Mensagem' }).fill('Tem sim.');
  await page.keyboard.press('Enter');
  await history;
  await painted(page);
  release();
  const sent = log.getByRole('article').filter({ hasText: 'Tem sim.' });
  await sent.getByText(/^(Enviada|Entregue|Lida)$/).waitFor();
  assert.equal(await page.evaluate('most'), 1);
  await context.close();
});

test('a team that is not read yet is nobody to choose, and its members have not left', async () => {
  await write('Quem atende?', 'Gil Luz');
  const { stack, shop } = panel;
  const { page, context } = await panel.signIn('bia');
  await rowOf(page, 'Gil Luz').click();
  await page.getByRole('button', { name: 'Atribuir' }).click();
  await page.getByRole('menuitem', { name: 'Ana Souza' }).click();
  await page.getByText('Responsável: Ana Souza').waitFor();
  const comes = Promise.withResolvers<void>();
  await context.route('**/api/v1/members', async (route) => {
    await comes.promise;
    await route.continue();
  });
  await page.reload();
  await page.getByText('Responsável: …').waitFor();
  await page.getByRole('button', { name: 'Resolver' }).waitFor();
  await page.keyboard.press('a');
  await page.getByText('Ainda não há ninguém para escolher').waitFor();
  // In haste: the first one would have been nobody.
  await page.keyboard.press('Enter');
  await page.keyboard.press('a');
  comes.resolve();
  await page.getByRole('menuitem', { name: 'Ana Souza' }).and(page.locator(':focus')).waitFor();
  await page.getByText('Responsável: Ana Souza').waitFor();
  const { data } = await stack.conversations(shop.key, '?limit=50');
  const own = data.find(({ contact }) => contact.name === 'Gil Luz');
  assert.notEqual(own?.assignedTo ?? null, null);
  await context.close();
});

test('nothing of one contact is beside another', async () => {
  const [rui, eva] = [await write('Oi', 'Rui Paz'), await write('Oi', 'Eva Reis')];
  assert.notEqual(rui, eva);
  const { stack, shop } = panel;
  const { data } = await stack.conversations(shop.key, '?limit=50');
  const contactId = data.find(({ contact }) => contact.name === 'Rui Paz')?.contact.id;
  const body = { title: 'Ligar para Rui', contactId };
  const made = await stack.call('POST', '/api/v1/tasks', { key: shop.key, body });
  assert.equal(made.status, 201, made.text);
  const { page, context } = await panel.signIn('ana');
  await rowOf(page, 'Rui Paz').click();
  const pane = page.getByRole('complementary');
  await pane.getByText('Ligar para Rui').waitFor();
  await context.route('**/api/v1/tasks?*', refuse);
  await rowOf(page, 'Eva Reis').click();
  await pane.getByRole('heading', { name: 'Eva Reis' }).waitFor();
  assert.equal(await pane.getByText('Ligar para Rui').count(), 0);
  await context.close();
});

test('a page that loses every hint becomes right again', async () => {
  const { page, context } = await panel.open();
  await context.addInitScript(DEAF);
  await page.goto(await panel.link('ana'));
  await page.getByRole('button', { name: 'Agora não' }).click();
  await page.getByRole('heading', { name: 'Conversas' }).waitFor();
  await rowOf(page, 'Rui Paz').click();
  await page.getByRole('log').getByText('Oi').waitFor();
  await write('Alguém aí?', 'Eva Lima');
  await rowOf(page, 'Eva Lima').waitFor();
  await context.close();
});

test('every tab of a browser is the person’s who has signed in last', async () => {
  const { page, context } = await panel.open();
  await page.goto('/entrar');
  await page.getByRole('heading', { name: 'Entrar' }).waitFor();
  const second = await context.newPage();
  for (const [member, name] of [
    ['ana', 'Ana Souza'],
    ['bia', 'Bia Reis'],
  ] as const) {
    await second.goto(await panel.link(member));
    await second.getByRole('button', { name: 'Agora não' }).click();
    for (const tab of [second, page]) await tab.getByRole('banner').getByText(name).waitFor();
  }
  assert.equal(await page.getByRole('link', { name: 'Equipe' }).count(), 0);
  await context.close();
});

test('a sign-out without an answer leaves the page, and says so', async () => {
  const { page, context } = await panel.signIn('bia');
  await context.route('**/panel/api/sign-out', (route) => route.abort());
  await page.getByRole('button', { name: 'Sair' }).click();
  await page.getByRole('alert').getByText('sua sessão continua aberta').waitFor();
  await page.getByRole('navigation').waitFor();
  await context.unroute('**/panel/api/sign-out');
  await page.getByRole('button', { name: 'Sair' }).click();
  await page.getByRole('heading', { name: 'Entrar' }).waitFor();
  await context.close();
});

test('an address survives a service that is away, and a session that has ended', async () => {
  const { page, context } = await panel.open();
  await page.goto(await panel.link('ana'));
  await page.getByLabel('Nova senha').fill(PASSPHRASE);
  await page.getByLabel('Repita a senha').fill(PASSPHRASE);
  await page.getByRole('button', { name: 'Salvar e entrar' }).click();
  await page.getByRole('heading', { name: 'Conversas' }).waitFor();
  await context.route('**/panel/api/session', refuse);
  await page.goto('/tarefas');
  await page.getByRole('alert').getByRole('button', { name: 'Tentar de novo' }).waitFor();
  await context.unroute('**/panel/api/session');
  await page.getByRole('heading', { name: 'Tarefas' }).waitFor();
  await context.clearCookies();
  await page.reload();
  await page.getByLabel('E-mail').fill(panel.emailOf('ana'));
  await page.getByLabel('Senha').fill(PASSPHRASE);
  await page.getByRole('button', { name: 'Entrar' }).click();
  await page.getByRole('heading', { name: 'Tarefas' }).waitFor();
  await context.close();
});
