/** Templates, the window's clock and scheduled messages in the composer, in a real browser. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { apiOf, freshPhone } from '../../support/api.ts';
import { violations } from '../../support/browser.ts';
import { usePanel } from '../../support/panel/panel-fixture.ts';

const STATES = /^(Enviada|Entregue|Lida)$/;
const NARROW = { width: 390 };

const panel = usePanel();

function logOf(page: Page) {
  return page.getByRole('log', { name: 'Mensagens' });
}

async function openWith(name: string, page: Page): Promise<string> {
  const from = freshPhone();
  await panel.stack.network.inbound({ channelId: panel.shop.main, from, text: 'Oi', name });
  await page.getByRole('list', { name: 'Conversas' }).getByRole('link', { name }).click();
  await logOf(page).getByText('Oi').waitFor();
  return from;
}

for (const [width, options] of [
  ['1280 px', {}],
  ['390 px', NARROW],
] as const) {
  test(`a template is chosen, filled and sent, and shown with its name (${width})`, async () => {
    const { page, context, offences } = await panel.signIn('ana', options);
    await openWith(`Rui ${width}`, page);
    await page.getByRole('button', { name: 'Modelos' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: /lembrete_consulta/ }).waitFor();
    assert.equal(await dialog.getByText('cupom_retorno').count(), 0, 'a paused one');
    await dialog.getByLabel('Buscar').fill('lembrete');
    await dialog.getByRole('button', { name: /pedido_enviado/ }).waitFor({ state: 'detached' });
    assert.deepEqual(await violations(page), []);
    await dialog.getByRole('button', { name: /lembrete_consulta/ }).click();
    await dialog.getByLabel(/^Variável nome/).fill('Rui');
    await dialog.getByLabel(/^Variável data/).fill('12/12');
    await dialog.getByLabel(/^Variável hora/).fill('10:00');
    assert.deepEqual(await violations(page), []);
    await dialog.getByRole('button', { name: 'Enviar modelo' }).click();
    const sent = logOf(page).getByRole('article').filter({ hasText: 'Modelo lembrete_consulta' });
    await sent.getByText(STATES).waitFor();
    assert.match((await sent.textContent()) ?? '', /Rui.*12\/12.*10:00/s);
    assert.deepEqual(await violations(page), []);
    assert.deepEqual(offences, []);
    await context.close();
  });

  test(`a message is scheduled, listed with its time, and cancelled (${width})`, async () => {
    const { page, context, offences } = await panel.signIn('bia', options);
    await openWith(`Lia ${width}`, page);
    await page.getByRole('textbox', { name: 'Mensagem' }).fill('Até amanhã');
    await page.getByRole('button', { name: 'Agendar' }).click();
    const dialog = page.getByRole('dialog');
    const tomorrow = new Date(Date.now() + 48 * 60 * 60 * 1000).toISOString().slice(0, 10);
    await dialog.getByLabel('Dia').fill('2020-01-01');
    await dialog.getByLabel('Hora').fill('09:30');
    await dialog.getByRole('button', { name: 'Agendar envio' }).click();
    await dialog.getByRole('alert').waitFor();
    await dialog.getByLabel('Dia').fill(tomorrow);
    assert.deepEqual(await violations(page), []);
    await dialog.getByRole('button', { name: 'Agendar envio' }).click();
    const list = page.getByRole('region', { name: 'Mensagens agendadas' });
    await list.getByText('Até amanhã').waitFor();
    await list.getByText(/Agendada para .*09:30/).waitFor();
    const shown = logOf(page).getByRole('article').filter({ hasText: 'Até amanhã' });
    await shown.getByText('Agendada', { exact: true }).waitFor();
    assert.deepEqual(await violations(page), []);
    await list.getByRole('button', { name: 'Cancelar envio' }).click();
    await shown.getByText('Cancelada', { exact: true }).waitFor();
    await list.waitFor({ state: 'detached' });
    assert.deepEqual(offences, []);
    await context.close();
  });
}

test('the window of a contact who has just written has a clock; a web number has none', async () => {
  const { page, context } = await panel.signIn('ana');
  await openWith('Caio', page);
  await page.getByText(/Janela de 24 horas: restam 23 h 59 min/).waitFor();
  await panel.stack.network.inbound({
    channelId: panel.shop.shop,
    from: freshPhone(),
    text: 'Olá',
    name: 'Web Zita',
  });
  await page.getByRole('list', { name: 'Conversas' }).getByRole('link', { name: 'Zita' }).click();
  await logOf(page).getByText('Olá').waitFor();
  assert.equal(await page.getByText(/Janela de 24 horas/).count(), 0);
  assert.equal(await page.getByRole('button', { name: 'Modelos' }).count(), 0);
  await context.close();
});

test('buttons that were sent are shown, and so is the choice of the contact', async () => {
  const { page, context } = await panel.signIn('ana');
  const from = await openWith('Nina', page);
  const { stack, shop } = panel;
  const buttons = [
    { id: 'sim', title: 'Sim, confirmo' },
    { id: 'nao', title: 'Não posso' },
  ];
  const interactive = { type: 'buttons', text: 'Confirma o horário?', buttons };
  await apiOf(stack.baseUrl).send(shop.key, { channelId: shop.main, phone: from, interactive });
  const sent = logOf(page).getByRole('article').filter({ hasText: 'Confirma o horário?' });
  await sent.getByText(STATES).waitFor();
  assert.deepEqual(await sent.getByRole('listitem').allTextContents(), [
    'Sim, confirmo',
    'Não posso',
  ]);
  const [written] = await stack.network.sent(from);
  assert.ok(written);
  const reply = { to: written.externalId, id: 'sim' };
  await stack.network.inbound({ channelId: shop.main, from, reply });
  const chosen = logOf(page).getByRole('article').filter({ hasText: 'Escolheu uma opção' });
  await chosen.getByText('Sim, confirmo').waitFor();
  assert.deepEqual(await violations(page), []);
  await context.close();
});
