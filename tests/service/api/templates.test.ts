/** Templates of business accounts: listed, and kept in step with the network. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as v from 'valibot';
import { ValidationRefusalSchema } from '../../../shared/api/refusal.ts';
import { assertStatus } from '../../support/api/answers.ts';
import {
  list,
  listUntil,
  openShop,
  type Shop,
  setMany,
  setTemplate,
  type TemplateList,
  useShop,
} from '../../support/api/templates-fixture.ts';
import { freshPhone } from '../../support/api.ts';
import { pluck, pluckRows } from '../../support/pluck.ts';
import { useDatabase, useStack } from '../../support/stack-hooks.ts';
import { waitUntil } from '../../support/wait-for.ts';

const SEEDS = [
  'boleto_disponivel',
  'cupom_retorno',
  'hello_world',
  'lembrete_consulta',
  'oferta_relampago',
  'pedido_enviado',
  'pesquisa_satisfacao',
  'promocao_semana',
];

const SyncedSchema = v.object({
  data: v.array(
    v.looseObject({
      businessAccountId: v.string(),
      templates: v.number(),
      reason: v.nullable(v.string()),
    }),
  ),
  reason: v.nullable(v.string()),
});

const stack = useStack();
const shop = useShop(stack, 'templates');
const database = useDatabase(stack);

const namesOf = ({ data }: TemplateList): readonly string[] => data.map(({ name }) => name);

async function sync(of: Shop, ...options: readonly string[]) {
  return v.parse(SyncedSchema, await stack.ask('templates', 'sync', '--org', of.ref, ...options));
}

function accountOf({ businessAccountId }: Shop) {
  return database.db.collection('businessAccounts').findOne({ businessAccountId });
}

describe('GET /api/v1/templates (D286)', () => {
  test('an applied channel has its account’s templates, by name', async () => {
    const all = await list(stack, shop.key);
    assert.deepEqual(namesOf(all), SEEDS);
    assert.equal(all.reason, null);
    const sent = all.data.find(({ name }) => name === 'pedido_enviado');
    assert.ok(sent);
    const { id, components, parameters, ...shown } = sent;
    assert.match(id, /^tpl_/);
    assert.deepEqual(shown, {
      name: 'pedido_enviado',
      language: 'pt_BR',
      category: 'UTILITY',
      status: 'APPROVED',
      quality: 'GREEN',
    });
    assert.ok(components.some(({ type }) => type === 'BODY'));
    assert.equal(parameters.header?.type, 'text');
    assert.deepEqual(pluck(parameters.body, 'name'), ['1', '2']);
    assert.ok(parameters.body.every(({ example }) => example !== undefined));
    assert.deepEqual(pluckRows(parameters.buttons, 'title', 'required'), [
      ['Acompanhar', false],
      ['Falar com a loja', false],
    ]);
  });

  test('pages, and filters by status and text', async () => {
    const second = await list(stack, shop.key, '?page=2&limit=3');
    assert.deepEqual(namesOf(second), SEEDS.slice(3, 6));
    assert.deepEqual([second.page, second.limit, second.total], [2, 3, 8]);
    for (const status of ['PAUSED', 'paused']) {
      const paused = await list(stack, shop.key, `?status=${status}`);
      assert.deepEqual(namesOf(paused), ['cupom_retorno']);
    }
    const none = await list(stack, shop.key, '?status=UNKNOWN_WORD');
    assert.deepEqual([none.data, none.total, none.reason], [[], 0, null]);
    const byName = await list(stack, shop.key, `?query=${encodeURIComponent('PEDÍDO_env')}`);
    assert.deepEqual(namesOf(byName), ['pedido_enviado']);
    const literal = await list(stack, shop.key, `?query=${encodeURIComponent('.*')}`);
    assert.equal(literal.total, 0);
  });

  test('a key of a channel sees its own account alone', async () => {
    const own = await list(stack, shop.mainKey);
    assert.equal(own.total, 8);
    const other = `/api/v1/templates?channelId=${shop.second}`;
    assert.equal((await stack.request('GET', other, { key: shop.mainKey })).status, 403);
    const answer = await stack.call('GET', '/api/v1/templates?channelId=chn_x', { key: shop.key });
    assertStatus(answer, 404);
  });

  test('the reason tells why there is none', async () => {
    const web = await list(stack, shop.key, `?channelId=${shop.web}`);
    assert.deepEqual([web.data, web.reason], [[], 'Só a rede oficial (cloud) tem modelos.']);
    const bare = await openShop(stack, 'bare', { bare: true });
    assert.equal(
      (await list(stack, bare.key)).reason,
      'O canal não tem businessAccountId na configuração: sem ele não há modelos.',
    );
  });
});

describe('synchronisation with the network (D285)', () => {
  test('a webhook of a change is in the list within moments', async () => {
    const change = { name: 'pedido_enviado', status: 'PAUSED', quality: 'RED' };
    await setTemplate(stack, shop, change);
    const is = ({ data }: TemplateList) =>
      data.some(({ name, status, quality }) => {
        return name === change.name && status === 'PAUSED' && quality === 'RED';
      });
    await listUntil(stack, shop.key, { is, what: 'the pause is shown' });
    await setTemplate(stack, shop, { name: 'novo', components: [{ type: 'BODY', text: 'Olá.' }] });
    const isNew = (all: TemplateList) => namesOf(all).includes('novo');
    const shown = await listUntil(stack, shop.key, { is: isNew, what: 'the new one is shown' });
    await setTemplate(stack, shop, { name: 'novo', remove: true });
    await listUntil(stack, shop.key, { is: (all) => !isNew(all), what: 'the removed one is not' });
    const ids = new Map(shown.data.map(({ name, id }) => [name, id]));
    const again = await list(stack, shop.key);
    for (const { name, id } of again.data) assert.equal(id, ids.get(name), 'ids stay');
  });

  test('a template that the network pauses is refused within moments', async () => {
    const own = await openShop(stack, 'paused');
    await listUntil(stack, own.key, { is: ({ total }) => total === 8, what: 'all are listed' });
    const values = { nome: 'Ana', data: '3 de maio', hora: '10h' };
    const template = { name: 'lembrete_consulta', language: 'pt_BR', body: values };
    const body = { channelId: own.main, phone: freshPhone(), template };
    const send = () => stack.call('POST', '/api/v1/messages', { key: own.key, body });
    assert.equal((await send()).status, 201);
    await setTemplate(stack, own, { name: template.name, status: 'PAUSED' });
    const refused = await waitUntil('the paused template is refused', async () => {
      const answer = await send();
      return answer.status === 422 ? answer : null;
    });
    assert.deepEqual(v.parse(ValidationRefusalSchema, refused.json).issues, [
      {
        path: 'template.name',
        message: 'O modelo está pausado pela rede, por causa da qualidade (PAUSED).',
      },
    ]);
  });

  test('a refusal by the network that blames the template leads to a listing', async () => {
    const own = await openShop(stack, 'drifted');
    await listUntil(stack, own.key, { is: ({ total }) => total === 8, what: 'all are listed' });
    const name = 'lembrete_consulta';
    await setTemplate(stack, own, { name, status: 'PAUSED', SILENT: true });
    const values = { nome: 'Ana', data: '3 de maio', hora: '10h' };
    const template = { name, language: 'pt_BR', body: values };
    const sent = await stack.send(own.key, { channelId: own.main, phone: freshPhone(), template });
    const failed = await stack.messageIn(own.key, sent, 'failed');
    assert.equal(failed.error?.code, '132015');
    const is = ({ data }: TemplateList) =>
      data.some((each) => each.name === name && each.status === 'PAUSED');
    await listUntil(stack, own.key, { is, what: 'the pause is shown' });
  });

  test('drift without a webhook is mended by the command', async () => {
    await setTemplate(stack, shop, {
      name: 'hello_world',
      language: 'en_US',
      remove: true,
      SILENT: true,
    });
    const { data } = await sync(shop);
    const { total } = await list(stack, shop.key);
    assert.deepEqual(pluckRows(data, 'businessAccountId', 'templates', 'reason'), [
      [shop.businessAccountId, total, null],
    ]);
    assert.ok(!namesOf(await list(stack, shop.key)).includes('hello_world'));
    const byChannel = await sync(shop, '--channel', 'second');
    assert.equal(byChannel.data.length, 1);
    const listed = await stack.ask('templates', 'list', '--org', shop.ref, '--status', 'rejected');
    const { data: rows } = v.parse(
      v.object({ data: v.array(v.looseObject({ name: v.string() })) }),
      listed,
    );
    assert.deepEqual(pluck(rows, 'name'), ['oferta_relampago']);
  });

  test('two channels of one account cause one listing', async () => {
    const twin = await openShop(stack, 'twin');
    await listUntil(stack, twin.key, { is: ({ total }) => total === 8, what: 'all are listed' });
    const ready = async () => {
      const channels = await stack.channels(twin.key);
      return channels.filter(({ provider, ready }) => provider === 'cloud' && ready).length === 2;
    };
    await waitUntil('both channels are ready', ready);
    assert.equal((await accountOf(twin))?.begun, 1);
    const { total } = await list(stack, twin.key);
    assert.equal(total, 8, 'and each template once');
  });

  test('a token without the permission keeps what is shown, and tells the reason', async () => {
    const closed = await openShop(stack, 'closed');
    await listUntil(stack, closed.key, { is: ({ total }) => total === 8, what: 'all are listed' });
    const permit = (scopes: readonly string[]) =>
      stack.network.control('POST /permissions', { phoneNumberId: closed.phoneNumberId, scopes });
    await permit(['whatsapp_business_messaging']);
    const { code, stdout } = await stack.recado([
      ...['templates', 'sync', '--org', closed.ref, '--channel', 'main', '--json'],
    ]);
    assert.equal(code, 1, stdout);
    const { data } = v.parse(SyncedSchema, JSON.parse(stdout));
    assert.match(data[0]?.reason ?? '', /permissão/);
    assert.equal(data[0]?.templates, 8);
    assert.equal((await list(stack, closed.key)).total, 8);
    await permit(['whatsapp_business_messaging', 'whatsapp_business_management']);
    const mended = await sync(closed);
    assert.equal(mended.data[0]?.reason, null);
  });

  test('1,500 templates are listed over several pages', async () => {
    const large = await openShop(stack, 'large');
    await stack.network.control(`DELETE /templates?businessAccountId=${large.businessAccountId}`);
    await setMany(stack, large, 1_500);
    const { data } = await sync(large);
    assert.equal(data[0]?.templates, 1_500);
    const last = await list(stack, large.key, '?page=8&limit=200');
    assert.deepEqual([last.data.length, last.total], [100, 1_500]);
    assert.equal(last.data.at(-1)?.name, 'modelo_1499');
  });
});
