/** Acts on contacts, deals and tasks: new ones, corrections, moves, and moves taken back. */
import type { Locator } from 'playwright-core';
import { ListContactsAnswer } from '../../../../shared/api/contact.ts';
import { DealAnswer } from '../../../../shared/api/deal.ts';
import { ListPipelinesAnswer } from '../../../../shared/api/pipeline.ts';
import { TaskAnswer } from '../../../../shared/api/task.ts';
import { freshPhone } from '../../../support/api.ts';
import { type Act, type Desk, dialogAct, OF_ACTS, openCase, read, unless, visit } from './act.ts';

async function contactsOf({ panel }: Desk, phone: string) {
  return (await read(panel, ListContactsAnswer, `/api/v1/contacts?phone=${phone}`)).data;
}

export async function newContact(desk: Desk, n: number): Promise<Act> {
  const { page } = desk;
  await visit(desk, 'Contatos');
  await page.getByRole('button', { name: 'Novo contato' }).click();
  const dialog = page.getByRole('dialog', { name: 'Novo contato' });
  const phone = freshPhone();
  const name = `Contato ${OF_ACTS} ${n}`;
  await dialog.getByRole('textbox', { name: 'Telefone' }).fill(`+${phone}`);
  await dialog.getByRole('textbox', { name: 'Nome' }).fill(name);
  return dialogAct(dialog, 'Salvar', async () => {
    const names = (await contactsOf(desk, phone)).map((each) => each.name);
    return unless(names.length === 1 && names[0] === name, `${phone} is ${names}`);
  });
}

/** @param shown on the page by then */
async function openContact(desk: Desk, shown = ''): Promise<Locator> {
  const { page } = desk;
  await openCase(desk);
  const pane = page.getByRole('complementary', { name: 'Contato' });
  await pane.getByText(shown).first().waitFor();
  await pane.getByRole('button', { name: 'Editar contato' }).click();
  return page.getByRole('dialog', { name: 'Editar contato' });
}

export async function editContact(desk: Desk, n: number): Promise<Act> {
  const dialog = await openContact(desk);
  const email = `atos${n}@exemplo.com.br`;
  await dialog.getByRole('textbox', { name: 'E-mail' }).fill(email);
  await dialog.getByRole('textbox', { name: 'Nome' }).fill(`Pessoa ${OF_ACTS} ${n}`);
  return dialogAct(dialog, 'Salvar', async () => {
    const [contact] = await contactsOf(desk, desk.phone);
    // A later act of this kind may have written another.
    return unless(/^atos\d+@/.test(contact?.email ?? ''), `the e-mail is ${contact?.email}`);
  });
}

/** The tag comes by the API, and another one stays. */
export async function takeTag(desk: Desk, n: number): Promise<Act> {
  const { panel, phone } = desk;
  const tag = `ato ${n}`;
  const body = { phone, tags: [tag, `fica ${n}`] };
  await panel.stack.call('POST', '/api/v1/contacts', { key: panel.shop.key, body });
  const dialog = await openContact(desk, tag);
  await dialog.getByRole('button', { name: `Remover etiqueta: ${tag}`, exact: true }).click();
  return dialogAct(dialog, 'Salvar', async () => {
    const [contact] = await contactsOf(desk, phone);
    const tags = contact?.tags ?? [];
    const isRight = !tags.includes(tag) && tags.includes(`fica ${n}`);
    return unless(isRight, `the tags are ${tags}`);
  });
}

const cardOf = ({ page }: Desk) =>
  page
    .getByRole('main')
    .getByRole('listitem')
    .filter({ hasText: `Negócio ${OF_ACTS}` });

async function dealOf({ panel, dealId }: Desk) {
  return (await read(panel, DealAnswer, `/api/v1/deals/${dealId}`)).data;
}

/** The stage after the deal's. */
async function nextStage(desk: Desk) {
  const { stageId } = await dealOf(desk);
  const { data } = await read(desk.panel, ListPipelinesAnswer, '/api/v1/pipelines');
  const stages = data[0]?.stages ?? [];
  const at = stages.findIndex(({ id }) => id === stageId);
  const next = stages[(at + 1) % stages.length] ?? { id: '', name: '' };
  return { from: stageId, next };
}

function stageAct(desk: Desk, press: Act['press'], wanted: string): Act {
  return {
    press,
    pressAgain: async () => {
      if ((await desk.page.getByRole('alert').count()) > 0) await press();
    },
    isDone: async () => (await dealOf(desk)).stageId === wanted,
    // Each move of the deal says so: the test of the removed stage counts them.
    differences: async () => [],
  };
}

function moveTo(desk: Desk, name: string): Act['press'] {
  return async () => {
    const card = cardOf(desk).first();
    await card.getByRole('button', { name: 'Mover para…' }).click({ timeout: 5_000 });
    await desk.page.getByRole('menuitem', { name, exact: true }).click({ timeout: 5_000 });
  };
}

export async function moveDeal(desk: Desk): Promise<Act> {
  await visit(desk, 'Negócios');
  await cardOf(desk).first().waitFor();
  const { next } = await nextStage(desk);
  return stageAct(desk, moveTo(desk, next.name), next.id);
}

export async function undo(desk: Desk): Promise<Act> {
  await visit(desk, 'Negócios');
  await cardOf(desk).first().waitFor();
  const { from, next } = await nextStage(desk);
  await moveTo(desk, next.name)();
  const button = desk.page.getByRole('status').getByRole('button', { name: 'Desfazer' });
  await button.waitFor();
  return stageAct(desk, () => button.click({ timeout: 5_000, noWaitAfter: true }), from);
}

export async function editDeal(desk: Desk, n: number): Promise<Act> {
  const { page } = desk;
  await visit(desk, 'Negócios');
  await cardOf(desk).first().getByRole('button', { name: 'Editar negócio' }).click();
  const dialog = page.getByRole('dialog', { name: 'Editar negócio' });
  const title = `Negócio ${OF_ACTS} ${n}`;
  await dialog.getByLabel('Título').fill(title);
  await dialog.getByLabel('Valor (R$)').fill(`${n + 1},00`);
  return dialogAct(dialog, 'Salvar', async () => {
    const deal = await dealOf(desk);
    const isWhole = deal.title === `Negócio ${OF_ACTS} ${deal.valueCents / 100 - 1}`;
    return unless(isWhole, `the deal is ${deal.title} of ${deal.valueCents}`);
  });
}

export async function editTask(desk: Desk, n: number): Promise<Act> {
  const { panel, page, taskId } = desk;
  await visit(desk, 'Tarefas');
  await page.getByRole('button', { name: `Editar tarefa: Tarefa ${OF_ACTS}` }).click();
  const dialog = page.getByRole('dialog', { name: 'Editar tarefa' });
  const { ana = null } = panel.shop.applied.members;
  await dialog.getByLabel('Título').fill(`Tarefa ${OF_ACTS} ${n}`);
  await dialog.getByLabel('Responsável').selectOption('Ana Souza');
  return dialogAct(dialog, 'Salvar', async () => {
    const { title, assigneeId } = (await read(panel, TaskAnswer, `/api/v1/tasks/${taskId}`)).data;
    const isRight = /\d$/.test(title) && assigneeId === ana;
    return unless(isRight, `the task is ${title} of ${assigneeId}`);
  });
}
