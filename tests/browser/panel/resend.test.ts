/** "Reenviar mensagem" of a failed message, in a real browser on a real stack. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { apiOf, freshPhone } from '../../support/api.ts';
import { violations } from '../../support/browser.ts';
import { usePanel } from '../../support/panel/panel-fixture.ts';

const UNDELIVERABLE = 131026;
/** Messages in the document, around those in view. */
const MORE_THAN_SHOWN = 40;
const STATES = /^(Enviada|Entregue|Lida)$/;

const panel = usePanel();

function logOf(page: Page) {
  return page.getByRole('log', { name: 'Mensagens' });
}

/** The articles of the messages with a text, the oldest first. */
function articles(page: Page, text: string) {
  return logOf(page).getByRole('article').filter({ hasText: text });
}

function resendIn(page: Page, text: string, index = 0) {
  return articles(page, text).nth(index).getByRole('button', { name: 'Reenviar mensagem' });
}

/** The network refuses the next sends to a contact. */
function refuse(to: string, times = 1): Promise<void> {
  const { stack, shop } = panel;
  const { phoneNumberId } = shop;
  return stack.network.fault({ phoneNumberId, to, code: UNDELIVERABLE, times });
}

async function contact(name: string): Promise<string> {
  const from = freshPhone();
  await panel.stack.network.inbound({ channelId: panel.shop.main, from, text: 'Oi', name });
  return from;
}

async function open(page: Page, name: string): Promise<void> {
  await page.getByRole('list', { name: 'Conversas' }).getByRole('link', { name }).click();
  await logOf(page).getByText('Oi', { exact: true }).waitFor();
}

async function write(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Mensagem' }).fill(text);
  await page.getByRole('button', { name: 'Enviar', exact: true }).click();
}

async function textsTo(phone: string): Promise<readonly (string | null)[]> {
  return (await panel.stack.network.sent(phone)).map(({ text }) => text);
}

for (const [width, options] of [
  ['1280 px', {}],
  ['390 px, dark', { width: 390, dark: true }],
] as const) {
  test(`a failed message says why and goes again, and that one again (${width})`, async () => {
    const name = `Rui ${width}`;
    const from = await contact(name);
    const { page, context, offences } = await panel.signIn('ana', options);
    await open(page, name);
    await refuse(from, 2);
    await write(page, 'Segue o endereço');
    await resendIn(page, 'Segue o endereço').waitFor();
    const first = articles(page, 'Segue o endereço').first();
    await first.getByText('Falhou', { exact: true }).waitFor();
    assert.notEqual(await first.locator('.reason').textContent(), '', 'its reason stands there');
    assert.deepEqual(await violations(page), []);
    await resendIn(page, 'Segue o endereço').focus();
    await page.keyboard.press('Enter');
    await first.getByText('Reenviada', { exact: true }).waitFor();
    await resendIn(page, 'Segue o endereço', 1).waitFor();
    assert.equal(await resendIn(page, 'Segue o endereço').count(), 0, 'the first one has gone');
    await resendIn(page, 'Segue o endereço', 1).dblclick();
    await articles(page, 'Segue o endereço').nth(2).getByText(STATES).waitFor();
    await page.reload();
    await articles(page, 'Segue o endereço').nth(2).getByText(STATES).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Reenviar mensagem' }).count(), 0);
    assert.equal(await articles(page, 'Segue o endereço').count(), 3);
    assert.deepEqual(await textsTo(from), ['Segue o endereço']);
    assert.deepEqual(await violations(page), []);
    assert.deepEqual(offences, []);
    await context.close();
  });
}

test('a resend without an answer survives a reload and two clicks, and goes once', async () => {
  const from = await contact('Lia');
  const { page, context } = await panel.signIn('ana');
  await open(page, 'Lia');
  await refuse(from);
  await write(page, 'Chega hoje');
  await resendIn(page, 'Chega hoje').waitFor();
  const other = await context.newPage();
  await other.goto(page.url());
  await resendIn(other, 'Chega hoje').waitFor();
  await page.bringToFront();
  await context.route('**/api/v1/messages', (route) => route.abort());
  await resendIn(page, 'Chega hoje').dblclick();
  await logOf(page).getByText('Sem resposta').first().waitFor();
  await page.reload();
  await articles(page, 'Chega hoje').first().getByText('Reenviando…').waitFor();
  assert.equal(await articles(page, 'Chega hoje').count(), 2);
  await context.unroute('**/api/v1/messages');
  await articles(page, 'Chega hoje').nth(1).getByText(STATES).waitFor();
  await articles(page, 'Chega hoje').first().getByText('Reenviada', { exact: true }).waitFor();
  await articles(other, 'Chega hoje').first().getByText('Reenviada', { exact: true }).waitFor();
  await articles(other, 'Chega hoje').nth(1).getByText(STATES).waitFor();
  assert.equal(await articles(other, 'Chega hoje').count(), 2, 'another tab knows of it');
  assert.deepEqual(await textsTo(from), ['Chega hoje']);
  await context.close();
});

test('a resend that waits in another tab is told, and uploads no file', async () => {
  const from = await contact('Bento');
  const { page, context } = await panel.signIn('ana');
  await open(page, 'Bento');
  await refuse(from);
  const choosing = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Anexar arquivo' }).click();
  const file = { name: 'nota.txt', mimeType: 'text/plain', buffer: Buffer.from('nota') };
  await (await choosing).setFiles(file);
  await page.getByText('nota.txt').waitFor();
  await page.getByRole('progressbar').waitFor({ state: 'detached' });
  await write(page, 'Em duas abas');
  await resendIn(page, 'Em duas abas').waitFor();
  const other = await context.newPage();
  await other.goto(page.url());
  await resendIn(other, 'Em duas abas').waitFor();
  await context.route('**/api/v1/messages', (route) => route.abort());
  await resendIn(page, 'Em duas abas').click();
  await logOf(page).getByText('Sem resposta').first().waitFor();
  const uploads: string[] = [];
  other.on('request', (request) => {
    if (request.url().endsWith('/panel/api/files')) uploads.push(request.url());
  });
  await resendIn(other, 'Em duas abas').click();
  await articles(other, 'Em duas abas').first().getByRole('alert').getByText('outra aba').waitFor();
  assert.deepEqual(uploads, []);
  assert.deepEqual(await violations(other), []);
  await context.unroute('**/api/v1/messages');
  await articles(page, 'Em duas abas').nth(1).getByText(STATES).waitFor();
  assert.deepEqual(await textsTo(from), ['Em duas abas']);
  await context.close();
});

test('a resend that was refused for good takes another key when it is offered anew', async () => {
  const from = await contact('Iara');
  const { page, context } = await panel.signIn('ana');
  await open(page, 'Iara');
  await refuse(from);
  await write(page, 'Até amanhã');
  await resendIn(page, 'Até amanhã').waitFor();
  const keys: (string | undefined)[] = [];
  let status = 422;
  await context.route('**/api/v1/messages', (route) => {
    keys.push(route.request().headers()['idempotency-key']);
    if (status === 0) return route.abort();
    if (status === 200) return route.continue();
    if (status === 404) return route.fulfill({ status, body: '404 page not found' });
    return route.fulfill({ status, json: { error: 'Não foi aceita.', issues: [] } });
  });
  const discardIn = articles(page, 'Até amanhã').getByRole('button', { name: 'Descartar' });
  await resendIn(page, 'Até amanhã').click();
  await articles(page, 'Até amanhã').getByText('Não foi aceita.').waitFor();
  await discardIn.click();
  // A proxy's, while there is no gateway behind it.
  status = 404;
  await resendIn(page, 'Até amanhã').click();
  await articles(page, 'Até amanhã').getByRole('alert').waitFor();
  await discardIn.click();
  status = 0;
  await resendIn(page, 'Até amanhã').click();
  await logOf(page).getByText('Sem resposta').first().waitFor();
  await discardIn.click();
  status = 200;
  await resendIn(page, 'Até amanhã').click();
  await articles(page, 'Até amanhã').nth(1).getByText(STATES).waitFor();
  const [first, ...others] = keys;
  assert.equal(new Set(others).size, 1, 'after an unknown outcome the key stays');
  assert.ok(others.length >= 3);
  assert.ok(!others.includes(first), 'after a refusal it is another');
  assert.deepEqual(await textsTo(from), ['Até amanhã']);
  await context.close();
});

test('buttons, a file and a quote go again as they were', async () => {
  const from = await contact('Caio');
  const { page, context } = await panel.signIn('bia');
  await open(page, 'Caio');
  const { stack, shop } = panel;
  const api = apiOf(stack.baseUrl);
  const place = { channelId: shop.main, phone: from };
  const buttons = [
    { id: 'sim', title: 'Sim, confirmo' },
    { id: 'nao', title: 'Não posso' },
  ];
  await refuse(from);
  const interactive = { type: 'buttons', text: 'Confirma?', buttons };
  await api.send(shop.key, { ...place, interactive });
  await resendIn(page, 'Confirma?').click();
  const sent = articles(page, 'Confirma?').nth(1);
  await sent.getByText(STATES).waitFor();
  assert.deepEqual(await sent.getByRole('listitem').allTextContents(), [
    'Sim, confirmo',
    'Não posso',
  ]);
  await refuse(from);
  const choosing = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Anexar arquivo' }).click();
  const file = { name: 'nota.txt', mimeType: 'text/plain', buffer: Buffer.from('nota') };
  await (await choosing).setFiles(file);
  await page.getByText('nota.txt').waitFor();
  await page.getByRole('progressbar').waitFor({ state: 'detached' });
  await write(page, 'Com a nota');
  await resendIn(page, 'Com a nota').click();
  const filed = articles(page, 'Com a nota').nth(1);
  await filed.getByText(STATES).waitFor();
  await filed.getByRole('link', { name: /^nota\.txt/ }).waitFor();
  const asked = articles(page, 'Oi').first();
  await asked.getByRole('button', { name: 'Ações da mensagem' }).click();
  await page.getByRole('menuitem', { name: 'Responder' }).click();
  await refuse(from);
  await write(page, 'Bom dia!');
  await resendIn(page, 'Bom dia!').click();
  const quoting = articles(page, 'Bom dia!').nth(1);
  await quoting.getByText(STATES).waitFor();
  await quoting.getByRole('blockquote').getByText('Oi').waitFor();
  assert.deepEqual(await textsTo(from), ['Confirma?', 'Com a nota', 'Bom dia!']);
  await context.close();
});

test('a template without variables goes again; one with variables is filled anew', async () => {
  const from = await contact('Nina');
  const { page, context } = await panel.signIn('ana');
  await open(page, 'Nina');
  const { stack, shop } = panel;
  const api = apiOf(stack.baseUrl);
  const place = { channelId: shop.main, phone: from };
  await refuse(from);
  await api.send(shop.key, { ...place, template: { name: 'hello_world', language: 'en_US' } });
  await resendIn(page, 'Modelo hello_world').click();
  await articles(page, 'Modelo hello_world').nth(1).getByText(STATES).waitFor();
  const body = { nome: 'Nina', data: '12/12', hora: '10:00' };
  const template = { name: 'lembrete_consulta', language: 'pt_BR', body };
  await refuse(from);
  await api.send(shop.key, { ...place, template });
  await resendIn(page, 'Modelo lembrete_consulta').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel(/^Variável nome/).fill('Nina');
  await dialog.getByLabel(/^Variável data/).fill('13/12');
  await dialog.getByLabel(/^Variável hora/).fill('11:00');
  assert.deepEqual(await violations(page), []);
  await dialog.getByRole('button', { name: 'Enviar modelo' }).click();
  const again = articles(page, 'Modelo lembrete_consulta');
  await again.nth(1).getByText(STATES).waitFor();
  await again.first().getByText('Reenviada', { exact: true }).waitFor();
  await context.close();
});

test('what is filled anew goes, though more messages push the failed one away', async () => {
  const from = await contact('Tito');
  const { page, context } = await panel.signIn('ana');
  await open(page, 'Tito');
  const { stack, shop } = panel;
  const body = { nome: 'Tito', data: '12/12', hora: '10:00' };
  const template = { name: 'lembrete_consulta', language: 'pt_BR', body };
  await refuse(from);
  await apiOf(stack.baseUrl).send(shop.key, { channelId: shop.main, phone: from, template });
  await resendIn(page, 'Modelo lembrete_consulta').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel(/^Variável nome/).fill('Tito Reis');
  for (let more = 0; more < MORE_THAN_SHOWN; more++) {
    await stack.network.inbound({ channelId: shop.main, from, text: `Mais ${more}` });
  }
  await articles(page, 'Modelo lembrete_consulta').waitFor({ state: 'detached' });
  await dialog.getByLabel(/^Variável data/).fill('13/12');
  await dialog.getByLabel(/^Variável hora/).fill('11:00');
  await dialog.getByRole('button', { name: 'Enviar modelo' }).click();
  await articles(page, 'Tito Reis').getByText(STATES).waitFor();
  await context.close();
});

test('who only reads sees why a message failed, and has no button', async () => {
  const from = await contact('Davi');
  const { stack, shop } = panel;
  await refuse(from);
  const body = { channelId: shop.main, phone: from, text: 'Até já' };
  await apiOf(stack.baseUrl).send(shop.key, body);
  const reader = ['--org', shop.ref, '--member', 'bia', '--role', 'viewer'];
  await stack.ask('members', 'role', ...reader);
  const { page, context } = await panel.signIn('bia');
  await open(page, 'Davi');
  const failed = articles(page, 'Até já');
  await failed.getByText('Falhou', { exact: true }).waitFor();
  assert.notEqual(await failed.locator('.reason').textContent(), '');
  assert.equal(await page.getByRole('button', { name: 'Reenviar mensagem' }).count(), 0);
  await context.close();
});
