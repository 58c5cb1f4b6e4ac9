/**
 * Requests of the `cloud` driver for content other than text and files, as Meta's pages show them.
 * Named parameters and the code of a coupon are those of pywa 4.4.0 (`types/templates.py`).
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { OutboundContent, SendOutcome } from '../../../../../shared/ports/network.ts';
import { ADDRESS, CHANNEL, type Content, PLAIN, posted } from './posted-content.ts';

const ENVELOPE = {
  messaging_product: 'whatsapp',
  recipient_type: 'individual',
  to: '+5511988887777',
};

async function bodyOf(content: Content): Promise<unknown> {
  const message = { ...ADDRESS, ...content } as OutboundContent;
  const { bodies, result } = await posted((driver) => driver.sendContent(CHANNEL, message));
  assert.deepEqual(result, {
    outcome: 'accepted',
    externalId: 'wamid.1',
    networkId: '5511988887777',
  } satisfies SendOutcome);
  assert.equal(bodies.length, 1);
  const { biz_opaque_callback_data: ours, ...body } = Object(bodies[0]);
  assert.equal(ours, ADDRESS.messageId);
  return body;
}

describe('cloud: bodies of templates', () => {
  const template = (body: object) => ({ ...ENVELOPE, type: 'template', template: body });
  const language = (code: string) => ({ policy: 'deterministic', code });

  it('a template without values has no components', async () => {
    assert.deepEqual(
      await bodyOf({ type: 'template', template: PLAIN }),
      template({ name: 'hello_world', language: language('en_US') }),
    );
  });

  it('values by position, a header’s text and each kind of button', async () => {
    const sent = {
      ...{ name: 'pedido_enviado', language: 'pt_BR', header: { text: '77' } },
      body: [{ text: 'Ana' }, { text: '77' }],
      buttons: [
        { type: 'url', index: 0, value: 'abc' },
        { type: 'quick_reply', index: 1, value: 'acompanhar' },
        { type: 'copy_code', index: 2, value: 'VOLTA10' },
      ],
    } as const;
    const text = (value: string) => ({ type: 'text', text: value });
    const button = (sub_type: string, index: string, parameter: object) => {
      return { type: 'button', sub_type, index, parameters: [parameter] };
    };
    assert.deepEqual(
      await bodyOf({ type: 'template', template: sent }),
      template({
        name: 'pedido_enviado',
        language: language('pt_BR'),
        components: [
          { type: 'header', parameters: [text('77')] },
          { type: 'body', parameters: [text('Ana'), text('77')] },
          button('url', '0', text('abc')),
          button('quick_reply', '1', { type: 'payload', payload: 'acompanhar' }),
          button('copy_code', '2', { type: 'coupon_code', coupon_code: 'VOLTA10' }),
        ],
      }),
    );
  });

  it('values by name', async () => {
    const named = { text: 'Ana', parameter: 'nome' };
    const parameter = { type: 'text', parameter_name: 'nome', text: 'Ana' };
    assert.deepEqual(
      await bodyOf({ type: 'template', template: { ...PLAIN, header: named, body: [named] } }),
      template({
        name: 'hello_world',
        language: language('en_US'),
        components: [
          { type: 'header', parameters: [parameter] },
          { type: 'body', parameters: [parameter] },
        ],
      }),
    );
  });

  for (const kind of ['image', 'video', 'document'] as const) {
    it(`a header’s ${kind} by the name of its upload`, async () => {
      const header = { kind, fileName: 'boleto.pdf', content: { uploadId: '9' } };
      const file = kind === 'document' ? { id: '9', filename: 'boleto.pdf' } : { id: '9' };
      assert.deepEqual(
        await bodyOf({ type: 'template', template: PLAIN, header }),
        template({
          name: 'hello_world',
          language: language('en_US'),
          components: [{ type: 'header', parameters: [{ type: kind, [kind]: file }] }],
        }),
      );
    });
  }
});

describe('cloud: bodies of buttons and lists', () => {
  const interactive = (body: object) => ({ ...ENVELOPE, type: 'interactive', interactive: body });
  const frame = { text: 'Confirma?', header: 'Consulta', footer: 'Clínica Exemplo' };
  const framed = {
    header: { type: 'text', text: 'Consulta' },
    body: { text: 'Confirma?' },
    footer: { text: 'Clínica Exemplo' },
  };

  it('reply buttons', async () => {
    const buttons = [
      { id: 'sim', title: 'Sim' },
      { id: 'nao', title: 'Não' },
    ];
    assert.deepEqual(
      await bodyOf({ type: 'interactive', interactive: { type: 'buttons', ...frame, buttons } }),
      interactive({
        type: 'button',
        ...framed,
        action: { buttons: buttons.map((reply) => ({ type: 'reply', reply })) },
      }),
    );
  });

  it('a list, without a frame and with it', async () => {
    const rows = [
      { id: '10h', title: '10 horas', description: 'Dra. Bia' },
      { id: '11h', title: '11 horas' },
    ];
    const sections = [{ title: 'Manhã', rows }];
    const list = { type: 'list', text: 'Escolha', button: 'Horários', sections } as const;
    assert.deepEqual(
      await bodyOf({ type: 'interactive', interactive: list }),
      interactive({
        type: 'list',
        body: { text: 'Escolha' },
        action: { button: 'Horários', sections },
      }),
    );
    const plain = { ...list, ...frame, sections: [{ rows }] };
    assert.deepEqual(
      await bodyOf({ type: 'interactive', interactive: plain }),
      interactive({
        type: 'list',
        ...framed,
        action: { button: 'Horários', sections: [{ rows }] },
      }),
    );
  });

  it('a button with an address, in which spaces are escaped', async () => {
    const url = {
      type: 'url',
      text: 'Veja',
      title: 'Abrir',
      url: 'https://example.com/a b',
    } as const;
    const parameters = { display_text: 'Abrir', url: 'https://example.com/a%20b' };
    assert.deepEqual(
      await bodyOf({ type: 'interactive', interactive: url }),
      interactive({
        type: 'cta_url',
        body: { text: 'Veja' },
        action: { name: 'cta_url', parameters },
      }),
    );
  });
});

describe('cloud: bodies of reactions, places and cards', () => {
  const target = { externalId: 'wamid.T', fromMe: false };

  it('a reaction names its message, and quotes none', async () => {
    const reaction = { type: 'reaction', emoji: '👍', target, replyTo: 'wamid.Q' } as const;
    assert.deepEqual(await bodyOf(reaction), {
      ...ENVELOPE,
      type: 'reaction',
      reaction: { message_id: 'wamid.T', emoji: '👍' },
    });
    assert.deepEqual(Object(await bodyOf({ ...reaction, emoji: '' })).reaction, {
      message_id: 'wamid.T',
      emoji: '',
    });
  });

  it('a place, and one that quotes a message', async () => {
    const location = { latitude: -23.5505, longitude: -46.6333 };
    assert.deepEqual(await bodyOf({ type: 'location', location }), {
      ...ENVELOPE,
      type: 'location',
      location,
    });
    const named = { ...location, name: 'Loja', address: 'Praça da Sé, 1' };
    assert.deepEqual(await bodyOf({ type: 'location', location: named, replyTo: 'wamid.Q' }), {
      ...ENVELOPE,
      type: 'location',
      location: named,
      context: { message_id: 'wamid.Q' },
    });
  });

  it('cards: only a whole number opens a chat', async () => {
    const bia = { name: 'Bia Reis', phones: ['+55 (31) 97777-6666', '31 97777-6666', 'ramal 12'] };
    const more = { email: 'bia@example.com', organization: 'Loja Exemplo' };
    assert.deepEqual(await bodyOf({ type: 'contacts', contacts: [{ ...bia, ...more }] }), {
      ...ENVELOPE,
      type: 'contacts',
      contacts: [
        {
          name: { formatted_name: 'Bia Reis', first_name: 'Bia Reis' },
          phones: [
            { phone: '+55 (31) 97777-6666', type: 'WORK', wa_id: '5531977776666' },
            { phone: '31 97777-6666', type: 'WORK' },
            { phone: 'ramal 12', type: 'WORK' },
          ],
          emails: [{ email: 'bia@example.com', type: 'WORK' }],
          org: { company: 'Loja Exemplo' },
        },
      ],
    });
  });
});
