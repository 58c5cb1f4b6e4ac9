/** Negócios, Tarefas and Contatos in a real browser, light and dark, wide and narrow. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import * as v from 'valibot';
import { TaskAnswer } from '../../../shared/api/task.ts';
import { freshPhone } from '../../support/api.ts';
import { holdAnswers, painted, readWith, violations } from '../../support/browser.ts';
import { usePanel } from '../../support/panel/panel-fixture.ts';

/** Rows of the first page of tasks. */
const TASKS_PAGE = 200;
const COLUMNS = /\/api\/v1\/deals\?/;

const panel = usePanel();
let phone = '';

before(async () => {
  phone = freshPhone();
  const { stack, shop } = panel;
  const body = { phone, name: 'Marina Costa', tags: ['vip'] };
  const made = await stack.call('POST', '/api/v1/contacts', { key: shop.key, body });
  assert.equal(made.status, 201, made.text);
});

async function createDeal(title: string): Promise<void> {
  const { stack, shop } = panel;
  const body = { title, phone };
  const made = await stack.call('POST', '/api/v1/deals', { key: shop.key, body });
  assert.equal(made.status, 201, made.text);
}

test('a salesperson creates, moves, wins and loses deals by keyboard', async () => {
  const { page, context, offences } = await panel.signIn('bia');
  await page.getByRole('link', { name: 'Negócios' }).click();
  for (const title of ['Plano anual', 'Plano mensal']) {
    await page.getByRole('button', { name: 'Novo negócio' }).press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.type(title);
    await page.getByLabel('Telefone do contato').fill(phone);
    await page.getByLabel('Valor (R$)').fill('1.250,00');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('listitem').filter({ hasText: title }).waitFor();
  }
  const first = page.getByRole('list', { name: 'Novo' });
  const card = page.getByRole('listitem').filter({ hasText: 'Plano anual' });
  await card.getByText('R$ 1.250,00').waitFor();
  await card.getByRole('button', { name: 'Mover para…' }).press('Enter');
  await page.getByRole('menuitem', { name: 'Proposta' }).press('Enter');
  const second = page.getByRole('list', { name: 'Proposta' });
  await second.getByRole('listitem').filter({ hasText: 'Plano anual' }).waitFor();
  assert.equal(await first.getByRole('listitem').count(), 1);
  await card.getByRole('button', { name: 'Ganho' }).press('Enter');
  await card.waitFor({ state: 'detached' });
  const other = page.getByRole('listitem').filter({ hasText: 'Plano mensal' });
  await other.getByRole('button', { name: 'Perdido' }).press('Enter');
  await page.getByLabel('Motivo').fill('Preço');
  assert.deepEqual(await violations(page), []);
  await page.keyboard.press('Enter');
  await other.waitFor({ state: 'detached' });
  const listed = await panel.stack.call('GET', '/api/v1/deals', { key: panel.shop.key });
  assert.match(listed.text, /"status":"won"/);
  assert.match(listed.text, /"lostReason":"Preço"/);
  assert.deepEqual(offences, []);
  await context.close();
});

test('a card moves once and with the focus, though its columns hear of it before the answer', async () => {
  const titles = ['Plano de luz', 'Plano de gás'] as const;
  for (const title of titles) await createDeal(title);
  const { page, context } = await panel.signIn('bia');
  await page.getByRole('link', { name: 'Negócios' }).click();
  const cardOf = (title: string) => page.getByRole('listitem').filter({ hasText: title });
  await cardOf('Plano de gás').waitFor();
  const moved = cardOf('Plano de luz');
  const button = moved.getByRole('button', { name: 'Mover para…' });
  const release = await holdAnswers(context, /\/api\/v1\/deals\/[\w-]+$/);
  const columns = [
    readWith(page, COLUMNS, ...titles),
    readWith(page, COLUMNS, titles[1], titles[0]),
  ];
  await button.press('Enter');
  await page.getByRole('menuitem', { name: 'Proposta' }).press('Enter');
  await Promise.all(columns);
  await painted(page);
  const columnOf = (name: string) => page.getByRole('list', { name }).filter({ has: moved });
  assert.equal(await columnOf('Novo').count(), 1, 'until the answer');
  assert.equal(await moved.count(), 1);
  release();
  await columnOf('Proposta').waitFor();
  assert.equal(await moved.count(), 1);
  assert.equal(await button.and(page.locator(':focus')).count(), 1, 'the focus goes with the card');
  await context.close();
});

test('a late task is shown beside more open ones than a page has', async () => {
  const { stack, shop } = panel;
  const create = async (body: object) => {
    const made = await stack.call('POST', '/api/v1/tasks', { key: shop.key, body });
    assert.equal(made.status, 201, made.text);
  };
  const dueOn = new Date(Date.now() - 3 * 24 * 60 * 60 * 1000).toISOString().slice(0, 10);
  await create({ title: 'Devolver a chave', dueOn, phone });
  for (let n = 0; n < TASKS_PAGE; n++) await create({ title: `Sem dia ${n}` });
  const { page, context } = await panel.signIn('bia');
  await page.getByRole('link', { name: 'Tarefas' }).click();
  const late = page.getByRole('list', { name: 'Atrasadas' }).getByRole('listitem');
  await late.filter({ hasText: 'Devolver a chave' }).waitFor();
  await page.getByRole('button', { name: 'Mostrar mais' }).click();
  await page.getByRole('button', { name: 'Mostrar mais' }).waitFor({ state: 'detached' });
  await late.getByRole('link', { name: 'Ver o contato' }).click();
  await page.getByRole('heading', { name: 'Marina Costa' }).waitFor();
  await context.close();
});

test('a task in writing stays while another ends it, and is saved', async () => {
  const { stack, shop } = panel;
  const body = { title: 'Medir a sala' };
  const made = await stack.call('POST', '/api/v1/tasks', { key: shop.key, body });
  assert.equal(made.status, 201, made.text);
  const { id } = v.parse(TaskAnswer, made.json).data;
  const { page, context } = await panel.signIn('ana');
  await page.getByRole('link', { name: 'Tarefas' }).click();
  await page.getByRole('button', { name: /^Editar.*Medir a sala/ }).click();
  const title = page.getByRole('dialog').getByLabel('Título');
  await title.fill('Medir a sala e o corredor');
  const path = `/api/v1/tasks/${id}`;
  const done = await stack.call('POST', path, { key: shop.key, body: { done: true } });
  assert.equal(done.status, 200, done.text);
  await page
    .getByRole('listitem')
    .filter({ hasText: 'Medir a sala' })
    .waitFor({ state: 'detached' });
  await title.press('Enter');
  await title.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Concluídas' }).click();
  await page.getByText('Medir a sala e o corredor').waitFor();
  await context.close();
});

test('a name in writing stays while another changes it, and its saving is told', async () => {
  const { page, context } = await panel.signIn('ana');
  await page.getByRole('link', { name: 'Contatos' }).click();
  await page.getByRole('link', { name: 'Marina Costa' }).click();
  await page.getByRole('button', { name: 'Editar contato' }).click();
  const name = page.getByLabel('Nome', { exact: true });
  await name.fill('Marina C. Lima');
  const body = { phone, name: 'Marina da API', tags: ['da API'] };
  const { stack, shop } = panel;
  await stack.call('POST', '/api/v1/contacts', { key: shop.key, body });
  await page.getByText('Marina da API').first().waitFor();
  assert.equal(await name.inputValue(), 'Marina C. Lima');
  await page.getByRole('button', { name: 'Salvar' }).click();
  await page.getByText('Contato salvo.').waitFor();
  await page.getByRole('heading', { name: 'Marina C. Lima' }).waitFor();
  await page
    .getByRole('listitem')
    .filter({ hasText: /^da API$/ })
    .waitFor();
  await stack.call('POST', '/api/v1/contacts', {
    ...{ key: shop.key, body: { phone, name: 'Marina Costa' } },
  });
  await page.getByRole('heading', { name: 'Marina Costa' }).waitFor();
  await page.getByRole('button', { name: 'Editar contato' }).click();
  assert.equal(await name.inputValue(), 'Marina Costa');
  await context.close();
});

test('a task is created and completed, a contact found and tagged', async () => {
  const { page, context, offences } = await panel.signIn('ana');
  await page.getByRole('link', { name: 'Tarefas' }).click();
  await page.getByRole('button', { name: 'Nova tarefa' }).click();
  await page.getByLabel('Título').fill('Ligar amanhã');
  await page.getByRole('button', { name: 'Criar' }).click();
  const task = page.getByRole('listitem').filter({ hasText: 'Ligar amanhã' });
  await task.getByRole('button', { name: 'Concluir' }).click();
  await task.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Concluídas' }).click();
  await task.getByRole('button', { name: 'Reabrir' }).waitFor();
  await page.getByRole('link', { name: 'Contatos' }).click();
  await page.getByRole('searchbox', { name: 'Buscar' }).fill('marina');
  await page.getByRole('button', { name: 'Buscar' }).click();
  await page.getByRole('link', { name: 'Marina Costa' }).click();
  await page.getByRole('button', { name: 'Editar contato' }).click();
  await page.getByLabel('Nova etiqueta').fill('ouro');
  await page.getByRole('button', { name: 'Salvar' }).click();
  await page.getByText('ouro').first().waitFor();
  assert.deepEqual(offences, []);
  await context.close();
});
