/** Words and look of the pages: nothing in English, nothing that jumps, names in place of ids. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import * as v from 'valibot';
import { apiOf, freshPhone } from '../../support/api.ts';
import { violations } from '../../support/browser.ts';
import { usePanel } from '../../support/panel/panel-fixture.ts';

const panel = usePanel();
const Made = v.object({ data: v.looseObject({ id: v.optional(v.string()) }) });

const visit = (page: Page, name: string) =>
  page.getByRole('navigation').getByRole('link', { name }).click();

async function boxesOf(all: Locator): Promise<readonly string[]> {
  const boxes = await Promise.all((await all.all()).map((each) => each.boundingBox()));
  return boxes.map((box) => JSON.stringify(box));
}

for (const width of [1280, 390]) {
  test(`a file without a text has a name in the list, and today is “Hoje”, at ${width} px`, async () => {
    const from = freshPhone();
    const { stack, shop } = panel;
    const data = Buffer.from('%PDF-1.4').toString('base64');
    const media = { mimeType: 'application/pdf', fileName: 'conta.pdf', data };
    const name = `Rui ${width}`;
    await stack.network.control('POST /inbound', { channelId: shop.main, from, media, name });
    const { page, context } = await panel.signIn('ana', { width, height: 844 });
    const row = page.getByRole('list', { name: 'Conversas' }).getByRole('link', { name });
    await row.getByText('Documento').waitFor();
    const views = page.getByRole('search').getByRole('button');
    const before = await boxesOf(views);
    await page.getByRole('button', { name: 'Não lidas' }).click();
    await page.getByRole('button', { name: 'Sem responsável' }).click();
    assert.deepEqual(await boxesOf(views), before, 'nothing jumps when a filter is chosen');
    await row.click();
    const log = page.getByRole('log', { name: 'Mensagens' });
    await log.getByRole('heading', { name: 'Hoje' }).waitFor();
    assert.doesNotMatch((await page.getByRole('main').textContent()) ?? '', /\[\w+\]/);
    await context.close();
  });

  test(`the audit log names what was changed, at ${width} px`, async () => {
    const { stack, shop } = panel;
    const phone = freshPhone();
    const name = `Zoe ${width}`;
    const api = apiOf(stack.baseUrl);
    await api.call('POST', '/api/v1/contacts', { key: shop.key, body: { phone, name } });
    const deal = { title: `Plano ${width}`, phone, valueCents: 100 };
    await api.call('POST', '/api/v1/deals', { key: shop.key, body: deal });
    const { page, context } = await panel.signIn('ana', { width, height: 844 });
    await visit(page, 'Negócios');
    const card = page.getByRole('main').getByRole('listitem').filter({ hasText: deal.title });
    await card.getByRole('button', { name: 'Ganho' }).click();
    await card.waitFor({ state: 'detached' });
    await visit(page, 'Contatos');
    await page.getByRole('main').getByRole('link', { name }).click();
    await page.getByRole('main').getByRole('heading', { name, level: 2 }).waitFor();
    await visit(page, 'Equipe');
    const audit = page
      .getByRole('table')
      .getByRole('row')
      .filter({ hasText: 'Alterou um negócio' });
    await audit.first().getByText(deal.title).waitFor();
    assert.doesNotMatch((await audit.first().textContent()) ?? '', /deal_/);
    const all = (await page.getByRole('table').textContent()) ?? '';
    assert.doesNotMatch(all, /\b(ses|org)_|command line/);
    assert.deepEqual(await violations(page), []);
    await context.close();
  });
}

test('the audit log names pipelines, files, channels and keys, and says what a key may do', async () => {
  const { page, context } = await panel.signIn('ana', { width: 1280, height: 844 });
  const post = async (path: string, data: Buffer | object, headers = {}) => {
    const own = { 'x-recado-panel': '1', origin: panel.url, ...headers };
    const answer = await context.request.post(path, { data, headers: own });
    assert.ok(answer.ok(), `${path}: ${await answer.text()}`);
    return v.parse(Made, await answer.json()).data.id ?? '';
  };
  const stages = [{ name: 'Entrada' }];
  const pipeline = await post('/api/v1/pipelines', { name: 'Atacado', stages });
  await post(`/api/v1/pipelines/${pipeline}`, { stages: [{ name: 'Início' }] });
  const file = await post('/api/v1/files', Buffer.from('%PDF-1.4'), {
    ...{ 'content-type': 'application/pdf', 'x-file-name': 'tabela.pdf' },
  });
  await post(`/api/v1/files/${file}/remove`, {});
  const expiresAt = '2099-01-31T23:59:59.000Z';
  const terms = { access: 'send', expiresAt, assistant: true };
  await post('/panel/api/keys', { name: 'Robô', scope: 'account', ...terms });
  await post(`/panel/api/channels/${panel.shop.main}/cancel-bulk`, {
    before: null,
  });
  await post('/panel/api/files', Buffer.from('foto'), { 'content-type': 'image/png' });
  await visit(page, 'Equipe');
  const rows = page.getByRole('table').getByRole('row');
  const row = (operation: string) => rows.filter({ hasText: operation }).first();
  await row('Alterou um funil').getByText('Atacado').waitFor();
  await row('Retirou um arquivo da biblioteca').getByText('tabela.pdf').waitFor();
  await row('Cancelou o envio em massa').getByText('Atendimento').waitFor();
  const key = (await row('Criou uma chave').textContent()) ?? '';
  assert.match(key, /acesso: leitura e envio · vence em: .*2099.* · assistente de IA: sim/);
  assert.match((await row('Guardou um arquivo').textContent()) ?? '', /tamanho: 1 KB/);
  const all = (await page.getByRole('table').textContent()) ?? '';
  assert.doesNotMatch(
    all,
    /\b(?:ses|org|pip|fil|chn|key|med|mbr|prs)_|sizeBytes|mimeType|expiresAt/,
  );
  await context.close();
});

test('every row of the doctor is in Portuguese, the settings too', async () => {
  const { page, context } = await panel.open();
  await page.goto(await panel.operatorLink());
  const rows = page.getByRole('list', { name: 'Diagnóstico' }).getByRole('listitem');
  await rows.filter({ hasText: 'Configuração' }).getByText('todas são válidas').waitFor();
  await rows.filter({ hasText: 'Painel' }).first().waitFor();
  // The state and the name of each, without what the check has found.
  const heads = (await rows.allInnerTexts()).map((text) => text.split('\n').slice(0, 3).join());
  const english = /\b(panel|settings|disk|mail|clocks?|secrets|parked|Bom)\b/;
  const inEnglish = heads.filter((head) => english.test(head.replace('E-mail', '')));
  assert.deepEqual(inEnglish, []);
  assert.deepEqual(await violations(page), []);
  await context.close();
});
