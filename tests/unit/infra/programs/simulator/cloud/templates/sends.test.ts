/** Sends of templates as the simulated Graph judges them, and what the contact then does. */
import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { recordAt } from '../../../../../../../infra/adapters/network/webhook-body.ts';
import { simulatorOf } from '../../fixture.ts';

const TO = '5511988887777';
const text = (value: string, name?: string) => {
  const parameter = name === undefined ? {} : { parameter_name: name };
  return { type: 'text', text: value, ...parameter };
};
const body = (...values: readonly string[]) => {
  return { type: 'body', parameters: values.map((value) => text(value)) };
};
const named = (values: Readonly<Record<string, string>>) => {
  const parameters = Object.entries(values).map(([name, value]) => text(value, name));
  return { type: 'body', parameters };
};
const header = (parameter: object) => ({ type: 'header', parameters: [parameter] });
const button = (subType: string, index: number, parameter: object) => ({
  ...{ type: 'button', sub_type: subType, index: String(index) },
  parameters: [parameter],
});
const link = 'https://example.com/a';
const image = { type: 'image', image: { link } };
const pdf = { type: 'document', document: { link, filename: 'a.pdf' } };
const orderHeader = header(text('77'));
const path = (value: string) => button('url', 0, text(value));
const pressed = (index: number, payload = 'P') =>
  button('quick_reply', index, { type: 'payload', payload });
const visit = { nome: 'Ana', data: '12/03', hora: '14:30' };

/** The template, its components, and the code of the refusal; none: it is taken. */
type Send = readonly [name: string, components: readonly object[], code?: number];

const SENDS: readonly Send[] = [
  ['hello_world', []],
  ['hello_world', [body('a')], 132000],
  ['pedido_enviado', [orderHeader, body('Ana', 'hoje')]],
  ['pedido_enviado', [orderHeader, body('Ana')], 132000],
  ['pedido_enviado', [orderHeader, body('Ana', 'hoje', 'x')], 132000],
  ['pedido_enviado', [body('Ana', 'hoje')], 132000],
  ['pedido_enviado', [orderHeader], 132000],
  ['pedido_enviado', [header(image), body('Ana', 'hoje')], 132012],
  ['pedido_enviado', [orderHeader, named({ nome: 'Ana', dia: 'hoje' })], 132012],
  ['pedido_enviado', [header(text('x'.repeat(53))), body('Ana', 'hoje')]],
  ['pedido_enviado', [header(text('x'.repeat(54))), body('Ana', 'hoje')], 132005],
  ['pedido_enviado', [orderHeader, body('x'.repeat(980), 'hoje')], 132005],
  ['pedido_enviado', [orderHeader, body('Ana\nLima', 'hoje')], 132018],
  ['pedido_enviado', [orderHeader, body('Ana     Lima', 'hoje')], 132018],
  ['pedido_enviado', [orderHeader, body('Ana    Lima', 'hoje')]],
  ['pedido_enviado', [orderHeader, body('', 'hoje')], 131008],
  ['pedido_enviado', [orderHeader, orderHeader, body('Ana', 'hoje')], 131009],
  ['pedido_enviado', [orderHeader, body('Ana', 'hoje'), pressed(1)]],
  ['pedido_enviado', [orderHeader, body('Ana', 'hoje'), pressed(2)], 132000],
  ['pedido_enviado', [orderHeader, body('Ana', 'hoje'), path('a')], 132012],
  ['lembrete_consulta', [named(visit)]],
  ['lembrete_consulta', [named({ hora: '14:30', nome: 'Ana', data: '12/03' })]],
  ['lembrete_consulta', [named({ nome: 'Ana', data: '12/03' })], 132000],
  ['lembrete_consulta', [named({ nome: 'Ana', data: '12/03', local: 'a' })], 132012],
  ['lembrete_consulta', [body('Ana', '12/03', '14:30')], 132012],
  ['promocao_semana', [header(image), body('Ana')]],
  ['promocao_semana', [body('Ana')], 132012],
  ['promocao_semana', [header(pdf), body('Ana')], 132012],
  ['promocao_semana', [header(text('a')), body('Ana')], 132012],
  ['promocao_semana', [header({ type: 'image', image: { id: '404' } }), body('Ana')], 131009],
  ['promocao_semana', [header({ type: 'image', image: { link, caption: 'a' } }), body('Ana')], 100],
  ['boleto_disponivel', [header(pdf), body('Ana', 'R$ 9'), path('77')]],
  ['boleto_disponivel', [header(pdf), body('Ana', 'R$ 9')], 131008],
  ['boleto_disponivel', [header(pdf), body('Ana', 'R$ 9'), path('')], 131008],
  ['boleto_disponivel', [header(pdf), body('Ana', 'R$ 9'), path('x'.repeat(2_001))], 131009],
  ['boleto_disponivel', [header(pdf), body('Ana', 'R$ 9'), button('url', 12, text('a'))], 131009],
  ['cupom_retorno', [body('Ana')], 132015],
  ['oferta_relampago', [], 132001],
  ['pesquisa_satisfacao', [body('Ana')], 132001],
  ['nada', [], 132001],
  ['hello_world', [{ type: 'footer', parameters: [] }], 131009],
  ['hello_world', [{ type: 'body', parameters: [], colour: 'red' }], 100],
];

describe('sends of templates', () => {
  const simulator = simulatorOf('the suite');
  afterEach(() => simulator.forget());

  const send = (template: object, more: object = {}) =>
    simulator.graph('POST', '/1001/messages', {
      ...{ messaging_product: 'whatsapp', to: TO, type: 'template', template },
      ...more,
    });
  const languageOf = (name: string) => ({ code: name === 'hello_world' ? 'en_US' : 'pt_BR' });

  for (const [at, [name, components, code]] of SENDS.entries()) {
    it(`${at}: ${name} ${code === undefined ? 'is taken' : `is refused with ${code}`}`, async () => {
      const answer = await send({ name, language: languageOf(name), components });
      const error = recordAt(answer.body, 'error');
      const status = code === undefined ? 200 : code === 132001 ? 404 : 400;
      assert.deepEqual([answer.status, error.code], [status, code], JSON.stringify(error));
      assert.equal((await simulator.sent(TO)).length, code === undefined ? 1 : 0);
    });
  }

  it('words its refusals as the network does', async () => {
    const detailsOf = async (name: string, components: readonly object[]) => {
      const { body } = await send({ name, language: { code: 'pt_BR' }, components });
      return recordAt(recordAt(body, 'error'), 'error_data').details;
    };
    const counted = 'number of localizable_params (1) does not match the expected number of';
    for (const [name, components, details] of [
      ['pedido_enviado', [orderHeader, body('Ana')], `body: ${counted} params (2)`],
      [
        'promocao_semana',
        [body('Ana')],
        'header: Format mismatch, expected IMAGE, received UNKNOWN',
      ],
      ['hello_world', [], 'template name (hello_world) does not exist in pt_BR'],
    ] as const) {
      assert.equal(await detailsOf(name, components), details);
    }
  });

  it('a disabled template is refused with a code of its own', async () => {
    const about = { phoneNumberId: '1001', name: 'hello_world', language: 'en_US' };
    await simulator.control('/templates', { ...about, status: 'DISABLED' });
    const { status, body } = await send({ name: 'hello_world', language: { code: 'en_US' } });
    assert.deepEqual([status, recordAt(body, 'error').code], [400, 132016]);
  });

  it('the contact sees it rendered, and it is billed by its category', async () => {
    const language = { code: 'pt_BR' };
    const components = [orderHeader, body('Ana', 'hoje'), pressed(0, 'PEDIDO_77')];
    await send({ name: 'pedido_enviado', language, components });
    const currency = { fallback_value: 'R$ 90,00', code: 'BRL', amount_1000: 90_000 };
    const values = { type: 'body', parameters: [text('Ana'), { type: 'currency', currency }] };
    const billed = [header(pdf), values, path('77')];
    await send({ name: 'boleto_disponivel', language, components: billed });
    const [order, bill] = await simulator.sent(TO);
    assert.equal(order?.text, 'Olá, Ana! Seu pedido saiu para entrega e chega hoje.');
    assert.deepEqual(order?.template, {
      ...{ name: 'pedido_enviado', language: 'pt_BR', header: 'Pedido 77', footer: 'Loja Exemplo' },
      buttons: [
        { type: 'QUICK_REPLY', text: 'Acompanhar', payload: 'PEDIDO_77' },
        { type: 'QUICK_REPLY', text: 'Falar com a loja', payload: 'Falar com a loja' },
      ],
    });
    assert.equal(bill?.text, 'Olá, Ana! Seu boleto de R$ 90,00 está disponível.');
    const { header: shown, buttons } = Object(bill?.template);
    assert.deepEqual([shown, buttons[0].url], ['document', 'https://example.com/boleto/77']);
    const told = () =>
      simulator.statuses().find(({ id, status }) => id === order?.externalId && status === 'sent');
    await simulator.network.until('it is sent', () => told() !== undefined);
    assert.equal(told()?.pricing.category, 'utility');
  });

  it('the header’s upload is the one that was made', async () => {
    const form = new FormData();
    form.set('messaging_product', 'whatsapp');
    form.set('file', new Blob(['png'], { type: 'image/png' }), 'a.png');
    const headers = { authorization: 'Bearer token-1001' };
    const url = `${simulator.network.url}/v26.0/1001/media`;
    const { id } = Object(await (await fetch(url, { method: 'POST', headers, body: form })).json());
    const components = [header({ type: 'image', image: { id } }), body('Ana')];
    const template = { name: 'promocao_semana', language: { code: 'pt_BR' }, components };
    assert.equal((await send(template)).status, 200);
    const [sent] = await simulator.sent(TO);
    assert.deepEqual([sent?.kind, Object(sent?.media).mimeType], ['template', 'image/png']);
  });
});
