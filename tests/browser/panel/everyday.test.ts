/** Everyday acts in deals, tasks and the team: asked before, taken back, corrected and found again. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { apiOf, freshPhone } from '../../support/api.ts';
import { violations } from '../../support/browser.ts';
import { usePanel } from '../../support/panel/panel-fixture.ts';
import { waitFor } from '../../support/wait-for.ts';
import { assertHarmless, hostile } from './hostile-contents.ts';

const panel = usePanel();
const PHONE = freshPhone();

before(async () => {
  await post('/api/v1/contacts', { phone: PHONE, name: 'Rui Alves' });
});

function post(path: string, body: unknown): Promise<unknown> {
  const { stack, shop } = panel;
  return apiOf(stack.baseUrl).call('POST', path, { key: shop.key, body });
}

const visit = (page: Page, name: string) =>
  page.getByRole('navigation').getByRole('link', { name }).click();
const cardOf = (page: Page, title: string) =>
  page.getByRole('main').getByRole('listitem').filter({ hasText: title });
const statusOf = (page: Page) => page.getByRole('status').filter({ hasText: '“' });

async function assertFine(page: Page, where: string): Promise<void> {
  await assertHarmless(page, where);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    assert.deepEqual(await violations(page), [], `${where}, ${colorScheme}`);
  }
}

for (const width of [1280, 390]) {
  test(`won, lost and a move are taken back by the next press, at ${width} px`, async () => {
    const title = `Plano ${width} <b>x</b>`;
    await post('/api/v1/deals', { title, phone: PHONE, valueCents: 125_000 });
    const { page, context } = await panel.signIn('bia', { width, height: 844 });
    await visit(page, 'Negócios');
    const card = cardOf(page, title);
    await card.getByRole('button', { name: 'Ganho' }).click();
    await statusOf(page).getByText(`“${title}” ganho.`).waitFor();
    await card.waitFor({ state: 'detached' });
    await page.clock.install();
    await page.clock.fastForward('00:30');
    await assertFine(page, `undo at ${width} px`);
    await statusOf(page).getByRole('button', { name: 'Desfazer' }).press('Enter');
    await card.waitFor();
    await card.getByRole('button', { name: 'Perdido' }).click();
    await page.getByLabel('Motivo').fill('Preço');
    await page.getByLabel('Motivo').press('Enter');
    await statusOf(page).getByText(`“${title}” perdido.`).waitFor();
    await statusOf(page).getByRole('button', { name: 'Desfazer' }).click();
    await card.waitFor();
    const ofCard = page.getByRole('listitem').filter({ hasText: title });
    const column = page.getByRole('main').getByRole('list').filter({ has: ofCard });
    const stageOf = () => column.first().getAttribute('aria-label');
    const stage = await stageOf();
    await card.getByRole('button', { name: 'Mover para…' }).click();
    await page.getByRole('menuitem').last().click();
    await waitFor(async () => (await stageOf()) !== stage || null, { what: 'a move' });
    await statusOf(page).getByRole('button', { name: 'Desfazer' }).click();
    await waitFor(async () => (await stageOf()) === stage || null, { what: 'back' });
    await context.close();
  });

  test(`a closed deal is found by its situation and reopened, at ${width} px`, async () => {
    const title = `Anual ${width}`;
    await post('/api/v1/deals', { title, phone: PHONE, valueCents: 125_000 });
    const { page, context } = await panel.signIn('bia', { width, height: 844 });
    await visit(page, 'Negócios');
    await cardOf(page, title).getByRole('button', { name: 'Ganho' }).click();
    const situation = page.getByRole('combobox', { name: 'Situação' });
    assert.deepEqual(await situation.getByRole('option').allTextContents(), [
      ...['Todos', 'Abertos', 'Ganhos', 'Perdidos'],
    ]);
    await situation.selectOption('Perdidos');
    const list = page.getByRole('list', { name: 'Negócios' });
    assert.equal(await list.getByRole('listitem').filter({ hasText: title }).count(), 0);
    await situation.selectOption('Ganhos');
    const row = list.getByRole('listitem').filter({ hasText: title });
    await row.getByText('Ganho', { exact: true }).waitFor();
    await assertFine(page, `closed deals at ${width} px`);
    await row.getByRole('button', { name: `Reabrir: ${title}` }).press('Enter');
    await row.waitFor({ state: 'detached' });
    await situation.selectOption('Abertos');
    await cardOf(page, title).waitFor();
    await context.close();
  });

  test(`a deal is edited, and its card says owner and day, at ${width} px`, async () => {
    const title = `Mensal ${width}`;
    await post('/api/v1/deals', { title, phone: PHONE, valueCents: 125_000 });
    const { page, context } = await panel.signIn('bia', { width, height: 844 });
    await visit(page, 'Negócios');
    await cardOf(page, title)
      .getByRole('button', { name: `Editar negócio: ${title}` })
      .press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Editar negócio' });
    assert.equal(await dialog.getByLabel('Valor (R$)').inputValue(), '1.250,00');
    await dialog.getByLabel('Valor (R$)').fill('mil');
    await dialog.getByRole('button', { name: 'Salvar' }).click();
    const error = dialog.getByRole('alert');
    assert.match((await error.textContent()) ?? '', /^Valor \(R\$\): Escreva o valor/);
    const value = dialog.getByRole('textbox', { name: 'Valor (R$)' });
    assert.equal(await value.getAttribute('aria-describedby'), await error.getAttribute('id'));
    await assertFine(page, `an error beside its field at ${width} px`);
    await dialog.getByLabel('Valor (R$)').fill('2.000,50');
    await dialog.getByLabel('Título').fill(`${title} ${hostile('markup', 40)}`);
    await dialog.getByLabel('Responsável').selectOption('Ana Souza');
    await dialog.getByLabel('Previsto para').fill('2027-03-05');
    await dialog.getByLabel('Previsto para').press('Enter');
    await dialog.waitFor({ state: 'detached' });
    const card = cardOf(page, title);
    await card.getByText('Responsável: Ana Souza').waitFor();
    await card.getByText('Previsto para 05/03/2027').waitFor();
    await card.getByText(/2\.000,50/).waitFor();
    await assertFine(page, `an edited deal at ${width} px`);
    await context.close();
  });

  test(`a task is edited, at ${width} px`, async () => {
    const title = `Ligar ${width}`;
    await post('/api/v1/tasks', { title, phone: PHONE });
    const { page, context } = await panel.signIn('bia', { width, height: 844 });
    await visit(page, 'Tarefas');
    const undated = page.getByRole('list', { name: 'Sem prazo' }).getByRole('listitem');
    await undated.filter({ hasText: title }).getByRole('button', { name: 'Editar tarefa' }).click();
    const dialog = page.getByRole('dialog', { name: 'Editar tarefa' });
    await dialog.getByLabel('Hora').fill('09:30');
    await dialog.getByRole('button', { name: 'Salvar' }).click();
    await dialog
      .getByRole('alert')
      .getByText(/^Hora: /)
      .waitFor();
    await dialog.getByLabel('Prazo').fill('2027-03-05');
    await dialog.getByLabel('Título').fill(`${title} cedo`);
    await dialog.getByLabel('Responsável').selectOption('Bia Reis');
    await dialog.getByLabel('Título').press('Enter');
    await dialog.waitFor({ state: 'detached' });
    const later = page.getByRole('list', { name: 'Próximas' }).getByRole('listitem');
    const line = later.filter({ hasText: `${title} cedo` });
    await line.getByText('Responsável: Bia Reis').waitFor();
    await line.getByText('05/03/2027 09:30').waitFor();
    await line.getByRole('button', { name: 'Editar tarefa' }).click();
    await dialog.getByLabel('Prazo').fill('');
    await dialog.getByLabel('Título').press('Enter');
    await undated.filter({ hasText: `${title} cedo` }).waitFor();
    await context.close();
  });

  test(`a member is disabled only after a question, at ${width} px`, async () => {
    const { page, context } = await panel.signIn('ana', { width, height: 844 });
    await visit(page, 'Equipe');
    const disable = page.getByRole('button', { name: 'Desativar: Bia Reis' });
    await disable.press('Enter');
    const question = page.getByRole('alertdialog', { name: 'Desativar Bia Reis?' });
    await question.getByRole('button', { name: 'Cancelar' }).and(page.locator(':focus')).waitFor();
    await assertFine(page, `a question at ${width} px`);
    await page.keyboard.press('Enter');
    await question.waitFor({ state: 'detached' });
    await disable.and(page.locator(':focus')).waitFor();
    await disable.click();
    await question.getByRole('button', { name: 'Desativar' }).click();
    await page.getByRole('button', { name: 'Reativar: Bia Reis' }).click();
    await disable.waitFor();
    await context.close();
  });
}

test('what is wrong with a phone stands beside it, in a new deal and a new contact', async () => {
  const { page, context } = await panel.signIn('bia');
  await visit(page, 'Negócios');
  await page.getByRole('button', { name: 'Novo negócio' }).click();
  const dialog = page.getByRole('dialog', { name: 'Novo negócio' });
  await dialog.getByLabel('Título').fill('Plano');
  await dialog.getByLabel('Telefone do contato').fill('11 1234');
  await dialog.getByRole('button', { name: 'Criar' }).click();
  await dialog
    .getByRole('alert')
    .getByText(/^Telefone do contato: /)
    .waitFor();
  await dialog.getByLabel('Telefone do contato').fill(freshPhone());
  await dialog.getByRole('button', { name: 'Criar' }).click();
  await dialog
    .getByRole('alert')
    .getByText(/^Telefone do contato: .*contato/i)
    .waitFor();
  await dialog.getByLabel('Telefone do contato').and(page.locator(':focus')).waitFor();
  await page.keyboard.press('Escape');
  await visit(page, 'Contatos');
  await page.getByRole('button', { name: 'Novo contato' }).click();
  const contact = page.getByRole('dialog', { name: 'Novo contato' });
  await contact.getByLabel('Telefone').fill('11 1234');
  await contact.getByRole('button', { name: 'Salvar' }).click();
  await contact
    .getByRole('alert')
    .getByText(/^Telefone: /)
    .waitFor();
  await context.close();
});
