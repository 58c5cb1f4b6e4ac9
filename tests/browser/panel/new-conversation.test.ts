/** A conversation that a member begins, in a real browser, by role and name. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { freshPhone } from '../../support/api.ts';
import { violations } from '../../support/browser.ts';
import { usePanel } from '../../support/panel/panel-fixture.ts';
import { assertHarmless, hostile } from './hostile-contents.ts';

const STATES = /^(Enviada|Entregue|Lida)$/;
const panel = usePanel();
const known = freshPhone();

before(async () => {
  const { stack, shop } = panel;
  const body = { phone: known, name: 'Ivone Luz' };
  const made = await stack.call('POST', '/api/v1/contacts', { key: shop.key, body });
  assert.equal(made.status, 201, made.text);
});

const logOf = (page: Page) => page.getByRole('log', { name: 'Mensagens' });
const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'Nova conversa' });
const whoIn = (page: Page) => dialogOf(page).getByRole('combobox', { name: 'Contato ou telefone' });

/** The sentence stands beneath the control, which tells of it and has the focus. */
async function assertWrong(page: Page, control: Locator, sentence: RegExp): Promise<void> {
  const error = dialogOf(page).getByRole('alert').filter({ hasText: sentence });
  await error.waitFor();
  await control.and(page.locator(':focus')).waitFor();
  assert.equal(await control.getAttribute('aria-invalid'), 'true');
  assert.equal(await control.getAttribute('aria-describedby'), await error.getAttribute('id'));
  assert.equal(await dialogOf(page).getByRole('alert').count(), 1, 'it is said once');
  assert.deepEqual(await violations(page), []);
}

const WAYS = [
  { width: 1280, dark: false },
  { width: 390, dark: true },
];

for (const { width, dark } of WAYS) {
  test(`a conversation begins by keys alone, with a new phone (${width} px)`, async () => {
    const { page, context, offences } = await panel.signIn('bia', { width, dark, height: 844 });
    await page.getByRole('button', { name: 'Nova conversa' }).press('Enter');
    const phone = freshPhone();
    await whoIn(page).waitFor();
    await page.keyboard.type(`+${phone}`);
    await page.keyboard.press('Tab');
    await dialogOf(page).getByRole('combobox', { name: 'Canal' }).selectOption('Vendas');
    assert.equal(await dialogOf(page).getByRole('combobox', { name: 'Modelo' }).count(), 0);
    await page.keyboard.press('Tab');
    await page.keyboard.type(`Bem-vinda ${width}`);
    assert.deepEqual(await violations(page), []);
    await dialogOf(page).getByRole('button', { name: 'Iniciar conversa' }).press('Enter');
    const sent = logOf(page)
      .getByRole('article')
      .filter({ hasText: `Bem-vinda ${width}` });
    await sent.getByText(STATES).waitFor();
    const { stack, shop } = panel;
    assert.ok(await stack.contact(shop.key, phone), 'the phone has become a contact');
    assert.deepEqual(offences, []);
    await context.close();
  });

  test(`outside the window a template begins it, by contact and name (${width} px)`, async () => {
    const { page, context } = await panel.signIn('ana', { width, dark, height: 844 });
    await page.getByRole('button', { name: 'Nova conversa' }).click();
    await whoIn(page).fill('ivone');
    await dialogOf(page).getByRole('option', { name: 'Ivone Luz' }).click();
    const template = dialogOf(page).getByRole('combobox', { name: 'Modelo' });
    await template.selectOption({ label: 'lembrete_consulta (pt_BR)' });
    const name = dialogOf(page).getByRole('textbox', { name: 'nome', exact: true });
    await name.fill('I     vone');
    await dialogOf(page).getByRole('textbox', { name: 'data', exact: true }).fill('12/12');
    await dialogOf(page).getByRole('textbox', { name: 'hora', exact: true }).fill('10:00');
    await dialogOf(page).getByRole('button', { name: 'Iniciar conversa' }).click();
    await assertWrong(page, name, /^nome: /);
    await name.fill('Ivone');
    await dialogOf(page).getByRole('button', { name: 'Iniciar conversa' }).click();
    const sent = logOf(page).getByRole('article').filter({ hasText: 'Modelo lembrete_consulta' });
    await sent.last().getByText(STATES).waitFor();
    assert.match((await sent.last().textContent()) ?? '', /Ivone.*12\/12.*10:00/s);
    await context.close();
  });
}

test('within the window a text begins it from the contact, and a repeat sends nothing twice', async () => {
  const from = freshPhone();
  const { stack, shop } = panel;
  await stack.network.inbound({ channelId: shop.main, from, text: 'Oi', name: 'Saulo Dias' });
  const { page, context } = await panel.signIn('ana');
  await page.getByRole('navigation').getByRole('link', { name: 'Contatos' }).click();
  await page.getByRole('link', { name: 'Saulo Dias' }).click();
  await page.getByRole('button', { name: 'Nova conversa' }).click();
  assert.equal(await whoIn(page).inputValue(), 'Saulo Dias');
  await dialogOf(page).getByRole('combobox', { name: 'Modelo' }).waitFor({ state: 'detached' });
  await dialogOf(page).getByRole('textbox', { name: 'Texto' }).fill('Chegou');
  // The answer is lost, and not the message.
  await context.route('**/api/v1/messages', async (route) => {
    await route.fetch();
    await route.abort();
  });
  await dialogOf(page).getByRole('button', { name: 'Iniciar conversa' }).click();
  await dialogOf(page).getByRole('alert').waitFor();
  await context.unroute('**/api/v1/messages');
  await dialogOf(page).getByRole('button', { name: 'Iniciar conversa' }).click();
  await logOf(page).getByText('Chegou').waitFor();
  await dialogOf(page).waitFor({ state: 'detached' });
  assert.equal(await logOf(page).getByText('Chegou').count(), 1);
  await logOf(page).getByText(STATES).last().waitFor();
  const sent = await stack.network.sent(from);
  assert.equal(sent.filter(({ text }) => text === 'Chegou').length, 1);
  await context.close();
});

test('nothing is said of the channels before they are read, nor of a read that fails', async () => {
  const { page, context } = await panel.signIn('ana');
  const comes = Promise.withResolvers<void>();
  await context.route('**/api/v1/channels', async (route) => {
    await comes.promise;
    await route.fulfill({ status: 503, json: { error: 'Agora não.' } });
  });
  await page.getByRole('button', { name: 'Nova conversa' }).click();
  await whoIn(page).fill(freshPhone());
  await dialogOf(page).getByRole('textbox', { name: 'Texto' }).fill('Bom dia');
  const start = dialogOf(page).getByRole('button', { name: 'Iniciar conversa' });
  await start.press('Enter');
  assert.equal(await dialogOf(page).getByRole('alert').count(), 0);
  comes.resolve();
  await dialogOf(page).getByRole('alert').filter({ hasText: 'Agora não.' }).waitFor();
  await context.unroute('**/api/v1/channels');
  await start.click();
  await logOf(page).getByText('Bom dia').waitFor();
  await context.close();
});

test('the contact that the arrow keys have reached stays it when another one comes', async () => {
  const { stack, shop } = panel;
  const make = async (name: string) => {
    const body = { phone: freshPhone(), name };
    const made = await stack.call('POST', '/api/v1/contacts', { key: shop.key, body });
    assert.equal(made.status, 201, made.text);
  };
  await make('Zuleica Meta');
  const { page, context } = await panel.signIn('ana');
  await page.getByRole('button', { name: 'Nova conversa' }).click();
  await whoIn(page).fill('zuleica');
  const options = dialogOf(page).getByRole('option');
  await options.first().waitFor();
  await whoIn(page).press('ArrowDown');
  await make('Zuleica Outra');
  await make('Zuleica A');
  await options.nth(2).waitFor();
  await whoIn(page).press('Enter');
  assert.equal(await whoIn(page).inputValue(), 'Zuleica Meta');
  await context.close();
});

test('nobody, nothing and a hostile name are no way in', async () => {
  const { page, context } = await panel.signIn('ana', { width: 390, height: 844 });
  const { stack, shop } = panel;
  for (const kind of ['markup', 'piled', 'unbroken'] as const) {
    const body = { phone: freshPhone(), name: hostile(kind, 120) };
    await stack.call('POST', '/api/v1/contacts', { key: shop.key, body });
  }
  await page.getByRole('button', { name: 'Nova conversa' }).click();
  for (const kind of ['markup', 'piled', 'unbroken']) {
    await whoIn(page).fill(kind);
    await dialogOf(page).getByRole('option').first().waitFor();
    await assertHarmless(page, `${kind} is offered`);
  }
  await page.keyboard.press('Escape');
  await whoIn(page).fill('ninguém mesmo');
  await dialogOf(page).getByRole('button', { name: 'Iniciar conversa' }).click();
  await assertWrong(page, whoIn(page), /^Contato ou telefone: Escolha um contato/);
  await whoIn(page).fill('+55 11 98765-4321 0987 6543');
  await dialogOf(page).getByRole('button', { name: 'Iniciar conversa' }).click();
  const text = dialogOf(page).getByRole('textbox', { name: 'Texto' });
  await assertWrong(page, text, /^Texto: Escreva o texto/);
  await text.fill('Oi');
  await dialogOf(page).getByRole('button', { name: 'Iniciar conversa' }).click();
  await assertWrong(page, whoIn(page), /^Contato ou telefone: /);
  await context.close();
});
