/** Quotes, reactions, copies and forwarded messages, in a real browser, by role and name. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { freshPhone } from '../../support/api.ts';
import { violations } from '../../support/browser.ts';
import { usePanel } from '../../support/panel/panel-fixture.ts';
import { waitFor } from '../../support/wait-for.ts';
import { assertHarmless, hostile } from './hostile-contents.ts';

const STATES = /^(Enviada|Entregue|Lida)$/;
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const panel = usePanel();
const marta = freshPhone();

before(async () => {
  const { stack, shop } = panel;
  const body = { phone: marta, name: 'Marta Reis' };
  const made = await stack.call('POST', '/api/v1/contacts', { key: shop.key, body });
  assert.equal(made.status, 201, made.text);
});

/** Messages in the document, around those in view. */
const MORE_THAN_SHOWN = 40;

const logOf = (page: Page) => page.getByRole('log', { name: 'Mensagens' });
const bubbleOf = (page: Page, text: string) =>
  logOf(page).getByRole('article').filter({ hasText: text });

async function openWith(page: Page, name: string, text: string): Promise<string> {
  const from = freshPhone();
  const { stack, shop } = panel;
  await stack.network.inbound({ channelId: shop.main, from, text, name });
  await page.getByRole('list', { name: 'Conversas' }).getByRole('link', { name }).click();
  await bubbleOf(page, text).waitFor();
  return from;
}

async function choose(bubble: Locator, item: string): Promise<void> {
  await bubble.getByRole('button', { name: 'Ações da mensagem' }).press('Enter');
  await bubble.getByRole('menuitem', { name: item }).press('Enter');
}

const WAYS = [
  { width: 1280, dark: false },
  { width: 390, dark: true },
];

for (const { width, dark } of WAYS) {
  test(`a message is answered with a quote, which leads to it (${width} px)`, async () => {
    const { page, context, offences } = await panel.signIn('ana', { width, dark, height: 844 });
    await openWith(page, `Rui ${width}`, `Qual o preço?\nDo plano ${width}`);
    const asked = bubbleOf(page, `Do plano ${width}`).first();
    await choose(asked, 'Responder');
    const box = page.getByRole('textbox', { name: 'Mensagem' });
    assert.equal(await box.and(page.locator(':focus')).count(), 1, 'the composer has the focus');
    const composed = page.getByRole('main').getByRole('blockquote');
    await composed.getByText('Qual o preço?').waitFor();
    assert.deepEqual(await violations(page), []);
    await page.getByRole('button', { name: 'Cancelar resposta' }).press('Enter');
    await composed.waitFor({ state: 'detached' });
    await choose(asked, 'Responder');
    await page.keyboard.type('São 90 reais');
    await page.keyboard.press('Enter');
    const answer = bubbleOf(page, 'São 90 reais');
    await answer.getByText(STATES).waitFor();
    const quote = answer.getByRole('blockquote');
    assert.match((await quote.textContent()) ?? '', new RegExp(`^Rui ${width}Qual o preço\\?$`));
    await quote.getByRole('button').press('Enter');
    await asked.and(page.locator(':focus')).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Cancelar resposta' }).count(), 0);
    assert.deepEqual(await violations(page), []);
    const { stack, shop } = panel;
    const id = new URL(page.url()).pathname.replace('/conversas/', '');
    const [written] = await stack.history(shop.key, id);
    assert.equal(typeof written?.replyToId, 'string');
    assert.deepEqual(offences, []);
    await context.close();
  });

  test(`reactions of both sides stand on the message (${width} px)`, async () => {
    const { page, context } = await panel.signIn('bia', { width, dark, height: 844 });
    const from = await openWith(page, `Lia ${width}`, `Chegou ${width}`);
    const asked = bubbleOf(page, `Chegou ${width}`);
    await choose(asked, 'Reagir');
    assert.deepEqual(await violations(page), []);
    await page.getByRole('button', { name: '👍', exact: true }).press('Enter');
    await asked.getByText('👍').waitFor();
    assert.equal(await logOf(page).getByRole('article').count(), 1, 'no bubble of its own');
    await page.getByRole('textbox', { name: 'Mensagem' }).fill('Que bom');
    await page.keyboard.press('Enter');
    const answer = bubbleOf(page, 'Que bom');
    await answer.getByText(STATES).waitFor();
    const [sent] = (await panel.stack.network.sent(from)).slice(-1);
    const reaction = { to: sent?.externalId, emoji: '❤️' };
    const inbound = { channelId: panel.shop.main, from, reaction };
    await panel.stack.network.control('POST /inbound', inbound);
    await answer.getByText('❤️').waitFor();
    assert.equal(await logOf(page).getByRole('article').count(), 2);
    await choose(asked, 'Reagir');
    await page.getByRole('button', { name: 'Remover reação' }).press('Enter');
    await asked.getByText('👍').waitFor({ state: 'detached' });
    assert.deepEqual(await violations(page), []);
    await context.close();
  });

  test(`a text and a file go on to another contact (${width} px)`, async () => {
    const { page, context, offences } = await panel.signIn('ana', { width, dark, height: 844 });
    const from = await openWith(page, `Zeca ${width}`, `Recado ${width}`);
    await choose(bubbleOf(page, `Recado ${width}`), 'Encaminhar');
    const dialog = page.getByRole('dialog', { name: 'Encaminhar' });
    await dialog.getByRole('combobox', { name: 'Contato ou telefone' }).fill('marta');
    await dialog.getByRole('option', { name: 'Marta Reis' }).waitFor();
    assert.deepEqual(await violations(page), []);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await page.getByRole('status').getByText('Mensagem encaminhada para Marta Reis.').waitFor();
    await sentTo(marta, `Recado ${width}`);
    const media = { mimeType: 'image/png', fileName: 'foto.png', data: PIXEL };
    const text = `Foto ${width}`;
    const { stack, shop } = panel;
    await stack.network.inbound({ channelId: shop.main, from, text, media });
    await choose(bubbleOf(page, text), 'Encaminhar');
    const other = freshPhone();
    await dialog.getByRole('combobox', { name: 'Contato ou telefone' }).fill(`+${other}`);
    await dialog.getByRole('button', { name: 'Encaminhar mensagem' }).click();
    await dialog.waitFor({ state: 'detached' });
    await sentTo(other, text);
    assert.deepEqual(offences, []);
    await context.close();
  });
}

test('a message goes on as it was chosen, though a late one moves it and more push it away', async () => {
  const { page, context } = await panel.signIn('ana');
  const from = await openWith(page, 'Gil Moura', 'Pode mandar');
  const { stack, shop } = panel;
  await stack.network.inbound({ channelId: shop.main, from, text: 'Endereço: Rua A' });
  const chosen = bubbleOf(page, 'Pode mandar');
  await choose(chosen, 'Encaminhar');
  const dialog = page.getByRole('dialog', { name: 'Encaminhar' });
  await dialog.getByText('Pode mandar').waitFor();
  const other = freshPhone();
  await dialog.getByRole('combobox', { name: 'Contato ou telefone' }).fill(`+${other}`);
  const late = { channelId: shop.main, from, text: 'Escrita antes' };
  await stack.network.inbound({ ...late, at: Date.now() - 2 * 60 * 60 * 1_000 });
  await bubbleOf(page, 'Escrita antes').waitFor();
  assert.equal(await dialog.getByText('Pode mandar').count(), 1);
  for (let more = 0; more < MORE_THAN_SHOWN; more++) {
    await stack.network.inbound({ channelId: shop.main, from, text: `Mais ${more}` });
  }
  await chosen.waitFor({ state: 'detached' });
  await dialog.getByRole('button', { name: 'Encaminhar mensagem' }).click();
  await dialog.waitFor({ state: 'detached' });
  await sentTo(other, 'Pode mandar');
  await context.close();
});

function sentTo(phone: string, text: string): Promise<unknown> {
  const isSent = async () =>
    (await panel.stack.network.sent(phone)).some((each) => each.text === text) || null;
  return waitFor(isSent, { what: `${text} is sent` });
}

test('a nobody is refused in words, and a viewer copies alone', async () => {
  const { page, context } = await panel.signIn('ana');
  await openWith(page, 'Nina', 'Bom dia');
  await choose(bubbleOf(page, 'Bom dia'), 'Encaminhar');
  const dialog = page.getByRole('dialog', { name: 'Encaminhar' });
  await dialog.getByRole('combobox').fill('ninguém');
  await dialog.getByRole('button', { name: 'Encaminhar mensagem' }).click();
  const error = dialog.getByRole('alert');
  await error.getByText(/^Contato ou telefone: Escolha um contato/).waitFor();
  const box = dialog.getByRole('combobox').and(page.locator(':focus'));
  assert.equal(await box.getAttribute('aria-describedby'), await error.getAttribute('id'));
  await page.keyboard.press('Escape');
  await choose(bubbleOf(page, 'Bom dia'), 'Copiar');
  await page.getByRole('status').getByText('Copiado.').waitFor();
  await context.close();
});

test('hostile texts are text only where they are quoted and forwarded', async () => {
  const { page, context } = await panel.signIn('ana', { width: 390, height: 844 });
  for (const kind of ['markup', 'override', 'piled', 'unbroken'] as const) {
    const text = hostile(kind, 300);
    await openWith(page, `Vil ${kind}`, text);
    await choose(logOf(page).getByRole('article').first(), 'Responder');
    await page.keyboard.type('Sim');
    await assertHarmless(page, `${kind} to be quoted`);
    await page.keyboard.press('Enter');
    await bubbleOf(page, 'Sim').last().getByText(STATES).waitFor();
    await choose(logOf(page).getByRole('article').first(), 'Encaminhar');
    await page.getByRole('dialog').waitFor();
    await assertHarmless(page, `${kind} to be forwarded`);
    await page.goto('/conversas');
  }
  await context.close();
});
