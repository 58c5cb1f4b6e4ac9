/** Who is told of new messages, how, and in which tab; in a real browser. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BrowserContext, Page } from 'playwright-core';
import { freshPhone } from '../../support/api.ts';
import { violations } from '../../support/browser.ts';
import { usePanel } from '../../support/panel/panel-fixture.ts';
import { waitFor } from '../../support/wait-for.ts';

const panel = usePanel();

/** Notifications and sounds are noted; the page is hidden when the test says so. */
const STAND_IN = `
  globalThis.notices = [];
  globalThis.rings = 0;
  globalThis.Notification = class extends EventTarget {
    static permission = 'default';
    static async requestPermission() {
      return (Notification.permission = globalThis.answer ?? 'granted');
    }
    constructor(title, { body, tag }) {
      super();
      notices.push([title, body]);
      globalThis.lastNotice = this;
    }
    close() {}
  };
  const start = OscillatorNode.prototype.start;
  OscillatorNode.prototype.start = function (at) { globalThis.rings += 1; start.call(this, at); };
  Object.defineProperty(document, 'visibilityState', {
    get: () => (globalThis.isHidden ? 'hidden' : 'visible'),
  });
`;

const write = (text: string, name: string, from = freshPhone()) =>
  panel.stack.network.inbound({ channelId: panel.shop.main, from, text, name });

const noticesIn = (page: Page) => page.evaluate<unknown>('notices');
const hide = (page: Page) => page.evaluate('globalThis.isHidden = true');
const until = (page: Page, expression: string) =>
  waitFor(async () => ((await page.evaluate(expression)) === true ? true : null), {
    what: expression,
  });

const badgeOf = (page: Page) =>
  page.getByRole('navigation').getByRole('link', { name: 'Conversas' });

async function openSettings(page: Page) {
  await page.getByRole('navigation').getByRole('button', { name: 'Notificações' }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Notificações' });
  await dialog.waitFor();
  return dialog;
}

/** With the number of unread conversations that it begins with. */
async function signIn(width: number) {
  const opened = await panel.open({ width, height: 844 });
  const { page, context } = opened;
  await context.addInitScript(STAND_IN);
  await page.goto(await panel.link('bia'));
  const totals = ['mbr_', 'none'].map((assignedTo) => totalOf(page, assignedTo));
  await page.getByRole('button', { name: 'Agora não' }).click();
  await page.getByRole('heading', { name: 'Conversas' }).waitFor();
  const [mine = 0, nobodys = 0] = await Promise.all(totals);
  return { ...opened, before: mine + nobodys };
}

async function totalOf(page: Page, assignedTo: string): Promise<number> {
  const path = new RegExp(`conversations\\?assignedTo=${assignedTo}\\w*&unread=true`);
  const answer = await page.waitForResponse(path);
  return Number(Object(await answer.json()).total);
}

for (const width of [1280, 390]) {
  test(`unread conversations are counted, and a hidden page notifies, at ${width} px`, async () => {
    const { page, context, before } = await signIn(width);
    const from = freshPhone();
    await write('Tem vaga?', `Rui ${width} <b>`, from);
    await until(page, `document.title === '(${before + 1}) Recado'`);
    await badgeOf(page)
      .getByText(`${before + 1} não lida`)
      .waitFor();
    const dialog = await openSettings(page);
    await dialog.getByText('Nada chega com a página fechada').waitFor();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      assert.deepEqual(await violations(page), [], colorScheme);
    }
    await dialog.getByRole('button', { name: 'Ativar notificações' }).press('Enter');
    await dialog.getByRole('button', { name: 'Desativar notificações' }).waitFor();
    await page.keyboard.press('Escape');
    await write('Em que dia?', `Eva ${width}`);
    await until(page, `document.title === '(${before + 2}) Recado'`);
    assert.deepEqual(await noticesIn(page), [], 'a page in sight shows none');
    await hide(page);
    await write('Alô?', `Rui ${width} <b>`, from);
    await until(page, 'notices.length === 1');
    assert.deepEqual(await noticesIn(page), [[`Rui ${width} <b>`, 'Nova mensagem']]);
    await page.evaluate('globalThis.isHidden = false');
    await openSettings(page);
    await dialog.getByRole('checkbox', { name: 'Mostrar o texto' }).press('Space');
    await dialog.getByRole('checkbox', { name: 'Som' }).press('Space');
    await page.keyboard.press('Escape');
    await hide(page);
    const rings = Number(await page.evaluate('rings'));
    await write('Ainda aí?', `Rui ${width} <b>`, from);
    await until(page, 'notices.length === 2');
    assert.deepEqual(Object(await noticesIn(page))[1], [`Rui ${width} <b>`, 'Ainda aí?']);
    assert.ok(Number(await page.evaluate('rings')) > rings, 'a sound');
    await page.evaluate("lastNotice.dispatchEvent(new Event('click'))");
    await page.getByRole('log', { name: 'Mensagens' }).getByText('Ainda aí?').waitFor();
    await page.evaluate(
      "globalThis.isHidden = false; document.dispatchEvent(new Event('visibilitychange'))",
    );
    await until(page, `document.title === '(${before + 1}) Recado'`);
    await context.close();
  });
}

test('of two tabs one notifies, and none while one of them is in sight', async () => {
  const { page, context } = await signIn(1280);
  const second = await secondTab(context);
  const dialog = await openSettings(page);
  await dialog.getByRole('button', { name: 'Ativar notificações' }).click();
  await page.keyboard.press('Escape');
  await second.evaluate("Notification.permission = 'granted'");
  await hide(page);
  const from = freshPhone();
  await write('Oi', 'Lia Duas', from);
  await second.getByText('Oi', { exact: true }).first().waitFor();
  await hide(second);
  await write('Alguém?', 'Lia Duas', from);
  const told = async () => {
    const all = [await noticesIn(page), await noticesIn(second)].flatMap((each) => Object(each));
    return all.length > 0 ? all : null;
  };
  assert.deepEqual(await waitFor(told, { what: 'a notice' }), [['Lia Duas', 'Nova mensagem']]);
  await write('Terceira', 'Zoe Fim', freshPhone());
  await waitFor(async () => ((await told())?.length === 2 ? true : null), { what: 'one more' });
  await context.close();
});

async function secondTab(context: BrowserContext): Promise<Page> {
  const second = await context.newPage();
  await second.goto('/conversas');
  await second.getByRole('list', { name: 'Conversas' }).waitFor();
  return second;
}

test('a conversation of somebody else is not counted; a blocked or plain page says why', async () => {
  const { page, context, before } = await signIn(1280);
  const from = freshPhone();
  await write('Só Ana', 'Caio Outro', from);
  await until(page, `document.title === '(${before + 1}) Recado'`);
  const { page: admin, context: other } = await panel.signIn('ana');
  await admin.getByRole('list', { name: 'Conversas' }).getByRole('link', { name: 'Caio' }).click();
  await admin.getByRole('button', { name: 'Atribuir' }).click();
  await admin.getByRole('menuitem', { name: 'Ana Souza' }).click();
  await admin.getByText('Responsável: Ana Souza').waitFor();
  await until(
    page,
    before === 0
      ? "document.title === 'Conversas · Recado'"
      : `document.title === '(${before}) Recado'`,
  );
  await other.close();
  await page.evaluate("globalThis.answer = 'denied'");
  const dialog = await openSettings(page);
  await dialog.getByRole('button', { name: 'Ativar notificações' }).click();
  await dialog.getByText('O navegador bloqueou as notificações').waitFor();
  await page.keyboard.press('Escape');
  await context.addInitScript("Object.defineProperty(window, 'isSecureContext', { value: false })");
  await page.reload();
  await page.getByRole('heading', { name: 'Conversas' }).waitFor();
  await openSettings(page);
  await dialog.getByText('só mostra notificações em endereços https').waitFor();
  const enable = dialog.getByRole('button', { name: 'Ativar notificações' });
  assert.equal(await enable.getAttribute('aria-disabled'), 'true');
  assert.deepEqual(await violations(page), []);
  await context.close();
});
