/** Work that is done by keys alone: a control is reached by Tab, never by a pointer or a script. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { usePanel } from '../../support/panel/panel-fixture.ts';
import { useSubscriber } from '../../support/stack-hooks.ts';
import { waitFor } from '../../support/wait-for.ts';

const PHONE = '5511987650003';
/** More controls than any screen here has. */
const TABS_MAX = 150;

const panel = usePanel();
const subscriber = useSubscriber();

/** Tab, or Shift and Tab, until the control has the focus. */
async function reach(page: Page, control: Locator, key = 'Tab'): Promise<void> {
  await control.waitFor();
  const focused = control.and(page.locator(':focus'));
  for (let tabs = 0; tabs <= TABS_MAX; tabs++) {
    if ((await focused.count()) === 1) return;
    await page.keyboard.press(key);
  }
  assert.fail(`no Tab reaches ${control}`);
}

async function press(page: Page, name: string, within: Page | Locator = page): Promise<void> {
  await reach(page, within.getByRole('button', { name, exact: true }).first());
  await page.keyboard.press('Enter');
}

async function follow(page: Page, name: string): Promise<void> {
  await reach(page, page.getByRole('navigation').getByRole('link', { name }));
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name, level: 1 }).waitFor();
}

/** An item that goes away leaves the focus to another control or a heading of the page. */
async function assertFocused(page: Page, where: string): Promise<void> {
  const focused = page.getByRole('main').locator(':focus');
  assert.equal(await focused.count(), 1, `${where}: the focus is lost`);
}

const cardOf = (page: Page, title: string) => page.getByRole('listitem').filter({ hasText: title });

async function createDeal(page: Page, title: string): Promise<void> {
  await press(page, 'Novo negócio');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.type(title);
  await page.keyboard.press('Tab');
  await page.keyboard.type(PHONE);
  await page.keyboard.press('Tab');
  await page.keyboard.type('1.250,00');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await cardOf(page, title).waitFor();
}

test('a deal is created, moved, won and lost by keys alone', async () => {
  const { stack, shop } = panel;
  const made = await stack.call('POST', '/api/v1/contacts', {
    ...{ key: shop.key, body: { phone: PHONE, name: 'Marina' } },
  });
  assert.equal(made.status, 201, made.text);
  const { page, context } = await panel.signIn('bia');
  await follow(page, 'Negócios');
  await createDeal(page, 'Plano anual');
  await createDeal(page, 'Plano mensal');
  const card = cardOf(page, 'Plano anual');
  await press(page, 'Mover para…', card);
  await page.getByRole('menu').waitFor();
  await reach(page, page.getByRole('menuitem', { name: 'Proposta' }), 'ArrowDown');
  await page.keyboard.press('Enter');
  const moved = page.getByRole('list', { name: 'Proposta' }).getByRole('listitem');
  await moved.filter({ hasText: 'Plano anual' }).waitFor();
  const again = moved.getByRole('button', { name: 'Mover para…' }).and(page.locator(':focus'));
  assert.equal(await again.count(), 1, 'the focus goes with the card');
  await press(page, 'Ganho', card);
  await card.waitFor({ state: 'detached' });
  await assertFocused(page, 'a won deal');
  const other = cardOf(page, 'Plano mensal');
  await press(page, 'Perdido', other);
  await page.getByRole('dialog').waitFor();
  await page.keyboard.type('Preço');
  await page.keyboard.press('Enter');
  await other.waitFor({ state: 'detached' });
  await assertFocused(page, 'a lost deal');
  const { text } = await stack.call('GET', '/api/v1/deals', { key: shop.key });
  assert.match(text, /"status":"won"/);
  assert.match(text, /"lostReason":"Preço"/);
  await context.close();
});

test('a search, a done task and an ended session leave the focus on the page', async () => {
  const other = await panel.signIn('bia');
  const { stack, shop } = panel;
  for (const title of ['Ligar', 'Medir']) {
    const made = await stack.call('POST', '/api/v1/tasks', { key: shop.key, body: { title } });
    assert.equal(made.status, 201, made.text);
  }
  const { page, context } = await panel.signIn('ana');
  await follow(page, 'Contatos');
  const search = page.getByRole('searchbox', { name: 'Buscar' });
  await reach(page, search);
  await page.keyboard.type('ninguém');
  await page.keyboard.press('Enter');
  await page.getByText('Nenhum contato com esta busca').waitFor();
  assert.equal(await search.and(page.locator(':focus')).count(), 1, 'a search');
  await follow(page, 'Tarefas');
  for (const title of ['Ligar', 'Medir']) {
    const task = cardOf(page, title);
    await press(page, 'Concluir', task);
    await task.waitFor({ state: 'detached' });
    await assertFocused(page, `the task ${title}`);
  }
  await follow(page, 'Equipe');
  const sessions = page.getByRole('list', { name: 'Sessões abertas' });
  const open = sessions.getByRole('listitem').filter({ hasText: 'Bia Reis' });
  await open.first().waitFor();
  const count = await open.count();
  await press(page, 'Encerrar sessão', open.first());
  await waitFor(async () => (await open.count()) < count || null, { what: 'its session ends' });
  await assertFocused(page, 'an ended session');
  await other.context.close();
  await context.close();
});

test('a delivery is sent again by keys alone, and its button keeps the focus', async () => {
  subscriber.answer('/shop', () => 500);
  const { stack, shop } = panel;
  const sub = { ref: 'sub', url: `${subscriber.url}/shop`, events: ['*'] };
  await stack.apply({ orgs: [{ ref: shop.ref, subscriptions: [sub] }] });
  await stack.send(shop.key, { channelId: shop.main, phone: PHONE, text: 'Olá' });
  await subscriber.until('/shop', 1);
  const { page, context } = await panel.signIn('ana');
  await follow(page, 'Integrações');
  const failed = page.getByRole('listitem').filter({ hasText: 'respondeu 500' }).first();
  await failed.waitFor();
  subscriber.answer('/shop', () => 200);
  const retry = failed.getByRole('button', { name: 'Reenviar' });
  await reach(page, retry);
  await page.keyboard.press('Enter');
  await page.getByText('1 entrega vai de novo agora.').waitFor();
  const focused = page.getByRole('button', { name: 'Reenviar' }).and(page.locator(':focus'));
  assert.equal(await focused.count(), 1);
  await page.getByRole('listitem').filter({ hasText: 'respondeu 200' }).first().waitFor();
  await context.close();
});

test('one conversation is answered, noted, assigned and resolved by Tab and Enter', async () => {
  await panel.stack.network.inbound({
    ...{ channelId: panel.shop.main, from: '5511987650004' },
    ...{ text: 'Tem vaga?', name: 'Davi' },
  });
  const { page, context } = await panel.signIn('ana', { width: 390, height: 844 });
  await reach(page, page.getByRole('link', { name: 'Davi' }));
  await page.keyboard.press('Enter');
  const log = page.getByRole('log', { name: 'Mensagens' });
  await log.getByText('Tem vaga?').waitFor();
  await reach(page, page.getByRole('textbox', { name: 'Mensagem' }));
  await page.keyboard.type('Tem sim');
  await page.keyboard.press('Enter');
  await log.getByRole('article').filter({ hasText: 'Tem sim' }).waitFor();
  await press(page, 'Nota');
  await reach(page, page.getByRole('textbox', { name: 'Mensagem' }), 'Shift+Tab');
  await page.keyboard.type('Ligar depois');
  await page.keyboard.press('Enter');
  await log.getByRole('article').filter({ hasText: 'Nota interna · Ana Souza' }).waitFor();
  await press(page, 'Atribuir');
  await reach(page, page.getByRole('menuitem', { name: 'Bia Reis' }), 'ArrowDown');
  await page.keyboard.press('Enter');
  await page.getByText('Responsável: Bia Reis').waitFor();
  await press(page, 'Resolver');
  await page.getByRole('button', { name: 'Reabrir' }).waitFor();
  await context.close();
});
