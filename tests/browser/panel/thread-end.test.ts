/** The end of a thread stays in sight, whatever takes room from it, in a real browser. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { freshPhone } from '../../support/api.ts';
import { violations } from '../../support/browser.ts';
import { usePanel } from '../../support/panel/panel-fixture.ts';
import { waitFor } from '../../support/wait-for.ts';

const MESSAGES = 14;
const FIRST = 'a primeira de todas';
const LAST = `mensagem ${MESSAGES}`;
/** Of the thread with a keyboard open. */
const ROOM_MIN_PX = 200;
const LONG_DRAFT = Array.from({ length: 9 }, (_, line) => `linha ${line}`).join('\n');

const panel = usePanel();

const logOf = (page: Page) => page.getByRole('log', { name: 'Mensagens' });
const boxOf = (page: Page) => page.getByRole('textbox', { name: 'Mensagem' });
const bubbleOf = (page: Page, text: string) =>
  logOf(page).getByRole('article').filter({ hasText: text });

async function openThread(page: Page, name: string): Promise<string> {
  const from = freshPhone();
  const { network } = panel.stack;
  for (let count = 1; count <= MESSAGES; count++) {
    const text = count === 1 ? FIRST : `mensagem ${count} ${'palavra '.repeat(count % 5)}`;
    await network.inbound({ channelId: panel.shop.main, from, text, name });
  }
  await page.getByRole('list', { name: 'Conversas' }).getByRole('link', { name }).click();
  await logOf(page).getByText(LAST).waitFor();
  return from;
}

/** The bubble is whole within the thread's room. */
async function assertInSight(page: Page, text: string, when: string): Promise<void> {
  const isInSight = async () => {
    const [log, bubble] = [
      await logOf(page).boundingBox(),
      await bubbleOf(page, text).last().boundingBox(),
    ];
    if (!log || !bubble) return null;
    return (bubble.y >= log.y - 1 && bubble.y + bubble.height <= log.y + log.height + 1) || null;
  };
  await waitFor(isInSight, { what: `${text} is in sight: ${when}` });
}

test('a phone’s keyboard, a longer draft and the scheduled bar leave the last message in sight', async () => {
  const { page, context } = await panel.signIn('ana', { width: 390, height: 844 });
  await openThread(page, 'Rui Teclado');
  await assertInSight(page, LAST, 'at first');
  await boxOf(page).click();
  await page.setViewportSize({ width: 390, height: 480 });
  await assertInSight(page, LAST, 'with a keyboard');
  assert.equal(await page.getByRole('navigation').isVisible(), false);
  const name = await page.getByRole('heading', { name: 'Rui Teclado', level: 2 }).boundingBox();
  assert.ok(name && name.width > 0, 'whose thread it is');
  const room = await logOf(page).boundingBox();
  assert.ok(room && room.height >= ROOM_MIN_PX, `${room?.height} px`);
  assert.deepEqual(await violations(page), []);
  await boxOf(page).fill(LONG_DRAFT);
  await assertInSight(page, LAST, 'with a long draft');
  const less = await logOf(page).boundingBox();
  assert.ok(less && less.height >= ROOM_MIN_PX, `${less?.height} px beside a long draft`);
  await page.getByRole('button', { name: 'Resolver' }).click();
  await page.getByRole('button', { name: 'Reabrir' }).click();
  await page.setViewportSize({ width: 390, height: 844 });
  await assertInSight(page, LAST, 'with the keyboard closed again');
  await boxOf(page).fill('Até amanhã');
  await page.getByRole('button', { name: 'Agendar' }).click();
  const dialog = page.getByRole('dialog');
  const later = new Date(Date.now() + 48 * 60 * 60 * 1000).toISOString().slice(0, 10);
  await dialog.getByLabel('Dia').fill(later);
  await dialog.getByLabel('Hora').fill('09:30');
  await dialog.getByRole('button', { name: 'Agendar envio' }).click();
  await page.getByRole('region', { name: 'Mensagens agendadas' }).waitFor();
  await assertInSight(page, 'Até amanhã', 'with the scheduled bar');
  await page.setViewportSize({ width: 390, height: 480 });
  await assertInSight(page, 'Até amanhã', 'with the scheduled bar and a keyboard');
  const least = await logOf(page).boundingBox();
  assert.ok(least && least.height >= ROOM_MIN_PX, `${least?.height} px below the bar`);
  await page.getByRole('link', { name: 'Voltar' }).click();
  await page.getByRole('navigation').waitFor();
  await context.close();
});

test('a window that shrinks keeps the end, and who reads further up keeps the place', async () => {
  const { page, context } = await panel.signIn('ana', { width: 1280, height: 800 });
  const from = await openThread(page, 'Lia Janela');
  await page.setViewportSize({ width: 1280, height: 420 });
  await assertInSight(page, LAST, 'in a low window');
  await page.setViewportSize({ width: 900, height: 420 });
  await assertInSight(page, LAST, 'in a narrow window');
  await boxOf(page).fill(LONG_DRAFT);
  await assertInSight(page, LAST, 'with a long draft');
  await logOf(page).hover();
  await page.mouse.wheel(0, -5_000);
  await assertInSight(page, FIRST, 'after a move upwards');
  await boxOf(page).fill('');
  await page.setViewportSize({ width: 900, height: 400 });
  const text = 'chegou agora';
  await panel.stack.network.inbound({ channelId: panel.shop.main, from, text });
  await page.getByRole('button', { name: 'Ir para a última mensagem' }).waitFor();
  await assertInSight(page, FIRST, 'when another one came');
  await page.getByRole('button', { name: 'Ir para a última mensagem' }).click();
  await assertInSight(page, text, 'by its button');
  await context.close();
});
