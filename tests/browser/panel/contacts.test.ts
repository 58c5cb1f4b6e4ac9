/** Contacts that are made, corrected, found and filtered, in a real browser, by role and name. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { freshPhone } from '../../support/api.ts';
import { violations } from '../../support/browser.ts';
import { usePanel } from '../../support/panel/panel-fixture.ts';
import { assertHarmless, HOSTILE_KINDS, hostile } from './hostile-contents.ts';

const panel = usePanel();

async function make(body: object): Promise<void> {
  const { stack, shop } = panel;
  const made = await stack.call('POST', '/api/v1/contacts', { key: shop.key, body });
  assert.ok(made.status < 300, made.text);
}

const sim = freshPhone();

before(async () => {
  await make({ phone: sim, name: 'Sara Sim', email: 'sara@exemplo.com.br', optIn: true });
  await make({ phone: freshPhone(), name: 'Nuno Não', tags: ['vip'], optIn: false });
  await make({ phone: freshPhone(), name: 'Zoe Zero', tags: ['vip'] });
});

/** As the panel prints it. */
function printed(phone: string): string {
  return phone.replace(/^55(..)(.*)(....)$/, '+55 $1 $2-$3');
}

const listOf = (page: Page) => page.getByRole('list', { name: 'Contatos' });

async function visitContacts(page: Page): Promise<void> {
  await page.getByRole('navigation').getByRole('link', { name: 'Contatos' }).click();
  await page.getByRole('heading', { name: 'Contatos', level: 1 }).waitFor();
}

/** The names that the list shows, once they are these. */
async function assertListed(page: Page, names: readonly string[]): Promise<void> {
  const items = listOf(page).getByRole('listitem');
  for (const name of names) await items.filter({ hasText: name }).waitFor();
  for (const item of await items.all()) {
    const text = (await item.textContent()) ?? '';
    assert.ok(
      names.some((name) => text.includes(name)),
      `${text} is none of ${names}`,
    );
  }
}

const WAYS = [
  { width: 1280, dark: true },
  { width: 390, dark: false },
];

for (const { width, dark } of WAYS) {
  test(`a contact is made and corrected by keys alone (${width} px)`, async () => {
    const { page, context, offences } = await panel.signIn('bia', { width, dark, height: 844 });
    await visitContacts(page);
    await page.getByRole('button', { name: 'Novo contato' }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Novo contato' });
    await dialog.waitFor();
    const phone = freshPhone();
    await page.keyboard.type(printed(phone));
    await page.keyboard.press('Tab');
    await page.keyboard.type(`Célia ${width}`);
    await page.keyboard.press('Tab');
    await page.keyboard.type('celia@exemplo.com.br');
    await page.keyboard.press('Tab');
    await page.keyboard.type('nova');
    await page.keyboard.press('Enter');
    await dialog.getByRole('button', { name: 'Remover etiqueta: nova' }).waitFor();
    await dialog.getByRole('button', { name: 'Adicionar campo' }).press('Enter');
    const row = dialog.getByRole('list', { name: 'Campos' }).getByRole('listitem');
    await row.getByRole('textbox', { name: 'Campo' }).fill('plano');
    await row.getByRole('textbox', { name: 'Valor' }).fill('ouro');
    await dialog.getByRole('checkbox', { name: 'Aceita mensagens' }).press('Space');
    assert.deepEqual(await violations(page), []);
    await dialog.getByRole('button', { name: 'Salvar' }).press('Enter');
    await page.getByRole('heading', { name: `Célia ${width}` }).waitFor();
    await dialog.waitFor({ state: 'detached' });
    const { stack, shop } = panel;
    const made = await stack.contact(shop.key, phone);
    assert.deepEqual(
      [made?.name, made?.email, made?.tags, made?.fields, made?.optIn],
      [`Célia ${width}`, 'celia@exemplo.com.br', ['nova'], { plano: 'ouro' }, true],
    );
    await page.getByRole('button', { name: 'Editar contato' }).press('Enter');
    const editing = page.getByRole('dialog', { name: 'Editar contato' });
    await editing.getByRole('button', { name: 'Remover etiqueta: nova' }).press('Enter');
    await editing.getByRole('button', { name: 'Remover campo: plano' }).press('Enter');
    await editing.getByRole('textbox', { name: 'Nova etiqueta' }).fill('vip');
    await editing.getByRole('checkbox', { name: 'Aceita mensagens' }).press('Space');
    await editing.getByRole('textbox', { name: 'Nome' }).fill('');
    assert.deepEqual(await violations(page), []);
    await editing.getByRole('button', { name: 'Salvar' }).press('Enter');
    await page.getByText('Contato salvo.').waitFor();
    const changed = await stack.contact(shop.key, phone);
    assert.deepEqual(
      [changed?.name, changed?.tags, changed?.fields, changed?.optIn],
      [null, ['vip'], {}, false],
    );
    assert.deepEqual(offences, []);
    await context.close();
  });
}

test('a contact beside its thread is corrected there, and another change stays', async () => {
  const from = freshPhone();
  const { stack, shop } = panel;
  await stack.network.inbound({ channelId: shop.main, from, text: 'Oi', name: 'Davi Rocha' });
  const { page, context } = await panel.signIn('ana');
  await page.getByRole('list', { name: 'Conversas' }).getByRole('link', { name: 'Davi' }).click();
  const pane = page.getByRole('complementary', { name: 'Contato' });
  await pane.getByRole('button', { name: 'Editar contato' }).click();
  const dialog = page.getByRole('dialog', { name: 'Editar contato' });
  await dialog.getByRole('textbox', { name: 'E-mail' }).fill('davi@exemplo.com.br');
  await make({ phone: from, fields: { cidade: 'Natal' }, tags: ['da API'] });
  await pane.getByText('Natal').waitFor();
  await dialog.getByRole('button', { name: 'Salvar' }).click();
  await pane.getByText('davi@exemplo.com.br').waitFor();
  await pane.getByText('da API').waitFor();
  await pane.getByRole('button', { name: 'Editar contato' }).click();
  await dialog.getByRole('textbox', { name: 'E-mail' }).fill('davi@');
  await dialog.getByRole('button', { name: 'Salvar' }).click();
  assert.equal(await dialog.isVisible(), true, 'no address is saved that is none');
  await context.close();
});

test('contacts are found by name, printed phone and e-mail, and filtered', async () => {
  const { page, context, offences } = await panel.signIn('ana');
  await visitContacts(page);
  const box = page.getByRole('searchbox', { name: 'Buscar' });
  for (const wanted of ['sara', printed(sim), 'sara@exemplo']) {
    await box.fill(wanted);
    await box.press('Enter');
    await page.getByText('1 contato', { exact: true }).waitFor();
    await assertListed(page, ['Sara Sim']);
  }
  await box.fill('');
  await box.press('Enter');
  await page.getByRole('combobox', { name: 'Etiqueta' }).selectOption('vip');
  const consent = page.getByRole('combobox', { name: 'Aceita mensagens' });
  await consent.selectOption('Não');
  await listOf(page).getByText('Zoe Zero').waitFor({ state: 'detached' });
  await listOf(page).getByText('Nuno Não').waitFor();
  await consent.selectOption('Sem registro');
  await listOf(page).getByText('Nuno Não').waitFor({ state: 'detached' });
  await assertListed(page, ['Zoe Zero']);
  assert.deepEqual(await violations(page), []);
  await consent.selectOption('Sim');
  await page.getByRole('button', { name: 'Limpar filtros' }).click();
  await listOf(page).getByText('Sara Sim').waitFor();
  assert.deepEqual(offences, []);
  await context.close();
});

test('conversations are found by e-mail and printed phone, and filtered by tag and member', async () => {
  const from = freshPhone();
  const other = freshPhone();
  const { stack, shop } = panel;
  await stack.network.inbound({ channelId: shop.main, from, text: 'Oi', name: 'Eli Vip' });
  await stack.network.inbound({ channelId: shop.main, from: other, text: 'Oi', name: 'Gil Comum' });
  await make({ phone: from, tags: ['vip'], email: 'eli@exemplo.com.br' });
  const { page, context } = await panel.signIn('ana');
  const list = page.getByRole('list', { name: 'Conversas' });
  const rows = list.getByRole('link');
  const box = page.getByRole('searchbox', { name: 'Buscar' });
  for (const wanted of ['eli@exemplo', printed(from)]) {
    await box.fill(wanted);
    await rows.filter({ hasText: 'Gil' }).waitFor({ state: 'detached' });
    await rows.filter({ hasText: 'Eli' }).waitFor();
    await box.fill('');
    await rows.filter({ hasText: 'Gil' }).waitFor();
  }
  await page.getByRole('combobox', { name: 'Etiqueta' }).selectOption('vip');
  await rows.filter({ hasText: 'Gil' }).waitFor({ state: 'detached' });
  await rows.filter({ hasText: 'Eli' }).click();
  await page.getByRole('button', { name: 'Atribuir' }).click();
  await page.getByRole('menuitem', { name: 'Bia Reis' }).click();
  await page.getByText('Responsável: Bia Reis').waitFor();
  const member = page.getByRole('combobox', { name: 'Responsável' });
  await member.selectOption('Ana Souza');
  await page.getByText('Nenhuma conversa com estes filtros').waitFor();
  await member.selectOption('Bia Reis');
  await rows.filter({ hasText: 'Eli' }).waitFor();
  assert.deepEqual(await violations(page), []);
  await context.close();
});

test('hostile data are text only in the form of a contact', async () => {
  const { page, context } = await panel.signIn('ana', { width: 390, height: 844 });
  for (const kind of HOSTILE_KINDS.filter((each) => each !== 'override')) {
    await make({
      ...{ phone: freshPhone(), name: hostile(kind, 120), tags: [hostile(kind, 40)] },
      fields: { [hostile(kind, 60)]: hostile(kind, 500) },
    });
    await visitContacts(page);
    await listOf(page)
      .getByRole('link', { name: new RegExp(`^${kind} `) })
      .click();
    await page.getByRole('button', { name: 'Editar contato' }).click();
    await page.getByRole('dialog').waitFor();
    await assertHarmless(page, `the form of ${kind}`);
    await page.keyboard.press('Escape');
  }
  await context.close();
});
