/** Every screen, dialog and menu of the panel: axe-core, light and dark, wide and narrow. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { TEXT } from '../../../gateway/panel/browser/sentences.ts';
import { type PanelPage, violations } from '../../support/browser.ts';
import { type ReadStream, readStream } from '../../support/event-stream.ts';
import { tokenMailed, tokensMailed } from '../../support/gateway/panel/mails.ts';
import { heldShop, organizations } from '../../support/organization.ts';
import { usePanel } from '../../support/panel/panel-fixture.ts';
import { useSubscriber } from '../../support/stack-hooks.ts';
import { OPENED, type OpenedVisit, STATES, type Visit } from './visits.ts';

const SOURCE = resolve(import.meta.dirname, '../../../gateway/panel/browser');
const PASSPHRASE = 'quatro palavras bem ao acaso';
const WIDTHS = [1280, 390];
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const FLOW = {
  ...{ ref: 'plans', name: 'Planos', enabled: true, channel: 'main' },
  steps: [
    { id: 'ask', do: 'send', text: 'Qual plano?', next: 'hear' },
    { id: 'hear', do: 'wait', timeout: '1h', saveAs: 'plan', next: 'bye', onTimeout: 'bye' },
    { id: 'bye', do: 'end' },
  ],
};

const panel = usePanel();
const subscriber = useSubscriber();
let stream: ReadStream;

before(async () => {
  subscriber.answer('/shop', () => 500);
  const { stack, shop } = panel;
  const members = [{ ref: 'ana', name: 'Ana Souza', email: panel.emailOf('ana'), role: 'admin' }];
  await organizations(stack, { other: { more: { members } } });
  const { orgs } = await stack.apply({
    orgs: [
      {
        ...{ ref: shop.ref, flows: [FLOW], channels: [heldShop(shop.ref)] },
        subscriptions: [{ ref: 'sub', url: `${subscriber.url}/shop`, events: ['*'] }],
      },
    ],
  });
  stream = await readStream(stack.baseUrl, { key: shop.key, query: { name: 'erp' } });
  const phone = '5511987650001';
  const media = { mimeType: 'image/png', fileName: 'foto.png', data: PIXEL };
  const text = 'Veja a foto';
  await stack.network.inbound({ channelId: shop.main, from: phone, text, media, name: 'Rui' });
  const post = async (path: string, body: unknown) => {
    const answer = await stack.request('POST', path, { key: shop.key, body });
    assert.ok(answer.status < 300, answer.text);
  };
  await post('/api/v1/contacts', {
    phone,
    tags: ['ouro'],
    fields: { plano: 'anual' },
    optIn: true,
  });
  await post('/api/v1/contacts', { phone: '5511987650002', name: 'Bia Torres' });
  await post('/api/v1/deals', { title: 'Plano anual', phone, valueCents: 125_000 });
  await post('/api/v1/tasks', { title: 'Ligar', phone });
  const flow = `/api/v1/flows/${orgs[shop.ref]?.flows.plans}/start`;
  await post(flow, { phone: '5511987650002', channelId: shop.main });
  const campaign = { channelId: shop.shop, phone: '5511987650003', priority: 'bulk' };
  for (const text of ['um', 'dois', 'três']) await post('/api/v1/messages', { ...campaign, text });
  await subscriber.until('/shop', 1);
});

after(() => stream?.[Symbol.dispose]());

async function assertAccessible(page: Page, where: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    // A colour on its way to another has the contrast of neither.
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    assert.deepEqual(await violations(page), [], `${where}, ${colorScheme}`);
  }
}

async function visit(page: Page, { screen, go }: Visit): Promise<void> {
  await page.getByRole('navigation').getByRole('link', { name: screen }).click();
  await page.getByRole('heading', { name: screen, level: 1 }).waitFor();
  await go?.(page);
}

async function open(page: Page, given: OpenedVisit): Promise<void> {
  await given.opener(page).press(given.key ?? 'Enter');
  await given.onward?.(page);
  await page.getByRole(given.opens).waitFor();
}

/** More controls than any dialog has; Tab goes round in it. */
const TABS = 20;

async function assertKeepsFocus(page: Page, where: string): Promise<void> {
  const within = "document.querySelector('dialog[open]').contains(document.activeElement)";
  for (let tabs = 0; tabs < TABS; tabs++) {
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate(within), true, `${where}, Tab ${tabs}`);
  }
}

/** Escape closes it, and the focus is again where it was. */
async function assertEnds(page: Page, given: OpenedVisit): Promise<void> {
  await page.keyboard.press('Escape');
  await page.getByRole(given.opens).waitFor({ state: 'detached' });
  const focused = (given.back ?? given.opener)(page).and(page.locator(':focus'));
  assert.equal(await focused.count(), 1, `${given.name}: the focus returns`);
}

/** Without the number of unread conversations. */
async function screensIn(page: Page): Promise<readonly string[]> {
  const texts = await page.getByRole('navigation').getByRole('link').allInnerTexts();
  return texts.map((text) => text.replace(/\s*\d.*/s, ''));
}

/** As "Receber um link" mails it. */
async function mailedLink(page: Page): Promise<string> {
  const [{ dataDir }, email] = [panel.stack, panel.emailOf('ana')];
  const known = new Set(tokensMailed(dataDir, email));
  const call = { headers: { 'x-recado-panel': '1', origin: panel.url }, data: { email } };
  assert.ok((await page.request.post('/panel/api/link-requests', call)).ok());
  return `${panel.url}/entrar#${await tokenMailed(dataDir, email, known)}`;
}

for (const width of WIDTHS) {
  /** Two tests walk through one page by its navigation: a sign-in starts a whole renderer. */
  let signedIn: Promise<PanelPage> | null = null;
  const onePage = () => (signedIn ??= panel.signIn('ana', { width }));

  test(`axe finds nothing on any screen at ${width} px`, async () => {
    const { page } = await onePage();
    const screens = await screensIn(page);
    const { label: _label, operation: _operation, ...names } = TEXT.navigation;
    assert.deepEqual(screens, Object.values(names));
    for (const name of screens) {
      await visit(page, { name, screen: name });
      await page.getByRole('main').getByRole('listitem').first().waitFor();
      await assertAccessible(page, `${name} at ${width} px`);
      const tooWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
      assert.equal(tooWide, false, `${name} is wider than the window`);
    }
    for (const state of STATES) {
      await visit(page, state);
      await assertAccessible(page, `${state.name} at ${width} px`);
    }
  });

  test(`axe finds nothing in any dialog or menu at ${width} px`, async () => {
    const { page, context } = await onePage();
    for (const given of OPENED) {
      await visit(page, given);
      await open(page, given);
      await assertAccessible(page, `${given.name} at ${width} px`);
      if (given.opens !== 'menu') await assertKeepsFocus(page, given.name);
      await assertEnds(page, given);
    }
    await context.close();
  });

  test(`axe finds nothing on the ways in, nor for an operator, at ${width} px`, async () => {
    const { page, context } = await panel.open({ width });
    await page.goto(await panel.link('ana'));
    // Of two organizations: the link of one sets nothing.
    await page.getByRole('button', { name: 'Agora não' }).waitFor();
    assert.equal(await page.getByLabel('Nova senha').count(), 0);
    await assertAccessible(page, `no passphrase at ${width} px`);
    const link = await mailedLink(page);
    await page.goto(link);
    await page.getByRole('listitem').getByRole('button').first().click();
    await page.getByLabel('Nova senha').fill(PASSPHRASE);
    await assertAccessible(page, `a new passphrase at ${width} px`);
    await page.getByLabel('Repita a senha').fill(PASSPHRASE);
    await page.getByRole('button', { name: 'Salvar e entrar' }).click();
    await page.getByRole('button', { name: 'Sair' }).click();
    await page.goto(link);
    await page.getByRole('alert').waitFor();
    await assertAccessible(page, `a used link at ${width} px`);
    await page.getByRole('button', { name: 'Receber um link' }).click();
    await page.getByRole('status').waitFor();
    await page.getByLabel('E-mail').fill(panel.emailOf('ana'));
    await page.getByLabel('Senha').fill('errada');
    await page.getByRole('button', { name: 'Entrar' }).click();
    await page.getByRole('alert').waitFor();
    await assertAccessible(page, `a refused passphrase at ${width} px`);
    await page.getByLabel('Senha').fill(PASSPHRASE);
    await page.getByRole('button', { name: 'Entrar' }).click();
    await page.getByRole('heading', { name: 'Escolher organização' }).waitFor();
    await assertAccessible(page, `the choice of an organization at ${width} px`);
    await page.goto(await panel.operatorLink());
    await page.getByRole('list', { name: 'Diagnóstico' }).getByRole('listitem').first().waitFor();
    await page.getByRole('img', { name: 'Mensagens' }).waitFor();
    await assertAccessible(page, `Operação at ${width} px`);
    assert.deepEqual(await screensIn(page), Object.values(TEXT.navigation).slice(1));
    await visit(page, { name: '', screen: 'Canais' });
    await assertAccessible(page, `no organization at ${width} px`);
    await context.close();
  });
}

/** By file and expression, as `OPENED` names them. */
function dialogsOfPages(): readonly string[] {
  const paths = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' });
  const pages = paths.filter((path) => path.endsWith('.tsx') && !path.startsWith('base/'));
  return pages.flatMap((path) => {
    const text = readFileSync(join(SOURCE, path), 'utf8');
    const uses = text.match(/<(?:Dialog|FormDialog|Menu)\b/g) ?? [];
    const named = [...text.matchAll(/<(?:Dialog|FormDialog|Menu)\s+(?:title|label)=\{([\w.]+)/g)];
    assert.equal(named.length, uses.length, `${path}: title or label comes first`);
    return named.map(([, expression]) => `${path} ${expression}`);
  });
}

test('every dialog and menu of the pages is among those that are opened here', () => {
  const opened = new Set(OPENED.map(({ name }) => name));
  assert.deepEqual([...opened].toSorted(), dialogsOfPages().toSorted());
});
