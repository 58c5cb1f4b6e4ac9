/** Quick replies by "/", with their variables, in a real browser, by role and name. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { freshPhone } from '../../support/api.ts';
import { violations } from '../../support/browser.ts';
import { usePanel } from '../../support/panel/panel-fixture.ts';
import { waitFor } from '../../support/wait-for.ts';
import { pressBeforePainting } from './before-painting.ts';
import { assertHarmless, hostile } from './hostile-contents.ts';

const WAYS = [
  { width: 1280, dark: false, touch: false },
  { width: 390, dark: true, touch: true },
];
const REPLIES = [
  { title: 'Preço', text: '{{contact.name}}, o plano {{contact.fields.plano}} custa R$ 50.' },
  { title: 'Saudação', text: 'Olá{{contact.nada}}, {{ contact.email | default: "cliente" }}!' },
  { title: 'Endereço', text: 'Rua das Flores, 1\nde {{org.name}}' },
  { title: 'Com erro', text: 'Olá {% if contact.name %}' },
  { title: hostile('markup', 60), text: `${hostile('markup', 300)} {{contact.name}}` },
];
/** A template in a contact's own words is text. */
const SAID = '{{org.name}} <img src=x onerror=ran=1>';

const panel = usePanel();

const logOf = (page: Page) => page.getByRole('log', { name: 'Mensagens' });
const boxOf = (page: Page) => page.getByRole('textbox', { name: 'Mensagem' });
const listOf = (page: Page) => page.getByRole('listbox', { name: 'Respostas rápidas' });

before(async () => {
  const { context } = await panel.signIn('ana');
  const headers = { 'x-recado-panel': '1', origin: panel.url };
  for (const data of REPLIES) {
    const made = await context.request.post('/panel/api/quick-replies', { data, headers });
    assert.ok(made.ok(), await made.text());
  }
  await context.close();
});

async function openWith(page: Page, name: string): Promise<void> {
  const from = freshPhone();
  const { stack, shop } = panel;
  const body = { phone: from, name, fields: { plano: 'ouro' } };
  const made = await stack.call('POST', '/api/v1/contacts', { key: shop.key, body });
  assert.equal(made.status, 201, made.text);
  await stack.network.inbound({ channelId: shop.main, from, text: 'Oi' });
  await page.getByRole('list', { name: 'Conversas' }).getByRole('link', { name }).click();
  await logOf(page).getByText('Oi').waitFor();
}

async function hasText(page: Page, text: string): Promise<void> {
  const what = `the box has ${text}`;
  await waitFor(async () => (await boxOf(page).inputValue()) === text || null, { what });
}

for (const way of WAYS) {
  test(`"/" lists them, words narrow them, a key inserts one filled in (${way.width} px)`, async () => {
    const { page, context, offences } = await panel.signIn('ana', { ...way, height: 844 });
    const name = `Rui ${way.width}`;
    await openWith(page, name);
    await boxOf(page).press('/');
    const options = listOf(page).getByRole('option');
    await options.nth(REPLIES.length - 1).waitFor();
    assert.deepEqual(await violations(page), []);
    await assertHarmless(page, 'the list');
    await page.keyboard.type('rua flores');
    await options.nth(1).waitFor({ state: 'detached' });
    await options.filter({ hasText: 'Endereço' }).waitFor();
    await boxOf(page).fill('/preco');
    await page.getByRole('option', { name: /^Preço/, selected: true }).waitFor();
    assert.deepEqual(await violations(page), []);
    await page.keyboard.press('Enter');
    await hasText(page, `${name}, o plano ouro custa R$ 50.`);
    assert.equal(await listOf(page).count(), 0);
    assert.equal(await logOf(page).getByRole('article').count(), 1, 'nothing was sent');
    await page.keyboard.type(' Fechado?');
    await page.keyboard.press('Enter');
    await logOf(page).getByText(`${name}, o plano ouro custa R$ 50. Fechado?`).waitFor();
    await boxOf(page).fill('/');
    await options.first().waitFor();
    const second = (await options.nth(1).locator('.strong').textContent()) ?? '';
    await page.keyboard.press('ArrowDown');
    await page.getByRole('option', { name: second, selected: true }).waitFor();
    await options.filter({ hasText: 'Saudação' }).click();
    await hasText(page, 'Olá, cliente!');
    assert.equal(await boxOf(page).and(page.locator(':focus')).count(), 1, 'the box has the focus');
    assert.deepEqual(offences, []);
    await context.close();
  });
}

test('an arrow key right behind the "/" is taken, before the list was painted', async () => {
  const { page, context } = await panel.signIn('ana');
  await openWith(page, 'Ivo Veloz');
  const options = listOf(page).getByRole('option');
  await boxOf(page).fill('/');
  await options.nth(1).waitFor();
  await boxOf(page).fill('');
  await listOf(page).waitFor({ state: 'detached' });
  await boxOf(page).focus();
  const slash = `focused.value = '/';
    focused.dispatchEvent(new InputEvent('input', { bubbles: true }));`;
  await pressBeforePainting(page, slash, 'ArrowDown');
  assert.equal(await options.nth(1).getAttribute('aria-selected'), 'true');
  await context.close();
});

test('Escape closes the list, Tab inserts, and a text with "/" can be sent', async () => {
  const { page, context } = await panel.signIn('bia');
  await openWith(page, 'Lia Barra');
  await boxOf(page).fill('/sauda');
  await listOf(page).waitFor();
  await page.keyboard.press('Escape');
  await listOf(page).waitFor({ state: 'detached' });
  assert.equal(await boxOf(page).and(page.locator(':focus')).count(), 1, 'the box has the focus');
  await page.keyboard.press('Enter');
  await logOf(page).getByText('/sauda', { exact: true }).waitFor();
  await boxOf(page).fill('/nenhuma destas');
  assert.equal(await listOf(page).count(), 0);
  await page.keyboard.press('Enter');
  await logOf(page).getByText('/nenhuma destas', { exact: true }).waitFor();
  await boxOf(page).fill('/sauda');
  await page.keyboard.press('Tab');
  await hasText(page, 'Olá, cliente!');
  await boxOf(page).fill('a/b');
  assert.equal(await listOf(page).count(), 0, 'at the beginning alone');
  await context.close();
});

test('the menu fills variables too; a broken template comes as it stands, and says so', async () => {
  const { page, context } = await panel.signIn('ana', { width: 390, height: 844 });
  await openWith(page, SAID);
  const choose = async (title: string) => {
    await page.getByRole('button', { name: 'Respostas rápidas' }).click();
    await page.getByRole('menuitem', { name: title }).click();
  };
  await choose('Preço');
  await hasText(page, `${SAID}, o plano ouro custa R$ 50.`);
  await boxOf(page).fill('');
  await choose('Com erro');
  await hasText(page, 'Olá {% if contact.name %}');
  await page.getByRole('status').getByText('o texto entrou como está').waitFor();
  await boxOf(page).fill('');
  await choose('markup');
  await hasText(page, `${hostile('markup', 300)} ${SAID}`);
  await page.keyboard.press('Enter');
  await logOf(page).getByRole('article').nth(1).waitFor();
  await assertHarmless(page, 'a filled reply');
  await boxOf(page).fill('Bom dia');
  await page.getByRole('button', { name: 'Respostas rápidas' }).click();
  await page.getByRole('menuitem', { name: 'Salvar o texto como resposta rápida' }).click();
  await page.getByRole('dialog').getByText('{{contact.name}}').waitFor();
  assert.deepEqual(await violations(page), []);
  await context.close();
});
