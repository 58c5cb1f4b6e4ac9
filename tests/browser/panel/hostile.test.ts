/** Contents that others wrote, in a real browser: shown as text, run nowhere, and kept in place. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { BrowserContext, Page } from 'playwright-core';
import { freshPhone } from '../../support/api.ts';
import { openPage } from '../../support/browser.ts';
import { usePanel } from '../../support/panel/panel-fixture.ts';
import { useSubscriber } from '../../support/stack-hooks.ts';
import { waitFor } from '../../support/wait-for.ts';
import {
  assertHarmless,
  assertPhoneFromLeft,
  HOSTILE_FILES,
  HOSTILE_KINDS,
  type HostileKind,
  hostile,
} from './hostile-contents.ts';

const CHARS = 5_000;
const NAME_CHARS = 120;

const panel = usePanel();
const subscriber = useSubscriber();
const phones = new Map<HostileKind, string>();

before(async () => {
  await provision();
  await Promise.all(HOSTILE_KINDS.map(writeAs));
});

const STEPS = [
  { id: 'ask', do: 'send', text: `Olá ${hostile('markup', 900)}`, next: 'hear' },
  { id: 'hear', do: 'wait', timeout: '1h', saveAs: 'plan', next: 'bye', onTimeout: 'bye' },
  { id: 'bye', do: 'end' },
];

/** A name with marks of direction is refused (tests/unit/shared/names.test.ts); a text has them. */
const NAME_KINDS = HOSTILE_KINDS.filter((kind) => kind !== 'override');

async function provision(): Promise<void> {
  const { stack, shop } = panel;
  const address = encodeURIComponent(hostile('markup', 700));
  await stack.apply({
    orgs: [
      {
        ref: shop.ref,
        name: hostile('rightToLeft', NAME_CHARS),
        channels: [{ ref: 'main', label: hostile('rightToLeft', NAME_CHARS) }],
        members: NAME_KINDS.map((kind) => ({
          ref: kind.toLowerCase(),
          name: hostile(kind, NAME_CHARS),
          email: `${kind.toLowerCase()}@example.com`,
        })),
        flows: NAME_KINDS.map((kind) => ({
          ...{ ref: kind.toLowerCase(), name: hostile(kind, NAME_CHARS), enabled: true },
          ...{ channel: 'main', steps: STEPS },
        })),
        subscriptions: [{ ref: 'sub', url: `${subscriber.url}/shop?${address}`, events: ['*'] }],
      },
    ],
  });
}

/** One contact of a kind: message, data, deal and task. */
async function writeAs(kind: HostileKind): Promise<void> {
  const from = freshPhone();
  phones.set(kind, from);
  const { stack, shop } = panel;
  const text = hostile(kind, CHARS);
  await stack.network.inbound({ channelId: shop.main, from, text, name: text });
  const post = async (path: string, body: unknown, key = shop.key) => {
    const answer = await stack.request('POST', path, { key, body });
    assert.ok(answer.status < 300, answer.text);
  };
  const contact = {
    phone: from,
    name: hostile(kind, NAME_CHARS),
    tags: [hostile(kind, 40)],
    fields: { [hostile(kind, 60)]: hostile(kind, 500) },
  };
  await post(`/api/webhooks/channel/${shop.main}`, contact, shop.mainKey);
  await post('/api/v1/deals', { title: hostile(kind, 120), phone: from, valueCents: 100 });
  const task = { title: hostile(kind, 160), notes: hostile(kind, 2_000), phone: from };
  await post('/api/v1/tasks', task);
  const sent = { phone: from, channelId: shop.main, text: hostile(kind, 4_096) };
  await post('/api/v1/messages', sent);
}

/** A change by the session of a page. */
async function change(context: BrowserContext, path: string, data: unknown): Promise<void> {
  const headers = { 'x-recado-panel': '1', origin: panel.url };
  const answer = await context.request.post(path, { data, headers });
  assert.ok(answer.ok(), await answer.text());
}

const visit = (page: Page, name: string) =>
  page.getByRole('navigation').getByRole('link', { name }).click();

const startsWith = (kind: HostileKind) => new RegExp(`^${kind} `);

/** The first row that shows a kind's text. */
const rowWith = (page: Page, kind: HostileKind) =>
  page.getByRole('main').getByRole('listitem').filter({ hasText: kind }).first();

for (const width of [1280, 390]) {
  test(`threads and contacts are text only, at ${width} px`, async () => {
    const { page, context } = await panel.signIn('ana', { width, height: 844 });
    await assertHarmless(page, 'list');
    for (const kind of HOSTILE_KINDS) {
      const list = page.getByRole('list', { name: 'Conversas' });
      await list.getByRole('link', { name: startsWith(kind) }).click();
      const log = page.getByRole('log', { name: 'Mensagens' });
      await log.getByText(hostile(kind, 4_096)).first().waitFor();
      const pane = page.getByRole('complementary', { name: 'Contato' });
      if (width < 1200) await page.getByRole('button', { name: 'Contato' }).click();
      await pane.getByText(hostile(kind, 500), { exact: true }).waitFor();
      await pane.getByText(hostile(kind, 160), { exact: true }).waitFor();
      await assertHarmless(page, `thread ${kind}`);
      await page.goto('/conversas');
    }
    for (const kind of HOSTILE_KINDS) {
      // A narrow page may show one contact in place of the list.
      await visit(page, 'Contatos');
      await page
        .getByRole('list', { name: 'Contatos' })
        .getByRole('link', { name: startsWith(kind) })
        .click();
      await page.getByRole('heading', { name: 'Campos' }).waitFor();
      await assertHarmless(page, `contact ${kind}`);
    }
    await context.close();
  });

  test(`every other screen shows them as text only, at ${width} px`, async () => {
    const { page, context } = await panel.signIn('ana', { width, height: 844 });
    for (const name of ['Negócios', 'Tarefas', 'Fluxos', 'Canais', 'Integrações', 'Equipe']) {
      await visit(page, name);
      await page.getByRole('heading', { name, level: 1 }).waitFor();
      await page.getByRole('main').getByText('rightToLeft').first().waitFor();
      await assertHarmless(page, name);
    }
    await context.close();
  });
}

test('keys, quick replies, deliveries and refusals are text only', async () => {
  const { page, context } = await panel.signIn('ana', { width: 390, height: 844 });
  for (const kind of NAME_KINDS) {
    await change(context, '/panel/api/keys', { name: hostile(kind, 120), scope: 'account' });
    const reply = { title: hostile(kind, 80), text: hostile(kind, 4_096) };
    await change(context, '/panel/api/quick-replies', reply);
  }
  await page.reload();
  await page.getByRole('list', { name: 'Conversas' }).getByRole('link').first().click();
  await page.getByRole('button', { name: 'Respostas rápidas' }).click();
  await assertHarmless(page, 'quick replies');
  await page.getByRole('menuitem', { name: 'markup' }).click();
  const box = page.getByRole('textbox', { name: 'Mensagem' });
  assert.equal(await box.inputValue(), hostile('markup', 4_096));
  await visit(page, 'Integrações');
  await rowWith(page, 'unbroken').waitFor();
  const deliveries = page.getByRole('list', { name: 'Entregas' });
  await deliveries.getByRole('button', { name: 'Detalhes' }).first().click();
  await deliveries.getByRole('figure', { name: 'Corpo' }).waitFor();
  await page.getByRole('cell', { name: '200', exact: true }).first().waitFor();
  await assertHarmless(page, 'integrations');
  const markup = page.getByRole('list', { name: 'Chaves' }).getByRole('listitem');
  const first = markup.filter({ hasText: 'markup' });
  await first.getByRole('button', { name: 'Revogar' }).click();
  await page.getByRole('dialog').getByText('markup').waitFor();
  await assertHarmless(page, 'revocation');
  await context.close();
});

test('what is written right to left turns nothing round beside it', async () => {
  const { page, context } = await panel.signIn('ana');
  await visit(page, 'Contatos');
  for (const kind of ['override', 'rightToLeft'] as const) {
    await page
      .getByRole('main')
      .getByRole('link', { name: startsWith(kind) })
      .waitFor();
    await assertPhoneFromLeft(page, kind);
  }
  await visit(page, 'Integrações');
  const events = page.getByRole('list', { name: 'Eventos ao vivo' });
  await page.getByText('Nenhum evento ainda.').or(events.getByRole('link').first()).waitFor();
  for (const kind of ['override', 'rightToLeft'] as const) {
    const { stack, shop } = panel;
    // Short: the phone beside it is not cut.
    const deal = { title: hostile(kind, 20), phone: phones.get(kind), valueCents: 100 };
    await stack.call('POST', '/api/v1/deals', { key: shop.key, body: deal });
    await events
      .getByRole('link', { name: new RegExp(`${kind} `) })
      .first()
      .waitFor();
    await assertPhoneFromLeft(page, kind);
  }
  await context.close();
});

test('a file runs nothing, whoever sends it, and is saved unless it is a picture', async () => {
  const from = freshPhone();
  const { stack, shop } = panel;
  for (const { mimeType, fileName, content } of HOSTILE_FILES) {
    const media = { mimeType, fileName, data: Buffer.from(content).toString('base64') };
    await stack.network.inbound({ channelId: shop.main, from, text: fileName, media, name: 'Ivo' });
  }
  const { page, context } = await panel.signIn('ana');
  await page.getByRole('list', { name: 'Conversas' }).getByRole('link', { name: 'Ivo' }).click();
  const log = page.getByRole('log', { name: 'Mensagens' });
  for (const { mimeType, fileName, content } of HOSTILE_FILES) {
    const choosing = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Anexar arquivo' }).click();
    const buffer = Buffer.from(content);
    await (await choosing).setFiles({ name: fileName.slice(-12), mimeType, buffer });
    const removing = page.getByRole('button', { name: /^Remover/ });
    await removing.waitFor();
    await page.getByRole('progressbar').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Enviar', exact: true }).click();
    await removing.waitFor({ state: 'detached' });
  }
  // A picture that cannot be drawn becomes a link like any other file.
  const links = log.getByRole('article').getByRole('link');
  const saved = 2 * HOSTILE_FILES.filter(({ drawn }) => !drawn).length;
  await waitFor(async () => (await links.count()) === saved || null, { what: 'every file' });
  await assertHarmless(page, 'files');
  for (const link of await links.all()) {
    await assertServedSafely(page, (await link.getAttribute('href')) ?? '');
  }
  for (const picture of await log.getByRole('img').all()) {
    await assertServedSafely(page, (await picture.getAttribute('src')) ?? '');
  }
  await log.getByRole('button', { name: 'anima.gif' }).first().click();
  await page.getByRole('dialog').getByRole('link', { name: 'anima.gif' }).waitFor();
  await assertHarmless(page, 'files, fetched');
  await context.close();
});

/** By its headers, and as a module of the page. */
async function assertServedSafely(page: Page, href: string): Promise<void> {
  const { status, headers } = Object(
    await page.evaluate(async (path) => {
      const answer = await fetch(path);
      return { status: answer.status, headers: Object.fromEntries(answer.headers) };
    }, href),
  );
  assert.equal(status, 200);
  assert.equal(headers['x-content-type-options'], 'nosniff');
  assert.equal(headers['content-security-policy'], "default-src 'none'; sandbox");
  const isPicture = /^image\/(gif|png)$/.test(headers['content-type']);
  const [disposition] = String(headers['content-disposition']).split(';');
  assert.equal(disposition, isPicture ? 'inline' : 'attachment', headers['content-type']);
  if (!isPicture) assert.equal(headers['content-type'], 'application/octet-stream');
  const imported = await page.evaluate(`import('${href}').then(() => true, () => false)`);
  assert.equal(imported, false, `${href} is a module`);
}

test('a picture of 25 MiB is a link with its size', async () => {
  const from = freshPhone();
  const data = Buffer.alloc(25 * 1024 * 1024 - 1).toString('base64');
  const media = { mimeType: 'image/png', fileName: 'enorme.png', data };
  const { stack, shop } = panel;
  await stack.network.inbound({ channelId: shop.main, from, text: 'Veja', media, name: 'Rita' });
  const { page, context } = await panel.signIn('ana');
  await page.getByRole('list', { name: 'Conversas' }).getByRole('link', { name: 'Rita' }).click();
  const log = page.getByRole('log', { name: 'Mensagens' });
  await log.getByRole('link', { name: 'enorme.png' }).getByText('25,0 MB').waitFor();
  assert.equal(await log.getByRole('img').count(), 0);
  await context.close();
});

test('a page that breaks its policy, leaves its origin or opens a dialog is noticed', async () => {
  const { page, context, offences } = await openPage(panel.browser, panel.url);
  await page.goto('/');
  const inline = "Object.assign(document.createElement('script'), { text: 'ran = 1' })";
  for (const deed of [
    `document.head.append(${inline})`,
    "alert('Oi')",
    "new Image().src = 'http://127.0.0.1:9/'",
  ]) {
    const before = offences.length;
    await page.evaluate(deed);
    await waitFor(() => offences.length > before || null, { what: deed });
  }
  await context.close();
});
