/** Several files in the composer, in a real browser: chosen, sent in order, and never twice. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page, Route } from 'playwright-core';
import { violations } from '../../support/browser.ts';
import { usePanel } from '../../support/panel/panel-fixture.ts';
import { waitFor } from '../../support/wait-for.ts';
import { assertHarmless, hostile } from './hostile-contents.ts';
import { openWith } from './open-conversation.ts';

const MESSAGES = '**/api/v1/messages';
const STATES = /^(Na fila|Enviada|Entregue|Lida)$/;
const TAKEN = /^(Enviada|Entregue|Lida)$/;
const WAYS = [
  { width: 1280, dark: false, touch: false },
  { width: 390, dark: true, touch: true },
];

const panel = usePanel();

const logOf = (page: Page) => page.getByRole('log', { name: 'Mensagens' });
const boxOf = (page: Page) => page.getByRole('textbox', { name: 'Mensagem' });
const filesOf = (page: Page) => page.getByRole('list', { name: 'Anexos' }).getByRole('listitem');
const bubbleOf = (page: Page, text: string) =>
  logOf(page).getByRole('article').filter({ hasText: text });

function fileOf(name: string, content = `de ${name}`) {
  return { name, mimeType: 'text/plain', buffer: Buffer.from(content) };
}

async function choose(page: Page, files: readonly ReturnType<typeof fileOf>[]): Promise<void> {
  const choosing = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Anexar arquivo' }).click();
  await (await choosing).setFiles([...files]);
}

/** As the browser tells of a file that is pasted into the box, or dropped on it. */
async function give(page: Page, by: 'paste' | 'drop', name: string): Promise<void> {
  const event =
    by === 'paste'
      ? "new ClipboardEvent('paste', { clipboardData: data, ...both })"
      : "new DragEvent('drop', { dataTransfer: data, ...both })";
  await page.evaluate(`(() => {
    const data = new DataTransfer();
    data.items.add(new File(['de ${name}'], '${name}', { type: 'text/plain' }));
    const both = { bubbles: true, cancelable: true };
    document.querySelector('textarea').dispatchEvent(${event});
  })()`);
}

async function uploaded(page: Page, count: number): Promise<void> {
  await waitFor(async () => (await filesOf(page).count()) === count || null, {
    what: `${count} files are listed`,
  });
  await waitFor(async () => (await page.getByRole('progressbar').count()) === 0 || null, {
    what: 'every file is there',
  });
}

/** Names of the files and texts that went in the open thread, as the API has them, in order. */
async function written(page: Page): Promise<readonly string[]> {
  const { stack, shop } = panel;
  const conversationId = new URL(page.url()).pathname.replace('/conversas/', '');
  const path = `/api/v1/messages?conversationId=${conversationId}&limit=50`;
  const { json } = await stack.call('GET', path, { key: shop.key });
  const { data } = Object(json);
  return [...data]
    .reverse()
    .map(Object)
    .filter(({ direction }) => direction === 'out')
    .map(({ media, text }) => [media?.fileName, text].filter(Boolean).join(': '));
}

async function settled(page: Page, count: number): Promise<readonly string[]> {
  return waitFor(
    async () => {
      const texts = await written(page);
      return texts.length >= count ? texts : null;
    },
    { what: `${count} messages` },
  );
}

for (const way of WAYS) {
  test(`files are chosen, pasted and dropped, and go one a message, in order (${way.width} px)`, async () => {
    const { page, context, offences } = await panel.signIn('ana', { ...way, height: 844 });
    await openWith(panel, page, `Rui ${way.width}`);
    await choose(page, [fileOf('um.txt')]);
    await page.getByRole('button', { name: 'Remover um.txt', exact: true }).waitFor();
    await choose(page, [fileOf('dois.txt', 'x'.repeat(2048)), fileOf('três.txt')]);
    await give(page, 'paste', 'quatro.txt');
    await give(page, 'drop', 'cinco.txt');
    await uploaded(page, 5);
    await filesOf(page).filter({ hasText: 'dois.txt' }).getByText('2 KB').waitFor();
    assert.deepEqual(await violations(page), []);
    await page.getByRole('button', { name: 'Remover anexo: três.txt' }).press('Enter');
    const next = page.getByRole('button', { name: 'Remover anexo: quatro.txt' });
    assert.equal(await next.and(page.locator(':focus')).count(), 1, 'the neighbour has the focus');
    await boxOf(page).fill('Seguem os quatro');
    await boxOf(page).press('Enter');
    await filesOf(page).first().waitFor({ state: 'detached' });
    const all = ['um.txt: Seguem os quatro', 'dois.txt', 'quatro.txt', 'cinco.txt'];
    assert.deepEqual(await settled(page, all.length), all);
    for (const name of ['um.txt', 'dois.txt', 'quatro.txt', 'cinco.txt']) {
      await bubbleOf(page, name).getByText(STATES).waitFor();
    }
    assert.deepEqual(offences, []);
    await context.close();
  });
}

test('ten files at most, an empty one is refused at its line, and a hostile name is text', async () => {
  const { page, context } = await panel.signIn('ana', { width: 390, height: 844 });
  await openWith(panel, page, 'Lia Muitos');
  const names = Array.from({ length: 12 }, (_, index) => `arquivo-${index}.txt`);
  await choose(
    page,
    names.map((name) => fileOf(name)),
  );
  await page.getByText('No máximo 10 arquivos de uma vez: 2 não foram anexados.').waitFor();
  await uploaded(page, 10);
  assert.deepEqual(await violations(page), []);
  for (const name of names.slice(0, 10)) {
    const removing = filesOf(page).filter({ hasText: name }).getByRole('button');
    await removing.press('Enter');
    await removing.waitFor({ state: 'detached' });
  }
  assert.equal(await boxOf(page).and(page.locator(':focus')).count(), 1, 'the box has the focus');
  const markup = hostile('markup', 60).replaceAll('/', '');
  const turned = `${hostile('rightToLeft', 30)}\u202egnp.exe`;
  await choose(page, [fileOf(markup), fileOf('vazio.txt', ''), fileOf(turned)]);
  const empty = filesOf(page).filter({ hasText: 'vazio.txt' });
  await empty.getByRole('alert').waitFor();
  await page.getByRole('progressbar').first().waitFor({ state: 'detached' });
  await assertHarmless(page, 'files that wait');
  assert.deepEqual(await violations(page), []);
  await page.getByRole('button', { name: 'Enviar', exact: true }).click();
  await page.getByText('Um arquivo não foi aceito. Tente de novo ou remova-o.').waitFor();
  assert.equal(await page.getByRole('button', { name: /^Remover anexo/ }).count(), 3);
  await empty.getByRole('button', { name: 'Tentar de novo' }).click();
  await empty.getByRole('alert').waitFor();
  await empty.getByRole('button', { name: 'Remover anexo: vazio.txt' }).click();
  await page.getByRole('button', { name: 'Enviar', exact: true }).click();
  await settled(page, 2);
  await assertHarmless(page, 'files that were sent');
  await context.close();
});

test('a refused file holds the later ones back, over a reload, until it goes', async () => {
  const { page, context } = await panel.signIn('ana');
  await openWith(panel, page, 'Noa Ordem');
  const refuse = (route: Route) => {
    const given = route.request().postDataJSON();
    if (given.caption !== 'a ordem importa') return route.continue();
    const json = { error: 'Este canal está desligado agora.', issues: [] };
    return route.fulfill({ status: 409, json });
  };
  await context.route(MESSAGES, refuse);
  await choose(page, [fileOf('a.txt'), fileOf('b.txt'), fileOf('c.txt')]);
  await uploaded(page, 3);
  await boxOf(page).fill('a ordem importa');
  await boxOf(page).press('Enter');
  await bubbleOf(page, 'a.txt').getByRole('alert').getByText('desligado agora').waitFor();
  await bubbleOf(page, 'c.txt').getByText('Espera o anterior').waitFor();
  assert.deepEqual(await violations(page), []);
  await boxOf(page).fill('outra coisa');
  await boxOf(page).press('Enter');
  await bubbleOf(page, 'outra coisa').getByText(STATES).waitFor();
  await page.reload();
  await bubbleOf(page, 'b.txt').getByText('Espera o anterior').waitFor();
  await bubbleOf(page, 'b.txt').getByRole('button', { name: 'Descartar' }).click();
  await bubbleOf(page, 'b.txt').waitFor({ state: 'detached' });
  await bubbleOf(page, 'c.txt').getByText('Espera o anterior').waitFor();
  await context.unroute(MESSAGES, refuse);
  await bubbleOf(page, 'a.txt').getByRole('button', { name: 'Tentar de novo' }).click();
  await bubbleOf(page, 'c.txt').getByText(STATES).waitFor();
  assert.deepEqual(await settled(page, 3), ['outra coisa', 'a.txt: a ordem importa', 'c.txt']);
  await context.close();
});

test('another tab holds back what stands behind a file that is discarded here', async () => {
  const { page, context } = await panel.signIn('ana');
  await openWith(panel, page, 'Eva Abas');
  const refuse = (route: Route) => {
    if (route.request().postDataJSON().caption !== 'duas abas') return route.continue();
    const json = { error: 'Este canal está desligado agora.', issues: [] };
    return route.fulfill({ status: 409, json });
  };
  await context.route(MESSAGES, refuse);
  await choose(page, [fileOf('a.txt'), fileOf('b.txt'), fileOf('c.txt')]);
  await uploaded(page, 3);
  await boxOf(page).fill('duas abas');
  await boxOf(page).press('Enter');
  await bubbleOf(page, 'c.txt').getByText('Espera o anterior').waitFor();
  const other = await context.newPage();
  await other.goto(page.url());
  await bubbleOf(other, 'c.txt').getByText('Espera o anterior').waitFor();
  await bubbleOf(page, 'b.txt').getByRole('button', { name: 'Descartar' }).click();
  await bubbleOf(other, 'b.txt').waitFor({ state: 'detached' });
  await bubbleOf(other, 'c.txt').getByText('Espera o anterior').waitFor();
  await context.unroute(MESSAGES, refuse);
  await bubbleOf(page, 'a.txt').getByRole('button', { name: 'Tentar de novo' }).click();
  await bubbleOf(page, 'c.txt').getByText(STATES).waitFor();
  assert.deepEqual(await settled(page, 2), ['a.txt: duas abas', 'c.txt']);
  await context.close();
});

test('a reload while half of them went sends the others once, in order', async () => {
  const { page, context } = await panel.signIn('ana');
  const from = await openWith(panel, page, 'Ivo Metade');
  let calls = 0;
  const lose = async (route: Route) => {
    calls++;
    if (calls <= 2) return route.continue();
    // The third is done, and its answer lost; nothing after it arrives.
    if (calls === 3) await route.fetch();
    return route.abort();
  };
  await context.route(MESSAGES, lose);
  const names = ['1.txt', '2.txt', '3.txt', '4.txt', '5.txt'];
  await choose(
    page,
    names.map((name) => fileOf(name)),
  );
  await uploaded(page, names.length);
  await page.getByRole('button', { name: 'Enviar', exact: true }).click();
  await logOf(page).getByText('Sem resposta, tentando de novo…').first().waitFor();
  await settled(page, 3);
  await page.reload();
  await bubbleOf(page, '5.txt').waitFor();
  await context.unroute(MESSAGES, lose);
  for (const name of names) await bubbleOf(page, name).getByText(STATES).waitFor();
  assert.deepEqual(await settled(page, names.length), names);
  // The last of them may still stand in the queue.
  await bubbleOf(page, '5.txt').getByText(TAKEN).waitFor();
  assert.equal((await panel.stack.network.sent(from)).length, names.length);
  await context.close();
});
