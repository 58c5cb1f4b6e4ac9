/** Rows of the list of conversations in a real browser: last message, its writer, tags. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { assertStatus } from '../../support/api/answers.ts';
import { apiOf, freshPhone, type Sent } from '../../support/api.ts';
import { violations } from '../../support/browser.ts';
import { usePanel } from '../../support/panel/panel-fixture.ts';
import { assertHarmless, HOSTILE_KINDS, hostile } from './hostile-contents.ts';

const panel = usePanel();

function rowOf(page: Page, name: string) {
  return page.getByRole('list', { name: 'Conversas' }).getByRole('link', { name });
}

async function write(name: string): Promise<string> {
  const from = freshPhone();
  await panel.stack.network.inbound({ channelId: panel.shop.main, from, text: 'Oi', name });
  return from;
}

function sendTo(phone: string, text: string): Promise<Sent> {
  const { stack, shop } = panel;
  return apiOf(stack.baseUrl).send(shop.key, { channelId: shop.main, phone, text });
}

async function tag(phone: string, tags: readonly string[]): Promise<void> {
  const { stack, shop } = panel;
  const call = { key: shop.key, body: { phone, tags } };
  assertStatus(await apiOf(stack.baseUrl).call('POST', '/api/v1/contacts', call), 200);
}

async function answer(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Mensagem' }).fill(text);
  await page.getByRole('button', { name: 'Enviar', exact: true }).click();
}

for (const [width, options] of [
  ['1280 px', {}],
  ['390 px, dark', { width: 390, dark: true }],
] as const) {
  test(`a row tells who wrote last, what became of it, and the tags (${width})`, async () => {
    const name = `Rita ${width}`;
    const from = await write(name);
    const { page, context, offences } = await panel.signIn('ana', options);
    const row = rowOf(page, name);
    await row.getByText('Oi', { exact: true }).waitFor();
    const before = await row.boundingBox();
    await row.click();
    await answer(page, 'Bom dia, Rita');
    const { page: other, context: others } = await panel.signIn('bia', options);
    const foreign = rowOf(other, name);
    await foreign.getByText('Ana: Bom dia, Rita').waitFor();
    await foreign.getByText('Lida', { exact: true }).waitFor();
    await tag(from, ['vip', 'atacado', 'recorrente e de nome bem comprido', 'norte']);
    await foreign.getByText('vip', { exact: true }).waitFor();
    await foreign.getByText('e mais 2').waitFor();
    assert.equal(await foreign.getByText('norte').count(), 0);
    await others.close();
    if ('width' in options) await page.goBack();
    await row.getByText('Você: Bom dia, Rita').waitFor();
    const after = await row.boundingBox();
    assert.equal(after?.height, before?.height, 'no line has become higher');
    const { stack, shop } = panel;
    const { phoneNumberId } = shop;
    await stack.network.fault({ phoneNumberId, to: from, code: 131026, times: 1 });
    await sendTo(from, 'Sua encomenda chegou');
    await row.getByText('Automação: Sua encomenda chegou').waitFor();
    await row.getByText('Falhou', { exact: true }).waitFor();
    assert.equal((await row.boundingBox())?.height, before?.height);
    assert.deepEqual(await violations(page), []);
    assert.deepEqual(offences, []);
    await context.close();
  });
}

test('tags and previews of any kind harm no row', async () => {
  for (const kind of HOSTILE_KINDS) {
    const from = await write(`Hugo ${kind}`);
    await tag(from, [hostile(kind, 40), `b${hostile(kind, 39)}`, 'terceira']);
    await sendTo(from, hostile(kind, 300));
  }
  for (const options of [{}, { width: 390, dark: true }]) {
    const { page, context, offences } = await panel.signIn('bia', options);
    const last = rowOf(page, `Hugo ${HOSTILE_KINDS.at(-1)}`);
    await last.getByText(/^Automação: /).waitFor();
    await last.getByText('e mais 1').waitFor();
    await assertHarmless(page, 'the list');
    assert.deepEqual(await violations(page), []);
    assert.deepEqual(offences, []);
    await context.close();
  }
});
