/** Templates of the simulated Graph: administration, review, webhooks, and sends of them. */
import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { listAt, recordAt } from '../../../../../../../infra/adapters/network/webhook-body.ts';
import { simulatorOf } from '../../fixture.ts';

const ACCOUNT = '880077';
const TO = '5511988887777';
const BODY = { type: 'BODY', text: 'Oi {{1}}', example: { body_text: [['Ana']] } };
const DRAFT = { name: 'boas_vindas', language: 'pt_BR', category: 'UTILITY', components: [BODY] };

describe('the simulated templates of Graph', () => {
  const simulator = simulatorOf('the suite', { businessAccountId: ACCOUNT });
  afterEach(() => simulator.forget());

  const list = async (query = '') => {
    const { body } = await simulator.graph('GET', `/${ACCOUNT}/message_templates${query}`);
    return body;
  };
  const names = (body: object) => listAt(Object(body), 'data').map((each) => Object(each).name);
  const { errorOf } = simulator;
  it('an account begins with templates in all states', async () => {
    const { data } = Object(await list('?fields=name,status,quality_score'));
    const states = data.map((each: object) => {
      const { name, status, quality_score, id, ...others } = Object(each);
      assert.deepEqual(others, {});
      assert.match(id, /^\d{15}$/);
      return `${name} ${status} ${Object(quality_score).score}`;
    });
    assert.deepEqual(states, [
      'hello_world APPROVED UNKNOWN',
      'pedido_enviado APPROVED GREEN',
      'lembrete_consulta APPROVED GREEN',
      'promocao_semana APPROVED YELLOW',
      'boleto_disponivel APPROVED UNKNOWN',
      'cupom_retorno PAUSED RED',
      'oferta_relampago REJECTED UNKNOWN',
      'pesquisa_satisfacao PENDING UNKNOWN',
    ]);
  });

  it('without fields it shows those of the document, as Meta writes them', async () => {
    const { data } = Object(await list('?name=pedido_enviado'));
    const [{ id, ...template }] = data;
    assert.ok(id);
    const buttons = ['Acompanhar', 'Falar com a loja'].map((text) => {
      return { type: 'QUICK_REPLY', text };
    });
    assert.deepEqual(template, {
      ...{ name: 'pedido_enviado', parameter_format: 'POSITIONAL' },
      components: [
        { type: 'HEADER', format: 'TEXT', text: 'Pedido {{1}}', example: { header_text: ['77'] } },
        {
          type: 'BODY',
          text: 'Olá, {{1}}! Seu pedido saiu para entrega e chega {{2}}.',
          example: { body_text: [['Ana', 'amanhã']] },
        },
        { type: 'FOOTER', text: 'Loja Exemplo' },
        { type: 'BUTTONS', buttons },
      ],
      ...{ language: 'pt_BR', status: 'APPROVED', category: 'UTILITY' },
    });
  });

  it('pages by cursors, forwards and back', async () => {
    const found: unknown[] = [];
    let query = '?limit=3';
    for (let page = 1; page <= 3; page++) {
      const body = Object(await list(query));
      found.push(...names(body));
      query = `?limit=3&after=${body.paging.cursors.after}`;
      assert.equal(body.paging.next === undefined, page === 3);
      assert.equal(body.paging.previous === undefined, page === 1);
    }
    assert.equal(new Set(found).size, 8);
    assert.deepEqual(await list(query), { data: [] });
    const { after } = Object(await list('?limit=2')).paging.cursors;
    const { previous, next } = Object(await list(`?limit=2&after=${after}`)).paging;
    const headers = { authorization: 'Bearer token-1001' };
    const read = async (url: string) => names(Object(await (await fetch(url, { headers })).json()));
    assert.deepEqual(await read(previous), ['hello_world', 'pedido_enviado']);
    assert.deepEqual(await read(next), ['boleto_disponivel', 'cupom_retorno']);
  });

  it('filters by name, state, language, category and quality', async () => {
    const filtered: readonly (readonly [string, readonly string[]])[] = [
      ['?name=pedido', ['pedido_enviado']],
      ['?status=PAUSED,REJECTED', ['cupom_retorno', 'oferta_relampago']],
      ['?status=["PENDING"]', ['pesquisa_satisfacao']],
      ['?language=en_US', ['hello_world']],
      ['?category=MARKETING&quality_score=YELLOW', ['promocao_semana']],
      ['?content=boleto', ['boleto_disponivel']],
      ['?status=DISABLED', []],
    ];
    for (const [query, expected] of filtered) assert.deepEqual(names(await list(query)), expected);
  });

  it('refuses what it does not have: fields, cursors, accounts, permissions', async () => {
    const path = `/${ACCOUNT}/message_templates`;
    assert.deepEqual(await errorOf('GET', `${path}?fields=name,colour`), [400, 100, undefined]);
    assert.deepEqual(await errorOf('GET', `${path}?after=nonsense`), [400, 100, undefined]);
    assert.deepEqual(await errorOf('GET', `${path}?limit=0`), [400, 100, undefined]);
    assert.deepEqual(await errorOf('GET', '/1/message_templates'), [400, 100, 33]);
    assert.deepEqual(await errorOf('GET', '/123456789012345'), [400, 100, 33]);
    const scopes = ['whatsapp_business_messaging'];
    await simulator.control('/permissions', { phoneNumberId: '1001', scopes });
    assert.deepEqual(await errorOf('GET', path), [403, 200, undefined]);
    assert.deepEqual(await errorOf('POST', path, DRAFT), [403, 200, undefined]);
    const { body } = await simulator.graph('GET', '/debug_token?input_token=token-1001');
    assert.deepEqual(recordAt(body, 'data').scopes, [...scopes, 'public_profile']);
    await simulator.control('/permissions', { phoneNumberId: '1001', scopes: [] });
    const text = { messaging_product: 'whatsapp', to: TO, text: { body: 'oi' } };
    assert.deepEqual(await errorOf('POST', '/1001/messages', text), [403, 10, undefined]);
  });

  it('deletes one language by its id, or all by the name', async () => {
    const path = `/${ACCOUNT}/message_templates`;
    const ids: string[] = [];
    for (const language of ['pt_BR', 'en_US', 'es']) {
      ids.push(Object((await simulator.graph('POST', path, { ...DRAFT, language })).body).id);
    }
    await simulator.graph('DELETE', `${path}?name=${DRAFT.name}&hsm_id=${ids[1]}`);
    const { data } = Object(await list(`?name=${DRAFT.name}`));
    const languages = data.map((each: { language: string }) => each.language);
    assert.deepEqual(languages, ['pt_BR', 'es']);
    await simulator.graph('DELETE', `${path}?name=${DRAFT.name}`);
    assert.deepEqual(await list(`?name=${DRAFT.name}`), { data: [] });
    assert.deepEqual(await errorOf('DELETE', path), [400, 100, undefined]);
  });

  it('writes the texts of an authentication template itself', async () => {
    const components = [
      { type: 'body', add_security_recommendation: true },
      { type: 'footer', code_expiration_minutes: 5 },
      { type: 'buttons', buttons: [{ type: 'otp', otp_type: 'copy_code', text: 'Copiar' }] },
    ];
    const draft = { ...DRAFT, category: 'AUTHENTICATION', components };
    await simulator.graph('POST', `/${ACCOUNT}/message_templates`, draft);
    const about = { phoneNumberId: '1001', name: DRAFT.name, language: 'pt_BR' };
    await simulator.control('/templates', { ...about, status: 'APPROVED' });
    const code = { type: 'text', text: '4321' };
    const template = {
      name: DRAFT.name,
      language: { code: 'pt_BR' },
      components: [
        { type: 'body', parameters: [code] },
        { type: 'button', sub_type: 'url', index: 0, parameters: [code] },
      ],
    };
    const message = { messaging_product: 'whatsapp', to: TO, type: 'template', template };
    assert.equal((await simulator.graph('POST', '/1001/messages', message)).status, 200);
    const [sent] = await simulator.sent(TO);
    assert.match(String(sent?.text), /^\*4321\* is your verification code\./);
  });

  it('drifts without a webhook when told, and is cleared', async () => {
    const about = { businessAccountId: ACCOUNT, name: 'hello_world', language: 'en_US' };
    await simulator.control('/templates', { ...about, status: 'PAUSED', silent: true });
    assert.deepEqual(names(await list('?name=hello_world&status=PAUSED')), ['hello_world']);
    assert.deepEqual(simulator.hooks('message_template_status_update'), []);
    const path = `/templates?businessAccountId=${ACCOUNT}`;
    const { body } = await simulator.network.control('GET', path);
    assert.equal(Object(body).data.length, 8);
    await simulator.network.control('DELETE', path);
    assert.deepEqual(await list(), { data: [] });
    await simulator.forget();
    assert.equal(names(await list()).length, 8);
    await simulator.network.control('DELETE', '/templates');
    assert.deepEqual(await list(), { data: [] });
  });

  it('a control says what is wrong with it', async () => {
    const post = async (body: object) =>
      (await simulator.network.control('POST', '/templates', body)).status;
    const about = { businessAccountId: ACCOUNT, name: 'novo', language: 'pt_BR' };
    assert.equal(await post({ ...about, businessAccountId: '1', components: [BODY] }), 404);
    assert.equal(await post(about), 400);
    assert.equal(await post({ ...about, components: [{ ...BODY, example: undefined }] }), 400);
    assert.equal(await post({ ...about, status: 'GOOD', components: [BODY] }), 400);
    assert.equal(await post({ ...about, components: [BODY] }), 200);
  });

  it('the account of a number is told of, and of one without a setting too', async () => {
    const { body } = await simulator.graph('GET', '/1001?fields=health_status');
    const entities = Object(body.health_status).entities;
    const isAccount = (each: { entity_type: string }) => each.entity_type === 'WABA';
    assert.equal(entities.find(isAccount).id, ACCOUNT);
    const account = await simulator.graph('GET', `/${ACCOUNT}`);
    assert.equal(account.body.id, ACCOUNT);
    const apps = await simulator.graph('GET', `/${ACCOUNT}/subscribed_apps`);
    assert.equal(listAt(apps.body, 'data').length, 1);
    const said = { phoneNumberId: '1001', from: TO, text: 'oi' };
    assert.ok((await simulator.control('/inbound', said)).id);
    const [hook] = simulator.hooks('messages');
    assert.equal(Object(hook?.entry)[0].id, ACCOUNT);
  });
});
