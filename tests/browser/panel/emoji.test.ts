/** The choice of an emoji, in a real browser: by mouse, by keyboard, by name. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { violations } from '../../support/browser.ts';
import { usePanel } from '../../support/panel/panel-fixture.ts';
import { waitFor } from '../../support/wait-for.ts';
import { assertHarmless, hostile } from './hostile-contents.ts';
import { openWith } from './open-conversation.ts';

const WAYS = [
  { width: 1280, dark: false, touch: false },
  { width: 390, dark: true, touch: true },
];

const panel = usePanel();

const boxOf = (page: Page) => page.getByRole('textbox', { name: 'Mensagem' });
const searchOf = (page: Page) => page.getByRole('textbox', { name: 'Buscar emoji' });
const focusedOf = (page: Page) => page.locator(':focus');

async function open(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Emoji', exact: true }).press('Enter');
  await searchOf(page).and(focusedOf(page)).waitFor();
}

for (const way of WAYS) {
  test(`an emoji stands at the caret, by name and by group (${way.width} px)`, async () => {
    const { page, context, offences } = await panel.signIn('ana', { ...way, height: 844 });
    await openWith(panel, page, `Rui ${way.width}`);
    const loaded: string[] = [];
    page.on('response', (answer) => loaded.push(new URL(answer.url()).pathname));
    await boxOf(page).fill('Bom dia!');
    await boxOf(page).press('ArrowLeft');
    await open(page);
    assert.ok(
      loaded.some((path) => /^\/assets\/.*\.js$/.test(path)),
      'it is loaded on use',
    );
    assert.deepEqual(await violations(page), []);
    await searchOf(page).fill('coração verm');
    await page.getByRole('button', { name: '❤️', exact: true }).waitFor();
    assert.deepEqual(await violations(page), []);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    assert.equal(await boxOf(page).inputValue(), 'Bom dia❤️!');
    assert.equal(await boxOf(page).and(focusedOf(page)).count(), 1, 'the box has the focus');
    await page.keyboard.type('…');
    assert.equal(await boxOf(page).inputValue(), 'Bom dia❤️…!');
    await open(page);
    await page.getByRole('tab', { name: 'Comida e bebida' }).click();
    await page.getByRole('list', { name: 'Comida e bebida' }).waitFor();
    assert.deepEqual(await violations(page), []);
    await page.getByRole('button', { name: '🍕', exact: true }).click();
    assert.equal(await boxOf(page).inputValue(), 'Bom dia❤️…🍕!');
    assert.deepEqual(offences, []);
    await context.close();
  });
}

test('what is written while the picker comes stays, and the emoji stands behind it', async () => {
  const { page, context } = await panel.signIn('ana');
  await openWith(panel, page, 'Bel Espera');
  const comes = Promise.withResolvers<void>();
  await page.route(/\/assets\/.*\.js$/, async (route) => {
    await comes.promise;
    await route.continue();
  });
  await boxOf(page).fill('Bom');
  await page.getByRole('button', { name: 'Emoji', exact: true }).press('Enter');
  await boxOf(page).and(focusedOf(page)).waitFor();
  await page.keyboard.type(' dia');
  comes.resolve();
  await searchOf(page).and(focusedOf(page)).waitFor();
  await searchOf(page).fill('coração verm');
  await page.getByRole('button', { name: '❤️', exact: true }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  assert.equal(await boxOf(page).inputValue(), 'Bom dia❤️');
  await context.close();
});

test('groups and emoji are walked by arrows; Escape returns to the box', async () => {
  const { page, context } = await panel.signIn('bia');
  await openWith(panel, page, 'Lia Teclas');
  await open(page);
  await page.keyboard.press('Tab');
  await page.keyboard.press('ArrowRight');
  const people = page.getByRole('tab', { name: 'Pessoas e corpo', selected: true });
  await people.and(focusedOf(page)).waitFor();
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('Tab');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowUp');
  const grid = page.getByRole('list', { name: 'Sorrisos e emoção' });
  const second = await grid.getByRole('button').nth(1).textContent();
  assert.equal(await focusedOf(page).textContent(), second);
  await page.keyboard.press('Enter');
  assert.equal(await boxOf(page).inputValue(), second);
  await open(page);
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await boxOf(page).and(focusedOf(page)).waitFor();
  await open(page);
  await searchOf(page).fill(hostile('markup', 400));
  await page.getByRole('status').getByText('Nenhum emoji com este nome.').waitFor();
  await assertHarmless(page, 'a search');
  await context.close();
});

test('a reaction may be any of them, by "Mais"', async () => {
  const { page, context, offences } = await panel.signIn('ana', { width: 390, height: 844 });
  await openWith(panel, page, 'Noa Reage');
  const bubble = page.getByRole('log', { name: 'Mensagens' }).getByRole('article');
  await bubble.getByRole('button', { name: 'Ações da mensagem' }).press('Enter');
  await bubble.getByRole('menuitem', { name: 'Reagir' }).press('Enter');
  await page.getByRole('dialog').getByRole('button', { name: 'Mais' }).click();
  await searchOf(page).fill('foguete');
  await page.getByRole('button', { name: '🚀', exact: true }).waitFor();
  assert.deepEqual(await violations(page), []);
  await page.getByRole('button', { name: '🚀', exact: true }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await waitFor(async () => /🚀/.test((await bubble.first().textContent()) ?? '') || null, {
    what: 'the reaction is shown',
  });
  assert.deepEqual(offences, []);
  await context.close();
});
