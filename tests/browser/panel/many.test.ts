/** Many conversations changed at once, in a real browser, by role and name. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { freshPhone } from '../../support/api.ts';
import { violations } from '../../support/browser.ts';
import { usePanel } from '../../support/panel/panel-fixture.ts';
import { waitFor } from '../../support/wait-for.ts';
import { assertHarmless, HOSTILE_KINDS, hostile } from './hostile-contents.ts';

const SELECTED_MAX = 200;
const TOO_MANY = SELECTED_MAX + 5;

const panel = usePanel();

before(async () => {
  const { stack, shop } = panel;
  const email = panel.emailOf('caio');
  const caio = { ref: 'caio', name: 'Caio Lê', email, role: 'viewer' };
  await stack.apply({ orgs: [{ ref: shop.ref, members: [caio] }] });
});

/** Contacts who write, the last one last; their phones by their names. */
async function write(...names: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const phones = new Map<string, string>();
  for (const name of names) {
    const from = freshPhone();
    phones.set(name, from);
    await panel.stack.network.inbound({ channelId: panel.shop.main, from, text: 'Oi', name });
  }
  return phones;
}

const listOf = (page: Page) => page.getByRole('list', { name: 'Conversas' });
const boxOf = (page: Page, name: string) =>
  listOf(page).getByRole('checkbox', { name: `Selecionar: ${name}`, exact: true });
const toolsOf = (page: Page) => page.getByRole('toolbar', { name: 'Seleção' });
const toolOf = (page: Page, name: string) => toolsOf(page).getByRole('button', { name });
const told = (page: Page, text: string | RegExp) =>
  page.getByRole('status').getByText(text).waitFor();
const focusOf = (page: Page, control: Locator) => control.and(page.locator(':focus')).waitFor();

/** The list with these conversations alone. */
async function search(page: Page, text: string, count: number): Promise<void> {
  await page.getByRole('searchbox', { name: 'Buscar' }).fill(text);
  await page.waitForURL(({ searchParams }) => searchParams.get('query') === text);
  const rows = listOf(page).getByRole('listitem');
  await waitFor(async () => (await rows.count()) === count || null, { what: `${count} rows` });
}

async function assertFine(page: Page, where: string): Promise<void> {
  await assertHarmless(page, where);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    assert.deepEqual(await violations(page), [], `${where}, ${colorScheme}`);
  }
}

async function conversationOf(phone: string | undefined) {
  const { stack, shop } = panel;
  const contact = await stack.contact(shop.key, phone ?? '');
  const { data } = await stack.conversations(shop.key, `?contactId=${contact?.id}`);
  const [conversation] = data;
  assert.ok(conversation);
  return conversation;
}

/** Status and member in charge. */
async function stateOf(phone: string | undefined): Promise<readonly unknown[]> {
  const { status, assignedTo } = await conversationOf(phone);
  return [status, assignedTo];
}

for (const width of [1280, 390]) {
  test(`several are assigned and resolved by pointer, and no row moves (${width} px)`, async () => {
    const names = [1, 2, 3, 4].map((n) => `Monte${width} ${n}`);
    const phones = await write(...names);
    const { page, context, offences } = await panel.signIn('ana', { width, height: 844 });
    await search(page, `Monte${width}`, 4);
    const [first = '', second = '', third = '', fourth = ''] = names;
    const row = listOf(page).getByRole('link', { name: third });
    const place = await row.boundingBox();
    await boxOf(page, first).click();
    await boxOf(page, third).click();
    await toolsOf(page).getByText('2 selecionadas', { exact: true }).waitFor();
    assert.deepEqual(await row.boundingBox(), place);
    await boxOf(page, fourth).click({ modifiers: ['Shift'] });
    await boxOf(page, second).click({ modifiers: ['Shift'] });
    await toolsOf(page).getByText('4 selecionadas', { exact: true }).waitFor();
    assert.equal(await page.evaluate('String(getSelection())'), '', 'no text is marked');
    await assertFine(page, `a selection at ${width} px`);
    await boxOf(page, fourth).click();
    await toolOf(page, 'Atribuir').click();
    await assertFine(page, `the menu of a selection at ${width} px`);
    await page.getByRole('menuitem', { name: 'Bia Reis' }).click();
    await told(page, '3 conversas com Bia Reis.');
    await toolsOf(page).waitFor({ state: 'detached' });
    const bia = panel.shop.applied.members.bia;
    assert.deepEqual(await stateOf(phones.get(first)), ['open', bia]);
    assert.deepEqual(await stateOf(phones.get(fourth)), ['open', null]);
    await assertFine(page, `an ended change at ${width} px`);
    await boxOf(page, first).click();
    await boxOf(page, fourth).click();
    await toolOf(page, 'Limpar seleção').click();
    await toolsOf(page).waitFor({ state: 'detached' });
    await focusOf(page, boxOf(page, fourth));
    assert.equal(await boxOf(page, first).isChecked(), false);
    await boxOf(page, first).click();
    await boxOf(page, fourth).click({ modifiers: ['Shift'] });
    await toolOf(page, 'Resolver').click();
    await told(page, '4 conversas resolvidas.');
    for (const name of names) assert.equal((await stateOf(phones.get(name)))[0], 'resolved');
    // The link of a row leads to its thread, as ever.
    await row.click();
    await page.getByRole('log', { name: 'Mensagens' }).waitFor();
    assert.deepEqual(offences, []);
    await context.close();
  });

  test(`a range is tagged and resolved by keys alone (${width} px)`, async () => {
    const names = ['A', 'B', 'C'].map((letter) => `Tecla${width} ${letter}`);
    const phones = await write(...names);
    const { page, context } = await panel.signIn('bia', { width, height: 844 });
    await search(page, `Tecla${width}`, 3);
    const [a = '', b = '', c = ''] = names;
    await page.keyboard.press('Escape');
    await page.keyboard.press('j');
    await focusOf(page, listOf(page).getByRole('link', { name: c }));
    await page.keyboard.press('Shift+Tab');
    await focusOf(page, boxOf(page, c));
    await page.keyboard.press('Space');
    // From one box to the next, and back.
    for (const key of ['j', 'j', 'k', 'j']) await page.keyboard.press(key);
    await focusOf(page, boxOf(page, a));
    await page.keyboard.press('Shift+Space');
    await toolsOf(page).getByText('3 selecionadas', { exact: true }).waitFor();
    assert.equal(await boxOf(page, b).isChecked(), true);
    const clear = toolOf(page, 'Limpar seleção');
    for (let tabs = 0; tabs < 20 && (await clear.and(page.locator(':focus')).count()) === 0; tabs++)
      await page.keyboard.press('Tab');
    await page.keyboard.press('ArrowLeft');
    await focusOf(page, toolOf(page, 'Etiquetar'));
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Etiquetar' });
    await focusOf(page, dialog.getByRole('textbox', { name: 'Etiqueta' }));
    await page.keyboard.type(' ');
    await page.keyboard.press('Enter');
    await dialog
      .getByRole('alert')
      .getByText(/^Etiqueta: /)
      .waitFor();
    await assertFine(page, `a tag's dialog at ${width} px`);
    await page.keyboard.type('vip ');
    await page.keyboard.press('Enter');
    await told(page, '3 conversas com a etiqueta “vip”.');
    const { stack, shop } = panel;
    for (const phone of phones.values()) {
      assert.deepEqual((await stack.contact(shop.key, phone))?.tags, ['vip']);
    }
    // The work goes on where it was.
    await focusOf(page, boxOf(page, a));
    await page.keyboard.press('Space');
    await page.keyboard.press('k');
    await page.keyboard.press('Space');
    await toolOf(page, 'Resolver').press('Enter');
    await told(page, '2 conversas resolvidas.');
    assert.equal((await stateOf(phones.get(c)))[0], 'open');
    await context.close();
  });

  test(`what fails is named, stays selected, and its repeat is done once (${width} px)`, async () => {
    const good = `Falha${width} boa`;
    const bad = `Falha${width} ${hostile('markup', 60)}`;
    const phones = await write(good, bad);
    const { page, context } = await panel.signIn('ana', { width, height: 844 });
    await search(page, `Falha${width}`, 2);
    await boxOf(page, good).click();
    await boxOf(page, bad).click();
    const path = `**/api/v1/conversations/${(await conversationOf(phones.get(bad))).id}`;
    const keys: (string | undefined)[] = [];
    // Done, but the answer is lost; then it is told.
    await context.route(path, async (route) => {
      keys.push((await route.request().allHeaders())['idempotency-key']);
      const answer = await route.fetch();
      if (keys.length === 1) await route.abort();
      else await route.fulfill({ response: answer });
    });
    await toolOf(page, 'Resolver').click();
    await told(page, '1 conversa resolvida, 1 sem sucesso.');
    const failures = page.getByRole('alert').filter({ hasText: 'continua selecionada' });
    await failures.getByRole('link', { name: bad }).waitFor();
    await failures.getByText('Sem resposta do servidor').waitFor();
    assert.equal(await boxOf(page, good).isChecked(), false);
    assert.equal(await boxOf(page, bad).isChecked(), true);
    await assertFine(page, `a failure at ${width} px`);
    await toolOf(page, 'Resolver').click();
    await told(page, '1 conversa resolvida.');
    await failures.waitFor({ state: 'detached' });
    assert.equal(keys.length, 2);
    assert.equal(keys[0], keys[1]);
    assert.ok(keys[0]);
    await context.unroute(path);
    await boxOf(page, bad).click();
    await context.route(path, (route) => route.fulfill({ status: 404, json: { error: 'Sumiu.' } }));
    await toolOf(page, 'Resolver').click();
    await failures.getByText('Sumiu.').waitFor();
    // Whoever lets go of it is done with it.
    await boxOf(page, bad).click();
    await failures.waitFor({ state: 'detached' });
    await context.close();
  });
}

test('keys lead to the tools of a selection, and change nothing of the open thread', async () => {
  const phones = await write('Atalho aberta', 'Atalho outra');
  const [opened, other] = ['Atalho aberta', 'Atalho outra'].map((name) => phones.get(name));
  const { page, context } = await panel.signIn('ana');
  await search(page, 'Atalho', 2);
  await listOf(page).getByRole('link', { name: 'Atalho aberta' }).click();
  const thread = page.getByRole('region', { name: 'Atalho aberta' });
  await thread.getByRole('button', { name: 'Resolver' }).waitFor();
  const box = boxOf(page, 'Atalho outra');
  await box.focus();
  for (const key of ['a', 'e']) await page.keyboard.press(key);
  await focusOf(page, box);
  await page.keyboard.press('Space');
  await toolsOf(page).waitFor();
  await page.keyboard.press('a');
  await toolsOf(page).getByRole('menuitem', { name: 'Bia Reis' }).waitFor();
  assert.equal(await page.getByRole('menu').count(), 1);
  await page.keyboard.press('Escape');
  // Many are changed by a press on their tool alone.
  await page.keyboard.press('e');
  await focusOf(page, toolOf(page, 'Resolver'));
  await page.keyboard.press('Enter');
  await told(page, '1 conversa resolvida.');
  assert.deepEqual(await stateOf(other), ['resolved', null]);
  assert.deepEqual(await stateOf(opened), ['open', null]);
  await thread.getByRole('log', { name: 'Mensagens' }).click();
  await page.keyboard.press('e');
  await thread.getByRole('button', { name: 'Reabrir' }).waitFor();
  assert.deepEqual(await stateOf(opened), ['resolved', null]);
  await context.close();
});

test('a list that changes keeps what is selected; a filter lets go of what it hides', async () => {
  const phones = await write('Vivo um', 'Vivo dois', 'Vivo três');
  const { page, context } = await panel.signIn('ana');
  await search(page, 'Vivo', 3);
  await boxOf(page, 'Vivo um').click();
  await boxOf(page, 'Vivo dois').click();
  const from = phones.get('Vivo um');
  assert.ok(from);
  await panel.stack.network.inbound({ channelId: panel.shop.main, from, text: 'Ainda aí?' });
  await listOf(page).getByRole('listitem').first().getByText('Ainda aí?').waitFor();
  assert.equal(await boxOf(page, 'Vivo um').isChecked(), true);
  assert.equal(await boxOf(page, 'Vivo dois').isChecked(), true);
  assert.equal(await boxOf(page, 'Vivo três').isChecked(), false);
  await search(page, 'Vivo dois', 1);
  await toolsOf(page).getByText('1 selecionada', { exact: true }).waitFor();
  await search(page, 'Vivo', 3);
  assert.equal(await boxOf(page, 'Vivo um').isChecked(), false);
  await boxOf(page, 'Vivo três').click();
  // One leaves the list by the deed of somebody else, and is still selected.
  await page.goto('/conversas?query=Vivo&status=open');
  await boxOf(page, 'Vivo um').click();
  await boxOf(page, 'Vivo três').click();
  const { stack, shop } = panel;
  const path = `/api/v1/conversations/${(await conversationOf(from)).id}`;
  await stack.call('POST', path, { key: shop.key, body: { status: 'resolved' } });
  const kept = toolsOf(page).getByText('2 selecionadas, 1 fora da lista', { exact: true });
  await kept.waitFor();
  // A look at another screen is no filter.
  await page.getByRole('link', { name: 'Contatos' }).click();
  await toolsOf(page).waitFor({ state: 'detached' });
  await page.goBack();
  await boxOf(page, 'Vivo três').waitFor();
  await kept.waitFor();
  await context.close();
});

test(`of ${TOO_MANY} conversations ${SELECTED_MAX} are changed at once`, async () => {
  const { stack, shop } = panel;
  await Promise.all(
    Array.from({ length: TOO_MANY }, async (_, n) => {
      const phone = freshPhone();
      const contact = { phone, name: `Lote ${n}` };
      await stack.call('POST', '/api/v1/contacts', { key: shop.key, body: contact });
      await stack.send(shop.key, { channelId: shop.shop, phone, text: 'Oi' });
    }),
  );
  const { page, context } = await panel.signIn('ana');
  await search(page, 'Lote', 100);
  const more = page.getByRole('button', { name: 'Mostrar mais' });
  await more.click();
  await page.getByText(`200 de ${TOO_MANY}`).waitFor();
  await more.click();
  await more.waitFor({ state: 'detached' });
  const boxes = listOf(page).getByRole('checkbox');
  await boxes.first().click();
  await boxes.last().click({ modifiers: ['Shift'] });
  await told(page, `No máximo ${SELECTED_MAX} conversas de uma vez.`);
  await toolsOf(page).getByText(`${SELECTED_MAX} selecionadas`, { exact: true }).waitFor();
  assert.equal(await boxes.last().isChecked(), false);
  await boxes.last().click();
  assert.equal(await boxes.last().isChecked(), false);
  await toolOf(page, 'Resolver').click();
  await told(page, /^Resolvendo: \d+ de 200…$/);
  await told(page, `${SELECTED_MAX} conversas resolvidas.`);
  const left = await stack.conversations(shop.key, `?channelId=${shop.shop}&status=open&limit=100`);
  assert.equal(left.data.length, TOO_MANY - SELECTED_MAX);
  await context.close();
});

test('who reads alone has no boxes', async () => {
  await write('Só leitura');
  const { page, context } = await panel.signIn('caio');
  await listOf(page).getByRole('link', { name: 'Só leitura' }).waitFor();
  assert.equal(await page.getByRole('checkbox').count(), 0);
  await context.close();
});

test('hostile names are text only beside a box, in a sentence and in a failure', async () => {
  await write(...HOSTILE_KINDS.map((kind) => `Vil ${hostile(kind, 100)}`));
  const { page, context } = await panel.signIn('ana', { width: 390, height: 844 });
  await search(page, 'Vil', HOSTILE_KINDS.length);
  const boxes = listOf(page).getByRole('checkbox', { name: /^Selecionar: .?Vil / });
  assert.equal(await boxes.count(), HOSTILE_KINDS.length);
  await boxes.first().click();
  await boxes.last().click({ modifiers: ['Shift'] });
  await context.route('**/api/v1/c*/*', (route) =>
    route.fulfill({ status: 422, json: { error: hostile('markup', 300) } }),
  );
  await toolOf(page, 'Resolver').click();
  await page.getByRole('alert').filter({ hasText: 'continuam selecionadas' }).waitFor();
  await assertHarmless(page, 'failures');
  await context.unroute('**/api/v1/c*/*');
  for (const kind of HOSTILE_KINDS) {
    await toolOf(page, 'Etiquetar').click();
    const box = page.getByRole('textbox', { name: 'Etiqueta', exact: true });
    await box.fill(hostile(kind, 40));
    await box.press('Enter');
    await told(page, kind);
    await assertHarmless(page, `the tag ${kind}`);
    await boxes.first().click();
  }
  await context.close();
});
