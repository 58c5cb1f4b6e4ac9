/** Equipe, Canais, Integrações, Fluxos and Operação in a real browser on a real stack. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import type { Problem } from '../../../shared/problems/provisioning.ts';
import { freshPhone } from '../../support/api.ts';
import { violations } from '../../support/browser.ts';
import { readStream } from '../../support/event-stream.ts';
import { heldShop } from '../../support/organization.ts';
import { usePanel } from '../../support/panel/panel-fixture.ts';
import { useSubscriber } from '../../support/stack-hooks.ts';
import { waitFor } from '../../support/wait-for.ts';

const run = promisify(execFile);

const panel = usePanel();
const subscriber = useSubscriber();

test('an admin invites a member, changes a role, and ends a session', async () => {
  const other = await panel.signIn('bia');
  const { page, context, offences } = await panel.signIn('ana');
  await page.getByRole('link', { name: 'Equipe' }).click();
  await page.getByRole('button', { name: 'Convidar' }).click();
  await page.getByLabel('Nome').fill('Gil Alves');
  await page.getByLabel('E-mail').fill('gil@example.com');
  assert.deepEqual(await violations(page), []);
  await page.keyboard.press('Enter');
  const members = page.getByRole('list', { name: 'Membros' });
  const gil = members.getByRole('listitem').filter({ hasText: 'Gil Alves' });
  await gil.getByText('gil@example.com').waitFor();
  await gil.getByLabel('Papel de Gil Alves').selectOption('Somente leitura');
  await members.getByLabel('Papel de Ana Souza').selectOption('Somente leitura');
  await members.getByRole('alert').waitFor();
  const sessions = page.getByRole('list', { name: 'Sessões abertas' });
  const own = sessions.getByRole('listitem').filter({ hasText: 'Bia Reis' });
  await own.getByRole('button', { name: 'Encerrar sessão' }).click();
  await own.waitFor({ state: 'detached' });
  await other.page.getByRole('heading', { name: 'Entrar' }).waitFor();
  await page.reload();
  await page.getByRole('cell', { name: 'Encerrou uma sessão' }).waitFor();
  await page.getByRole('cell', { name: 'Convidou um membro' }).waitFor();
  assert.deepEqual(offences, []);
  await other.context.close();
  await context.close();
});

test('an attendant sees channels, and neither team nor integrations', async () => {
  const { page, context } = await panel.signIn('bia');
  const navigation = page.getByRole('navigation');
  await navigation.getByRole('link', { name: 'Canais' }).click();
  await page.getByRole('listitem').filter({ hasText: 'Pronto' }).first().waitFor();
  assert.equal(await page.getByRole('button', { name: 'Nova chave' }).count(), 0);
  for (const name of ['Equipe', 'Integrações', 'Operação']) {
    assert.equal(await navigation.getByRole('link', { name }).count(), 0, name);
  }
  await context.close();
});

test('an admin cancels what waits in bulk, after a question; an attendant is not offered it', async () => {
  const { stack, shop } = panel;
  await stack.apply({ orgs: [{ ref: shop.ref, channels: [heldShop(shop.ref)] }] });
  const campaign = { channelId: shop.shop, phone: freshPhone(), priority: 'bulk' };
  for (let n = 0; n < 4; n++) await stack.send(shop.key, { ...campaign, text: `oferta ${n}` });
  const other = await panel.signIn('bia');
  await other.page.getByRole('link', { name: 'Canais' }).click();
  await other.page.getByText('3 mensagens esperando').waitFor();
  assert.equal(await other.page.getByRole('button', { name: 'Cancelar envio' }).count(), 0);
  await other.context.close();
  const { page, context, offences } = await panel.signIn('ana');
  await page.getByRole('link', { name: 'Canais' }).click();
  const card = page.getByRole('listitem').filter({ hasText: 'Vendas' });
  await card.getByText('3 mensagens em massa na fila').waitFor();
  await card.getByRole('button', { name: 'Cancelar envio em massa' }).press('Enter');
  const question = page.getByRole('alertdialog', { name: 'Cancelar envio em massa' });
  await question.getByRole('button', { name: 'Cancelar', exact: true }).waitFor();
  assert.deepEqual(await violations(page), []);
  await question.getByRole('button', { name: 'Cancelar mensagens' }).click();
  await card.getByRole('status').getByText('3 mensagens canceladas.').waitFor();
  await card.getByText('Nenhuma mensagem esperando').waitFor();
  await page.getByRole('link', { name: 'Equipe' }).click();
  await page.getByRole('cell', { name: 'Cancelou o envio em massa de um canal' }).waitFor();
  assert.equal((await stack.network.sent(campaign.phone)).length, 1);
  assert.deepEqual(offences, []);
  await context.close();
});

test('a channel’s new key is shown once, and its curl works', async () => {
  const { page, context, offences } = await panel.signIn('ana');
  await page.getByRole('link', { name: 'Canais' }).click();
  await page.getByRole('button', { name: 'Nova chave' }).first().click();
  await page.getByLabel('Nome da chave').fill('Formulário do site');
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog');
  const curl = await dialog.getByRole('figure').textContent();
  assert.deepEqual(await violations(page), []);
  await dialog.getByRole('button', { name: 'Copiar' }).first().click();
  await dialog.getByText('Copiado.').waitFor();
  const { stdout } = await run('sh', ['-c', `${curl} -sS -o /dev/null -w '%{http_code}'`]);
  assert.equal(stdout, '201');
  await dialog.getByRole('button', { name: 'Já copiei' }).click();
  await page.getByText('Formulário do site').waitFor();
  await page.getByRole('link', { name: 'Integrações' }).click();
  const key = page.getByRole('listitem').filter({ hasText: 'Formulário do site' });
  await key.getByText('usada pela última vez').waitFor();
  const call = page.getByRole('row').filter({ hasText: '•••• 0000' });
  await call.getByText('201').waitFor();
  await key.getByRole('button', { name: 'Revogar' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revogar' }).click();
  await key.waitFor({ state: 'detached' });
  assert.deepEqual(offences, []);
  await context.close();
});

test('a key of the organization comes with a curl that works, whatever channels it has', async () => {
  const { page, context } = await panel.signIn('ana');
  const noChannels = { status: 200, json: { data: [] } };
  await page.route('**/panel/api/channels', (route) => route.fulfill(noChannels));
  await page.getByRole('link', { name: 'Integrações' }).click();
  await page.getByRole('button', { name: 'Nova chave' }).click();
  await page.getByLabel('Nome da chave').fill('ERP');
  await page.keyboard.press('Enter');
  const curl = await page.getByRole('dialog').getByRole('figure').textContent();
  const { stdout } = await run('sh', ['-c', `${curl} -sS -o /dev/null -w '%{http_code}'`]);
  assert.equal(stdout, '200');
  await page.getByRole('button', { name: 'Já copiei' }).click();
  await page.getByRole('button', { name: 'Reenviar as que falharam' }).press('Enter');
  await page.getByText('Escolha primeiro uma assinatura no filtro.').waitFor();
  await context.close();
});

test('a key for an assistant that only reads has its terms in the list', async () => {
  const { page, context, offences } = await panel.signIn('ana');
  await page.getByRole('link', { name: 'Integrações' }).click();
  await page.getByRole('button', { name: 'Nova chave' }).click();
  await page.getByLabel('Nome da chave').fill('Leitor de IA');
  const access = page.getByRole('combobox', { name: 'Acesso' });
  assert.deepEqual(await access.locator('option').allTextContents(), [
    ...['Somente leitura', 'Leitura e envio', 'Completo'],
  ]);
  assert.equal(await access.inputValue(), 'full');
  await access.selectOption('Somente leitura');
  await page.getByLabel('Vence em').fill('2020-01-31');
  await page.getByRole('checkbox', { name: 'Assistente de IA' }).check();
  assert.deepEqual(await violations(page), []);
  await page.getByRole('button', { name: 'Criar chave' }).click();
  await page.getByRole('alert').getByText('ainda não passou').waitFor();
  await page.getByLabel('Vence em').fill('2099-01-31');
  await page.getByRole('button', { name: 'Criar chave' }).click();
  const curl = await page.getByRole('dialog').getByRole('figure').textContent();
  const { stdout } = await run('sh', ['-c', `${curl} -sS`]);
  assert.match(stdout, /"access":"read","expiresAt":"2099-02-01T02:59:59.999Z","assistant":true/);
  await page.getByRole('button', { name: 'Já copiei' }).click();
  const key = page.getByRole('listitem').filter({ hasText: 'Leitor de IA' });
  await key.getByText('Somente leitura · Assistente de IA · vence em 31/01/2099').waitFor();
  assert.deepEqual(offences, []);
  await context.close();
});

test('a failed delivery shows its body and answer, and goes again', async () => {
  subscriber.answer('/shop', () => 500);
  const { page, context, offences } = await panel.signIn('ana');
  await page.getByRole('link', { name: 'Integrações' }).click();
  await page.getByRole('button', { name: 'Nova assinatura' }).click();
  await page.getByLabel('Endereço').fill(`${subscriber.url}/shop`);
  await page.getByRole('button', { name: 'Criar assinatura' }).click();
  await page.getByRole('dialog').getByText('whsec_').waitFor();
  await page.getByRole('button', { name: 'Já copiei' }).click();
  const { stack, shop } = panel;
  const body = { channelId: shop.main, phone: '5511988887777', text: "D'água" };
  const sent = await stack.call('POST', '/api/v1/messages', { key: shop.key, body });
  assert.equal(sent.status, 201, sent.text);
  await subscriber.until('/shop', 1);
  await page.reload();
  const delivery = page.getByRole('listitem').filter({ hasText: 'respondeu 500' }).first();
  await delivery.getByRole('button', { name: 'Detalhes' }).click();
  await delivery.getByText("D'água").first().waitFor();
  const curl = await delivery.getByRole('figure', { name: 'Repita no terminal' }).textContent();
  subscriber.answer('/shop', () => 200);
  const { stdout } = await run('sh', ['-c', `${curl} -sS -o /dev/null -w '%{http_code}'`]);
  assert.equal(stdout, '200');
  await delivery.getByRole('button', { name: 'Reenviar' }).click();
  await page.getByText('1 entrega vai de novo agora.').waitFor();
  await page.getByRole('listitem').filter({ hasText: 'respondeu 200' }).first().waitFor();
  await page.getByLabel('Assinatura', { exact: true }).selectOption({ index: 1 });
  await page.getByRole('button', { name: 'Reenviar as que falharam' }).click();
  await page.getByLabel('Até o dia').fill('2020-02-02');
  await page.getByLabel('Desde o dia').fill('2020-02-01');
  await page.getByRole('dialog').getByRole('button', { name: 'Reenviar' }).click();
  await page.getByText('0 entregas vão de novo agora.').waitFor();
  assert.deepEqual(offences, []);
  await context.close();
});

test('an event is shown as it happens, with its payload, without a subscription', async () => {
  const { stack, shop } = panel;
  const { page, context, offences } = await panel.signIn('ana');
  await page.getByRole('link', { name: 'Integrações' }).click();
  const events = page.getByRole('list', { name: 'Eventos ao vivo' });
  const say = (text: string) =>
    stack.network.inbound({ channelId: shop.main, from: '5511966665555', text });
  await say('Tem pão?');
  const event = events.getByRole('listitem').filter({ hasText: 'Tem pão?' });
  await event.getByText('message.received').waitFor();
  await event.getByRole('button', { name: 'Detalhes' }).click();
  await event.getByText('"messageId": "msg_').waitFor();
  assert.deepEqual(await violations(page), []);
  await page.getByRole('button', { name: 'Pausar' }).click();
  await say('E bolo?');
  await page.getByText('Parado. 1 evento novo espera.').waitFor();
  assert.equal(await events.getByText('E bolo?').count(), 0);
  await page.getByRole('button', { name: 'Continuar' }).click();
  await events.getByText('E bolo?').waitFor();
  await page.getByLabel('Tipo de evento').selectOption('deal.won');
  await page.getByText('Nenhum evento deste tipo ainda.').waitFor();
  assert.deepEqual(offences, []);
  await context.close();
});

test('a stream is shown with its connection, what waits for it, and its deliveries', async () => {
  const { stack, shop } = panel;
  const { page, context, offences } = await panel.signIn('ana');
  await page.getByRole('link', { name: 'Integrações' }).click();
  await page.getByText('Nenhum stream.').waitFor();
  const query = { name: 'erp', events: 'task.created' };
  const reading = await readStream(stack.baseUrl, { key: shop.key, query });
  const streams = page.getByRole('list', { name: 'Streams' });
  const stream = streams.getByRole('listitem').filter({ hasText: 'erp' });
  await stream.getByText('Conectado').waitFor();
  await stream.getByText('task.created').waitFor();
  await stream.getByText('chave ERP').waitFor();
  await stream.getByText('Nada espera.').waitFor();
  const body = { title: 'Ligar para Rui' };
  const made = await stack.call('POST', '/api/v1/tasks', { key: shop.key, body });
  assert.equal(made.status, 201, made.text);
  const event = await reading.about('Ligar para Rui');
  await stream.getByText('1 evento espera, 1 sem confirmação.').waitFor();
  await page.getByLabel('Assinatura', { exact: true }).selectOption({ label: 'erp · ERP' });
  const deliveries = page.getByRole('list', { name: 'Entregas' });
  const delivery = deliveries.getByRole('listitem').first();
  await delivery.getByText('espera a confirmação de quem lê').waitFor();
  await delivery.getByRole('button', { name: 'Detalhes' }).click();
  await delivery.getByText('Ligar para Rui').first().waitFor();
  assert.equal(await delivery.getByRole('figure', { name: 'Repita no terminal' }).count(), 0);
  assert.deepEqual(await violations(page), []);
  reading[Symbol.dispose]();
  await stream.getByText('Sem conexão').waitFor();
  await stream.getByText('Última conexão:').waitFor();
  const results = [{ id: event.id, status: 500, ms: 3 }];
  const settled = await stack.call('POST', '/api/v1/events/ack', {
    ...{ key: shop.key, body: { name: 'erp', results } },
  });
  assert.equal(settled.status, 200, settled.text);
  await stream.getByText('Nada espera.').waitFor();
  await deliveries.getByText('respondeu 500 em 3 ms').first().waitFor();
  await delivery.getByRole('button', { name: 'Reenviar' }).click();
  await page.getByText('1 entrega vai de novo agora.').waitFor();
  await stream.getByText('1 evento espera, 0 sem confirmação.').waitFor();
  assert.deepEqual(offences, []);
  await context.close();
});

const FLOW = {
  ...{ ref: 'plans', name: 'Planos', enabled: true, channel: 'main' },
  steps: [
    { id: 'ask', do: 'send', text: 'Qual plano?', next: 'hear' },
    { id: 'hear', do: 'wait', timeout: '1h', saveAs: 'plan', next: 'pick', onTimeout: 'bye' },
    {
      ...{ id: 'pick', do: 'choose', else: 'ask' },
      cases: [{ when: { answer: 'plan', in: ['ouro'] }, next: 'bye' }],
    },
    { id: 'bye', do: 'end' },
  ],
};

async function startRun(): Promise<void> {
  const { stack, shop } = panel;
  const { orgs } = await stack.apply({ orgs: [{ ref: shop.ref, flows: [FLOW] }] });
  const path = `/api/v1/flows/${orgs[shop.ref]?.flows.plans}/start`;
  const body = { phone: '5511977776666', channelId: shop.main };
  const started = await stack.request('POST', path, { key: shop.key, body });
  assert.equal(started.status, 201, started.text);
}

/** As the organization refuses an entry that another one keeps from changing. */
async function refuseOnce(page: Page, path: string, problem: Problem): Promise<void> {
  const error = 'A requisição é inválida.';
  const refusal = { status: 422, json: { error, problems: [{ path: 'flows.0', problem }] } };
  await page.route(path, async (route) => {
    if (route.request().method() !== 'POST') return route.fallback();
    await route.fulfill(refusal);
    return page.unroute(path);
  });
}

test('a flow is drawn with who waits where; its text is refused by line, and published', async () => {
  await startRun();
  const { page, context, offences } = await panel.signIn('ana');
  await page.getByRole('link', { name: 'Fluxos' }).click();
  const steps = page.getByRole('list', { name: 'Etapas' });
  await steps.getByText('hear: espera resposta. 1 espera').waitFor();
  const runs = page.getByRole('list', { name: 'Últimas execuções' });
  await runs.getByText('Em andamento').waitFor();
  await runs.getByRole('link').first().click();
  const trace = page.getByRole('list', { name: 'Execução' });
  await trace.getByText('Qual plano?').waitFor();
  await trace.getByText('Vai para hear; o prazo vence em').waitFor();
  assert.deepEqual(await violations(page), []);
  await page.getByRole('button', { name: 'Editar' }).click();
  const text = page.getByRole('textbox', { name: 'Texto do fluxo' });
  const good = await text.inputValue();
  await text.fill(`${good}# ainda escrevendo`);
  await page.reload();
  await page.getByRole('button', { name: 'Editar' }).click();
  await page.getByRole('status').filter({ hasText: 'rascunho' }).waitFor();
  assert.equal(await text.inputValue(), `${good}# ainda escrevendo`);
  // A long text: its end is far below what is in sight.
  await text.fill(good.replace('next: pick', 'next: nowhere') + '\n# fim'.repeat(150));
  await page.getByRole('button', { name: 'Publicar' }).click();
  const refusal = page.getByRole('alert').filter({ hasText: 'Nada foi publicado' });
  const height = page.viewportSize()?.height ?? 0;
  const isInSight = async () => {
    const box = await refusal.boundingBox();
    return (box && box.y >= 0 && box.y + box.height <= height) || null;
  };
  await waitFor(isInSight, { what: 'the refusal is in sight' });
  const line = good.split('\n').findIndex((each) => each.includes('next: pick')) + 1;
  await page
    .getByRole('alert')
    .getByRole('button', { name: `Linha ${line}` })
    .click();
  await page.getByText('nenhuma etapa tem o id “nowhere”').waitFor();
  assert.deepEqual(await violations(page), []);
  await text.fill(good.replace('Qual plano?', 'Qual dos planos?'));
  await page.getByRole('button', { name: 'Publicar' }).click();
  await text.waitFor({ state: 'detached' });
  await refuseOnce(page, '**/panel/api/flows/*', {
    code: 'unknownName',
    params: { kind: 'channel', name: 'shop', known: ['main'], more: 0, meant: null },
  });
  await page.getByRole('button', { name: 'Desativar' }).click();
  await page.getByRole('alert').getByText('não há canal “shop”').waitFor();
  await page.getByRole('button', { name: 'Desativar' }).click();
  await page.getByRole('button', { name: 'Ativar', exact: true }).waitFor();
  assert.deepEqual(offences, []);
  await context.close();
});

test('the operator sees the installation, and an organization by choice', async () => {
  const { page, context, offences } = await panel.open();
  await page.goto(await panel.operatorLink());
  await page.getByRole('heading', { name: 'Operação' }).waitFor();
  await page.getByRole('list', { name: 'Diagnóstico' }).getByText('todas têm dono').waitFor();
  const rows = await page.getByRole('list', { name: 'Diagnóstico' }).textContent();
  assert.doesNotMatch(rows ?? '', /\b(the|is|are|not|of)\b/, 'a row in English');
  await page.getByRole('img', { name: 'Mensagens' }).waitFor();
  assert.deepEqual(await violations(page), []);
  await page.getByRole('link', { name: 'Canais' }).click();
  await page.getByText('Nenhuma organização escolhida').waitFor();
  await page.getByLabel('Organização').selectOption({ index: 1 });
  await page.getByRole('listitem').filter({ hasText: 'Pronto' }).first().waitFor();
  await page.reload();
  await page.getByRole('listitem').filter({ hasText: 'Pronto' }).first().waitFor();
  await page.getByRole('link', { name: 'Equipe' }).click();
  await page.getByText(panel.emailOf('ana')).waitFor();
  assert.deepEqual(await violations(page), []);
  assert.deepEqual(offences, []);
  await context.close();
});
