/** The content of `send` steps, and what becomes of a message that the network would refuse. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BODY, found } from '../../../support/actors/domain/template-fixture.ts';
import { BUTTONS, decided, type Facts, KNOWN, TEMPLATE, undone } from './send-fixture.ts';

const FILE = {
  kind: 'image',
  media: { id: 'med_1', mimeType: 'image/png', fileName: 'a.png', sizeBytes: 1 },
} as const;

describe('content of a send step', () => {
  it('buttons have their texts rendered, their ids as written, and no empty part', () => {
    const { message, state, queued } = decided({ interactive: BUTTONS });
    assert.deepEqual(message?.content, {
      type: 'interactive',
      interactive: {
        type: 'buttons',
        text: 'Confirma, Maria?',
        footer: 'Loja',
        buttons: [
          { id: 'sim', title: 'Sim' },
          { id: '{{nao}}', title: 'Não, Maria' },
        ],
      },
    });
    assert.deepEqual([message.kind, message.status, queued], ['text', 'queued', true]);
    assert.match(message.text ?? '', /^Confirma, Maria\?\s+Loja$/);
    assert.equal(state.run?.stepId, 'end');
  });

  it('a list keeps its sections', () => {
    const rows = [{ id: 'ouro', title: 'Ouro', description: '{{contact.fields.plano}}' }];
    const sections = [{ title: '{{none}}', rows }];
    const list = { type: 'list', text: 'Planos', button: 'Ver', sections };
    assert.deepEqual(decided({ interactive: list }).message?.content, {
      type: 'interactive',
      interactive: {
        ...list,
        sections: [{ rows: [{ id: 'ouro', title: 'Ouro', description: 'ouro' }] }],
      },
    });
  });

  it('a place takes degrees that a template renders, with a comma too', () => {
    const location = { latitude: '{{ "-23,5" }}', longitude: -46.25, name: '{{org.name}}' };
    const { message } = decided({ location });
    assert.deepEqual(message?.content, {
      type: 'location',
      location: { latitude: -23.5, longitude: -46.25, name: 'Loja' },
    });
    assert.equal(message.kind, 'location');
  });

  it('cards, a reaction and a reply', () => {
    const contacts = [{ name: 'Ana {{org.name}}', phones: ['{{contact.phone}}'] }];
    const card = decided({ contacts }).message;
    assert.deepEqual(card?.content, {
      type: 'contacts',
      contacts: [{ name: 'Ana Loja', phones: ['5511987654321'] }],
    });
    assert.equal(card.kind, 'contact');
    const facts = { lastReceivedId: 'msg_1' };
    const reaction = decided({ reaction: { emoji: '👍' } }, facts).message;
    assert.deepEqual(
      [reaction?.kind, reaction?.text, reaction?.content],
      ['reaction', '👍', { type: 'reaction', reaction: { messageId: 'msg_1', emoji: '👍' } }],
    );
    assert.equal(decided({ text: 'oi', reply: true }, facts).message?.replyToId, 'msg_1');
    assert.equal(decided({ interactive: BUTTONS, reply: true }, facts).message?.replyToId, 'msg_1');
    assert.equal(decided({ text: 'oi', reply: false }, facts).message?.replyToId, null);
    const unwritten = { lastReceivedId: null };
    assert.equal(decided({ text: 'oi', reply: true }, unwritten).message?.replyToId, null);
  });

  it('a template is arranged as its components name it, also outside of the window', () => {
    const { message, unable } = decided({ template: TEMPLATE }, { ...KNOWN, window: 'closed' });
    assert.equal(unable, undefined);
    assert.equal(message?.text, 'Oi Maria, seu pedido 77 saiu.');
    assert.deepEqual(message.content, {
      type: 'template',
      template: {
        name: 'pedido',
        language: 'pt_BR',
        body: [{ text: 'Maria' }, { text: '77' }],
        buttons: [],
      },
    });
  });

  it('a variable of a template may have the name of a property that is sent as written', () => {
    const body = {
      type: 'BODY',
      text: 'Pedido {{id}} de {{type}}.',
      example: {
        body_text_named_params: [
          { param_name: 'id', example: '77' },
          { param_name: 'type', example: 'Ana' },
        ],
      },
    };
    const values = { id: '{{org.name}}', type: '{{contact.name}}' };
    const send = { template: { ...TEMPLATE, body: values } };
    const { message } = decided(send, { template: found([body], { named: true }) });
    assert.equal(message?.text, 'Pedido Loja de Maria.');
  });

  it("the file of a template's header is the message's", () => {
    const template = found([{ type: 'HEADER', format: 'IMAGE' }, BODY]);
    const send = { template: { ...TEMPLATE, header: { file: 'fil_1' } } };
    const { message } = decided(send, { template, headerFile: FILE });
    assert.deepEqual([message?.kind, message?.media], [FILE.kind, FILE.media]);
    assert.equal(
      undone(send, { template, headerFile: null }).text,
      'Fluxo "Fluxo", etapa "a": a mensagem não foi enviada. template.header.file: O arquivo não está mais na biblioteca.',
    );
    const audio = { ...FILE, kind: 'audio' } as const;
    assert.match(
      undone(send, { template, headerFile: audio }).text ?? '',
      /enviada\. template\.header\S*: /,
    );
  });

  it('a template of Liquid that fails ends the run, wherever it stands', () => {
    const bad = '{% for i in (1..9999999) %}x{% endfor %}';
    for (const send of [
      { interactive: { ...BUTTONS, text: bad } },
      { template: { ...TEMPLATE, body: ['x', bad] } },
      { location: { latitude: 1, longitude: 1, name: bad } },
      { contacts: [{ name: 'Ana', phones: [bad] }] },
    ]) {
      const { state, message } = decided(send, KNOWN);
      assert.deepEqual([state.run, message], [null, undefined]);
    }
  });
});

describe('a message that the network would refuse', () => {
  const web = { provider: 'web', window: 'open' } as const;
  const long = 'x'.repeat(21);
  const titled = { ...BUTTONS, buttons: [{ id: 'a', title: `{{ "${long}" }}` }] };
  const table: readonly (readonly [string, object, Facts, string | undefined, RegExp])[] = [
    ['buttons on web', { interactive: BUTTONS }, web, 'not_on_web', /interactive: Este número não/],
    ['a template on web', { template: TEMPLATE }, web, 'not_on_web', /template: Este número não/],
    [
      'a title that is too long once it is rendered',
      { interactive: titled },
      {},
      'content_invalid',
      /interactive\.buttons\.0\.title: Deve ter no máximo 20 caracteres\.$/,
    ],
    [
      'a text that renders to nothing',
      { interactive: { ...BUTTONS, text: '{{none}}' } },
      {},
      'content_invalid',
      /interactive\.text: Campo obrigatório\.$/,
    ],
    [
      'degrees that are none',
      { location: { latitude: '{{contact.name}}', longitude: 181 - 1 } },
      {},
      'content_invalid',
      /location\.latitude: Deve ser um número\.$/,
    ],
    [
      'a card with a short phone',
      { contacts: [{ name: 'Ana', phones: ['{{ "1" }}'] }] },
      {},
      'content_invalid',
      /contacts\.0\.phones\.0: Deve ter pelo menos 3 caracteres\.$/,
    ],
    ['an unknown template', { template: TEMPLATE }, {}, 'template_refused', /template\.name: \S/],
    [
      'a paused template',
      { template: TEMPLATE },
      { template: found([BODY], { status: 'PAUSED' }) },
      'template_refused',
      /template\.name: .*PAUSED/,
    ],
    [
      'a variable too few',
      { template: { ...TEMPLATE, body: ['{{contact.name}}'] } },
      KNOWN,
      'template_refused',
      /template\.body\.1: O modelo exige esta/,
    ],
    [
      'a variable that renders to nothing',
      { template: { ...TEMPLATE, body: ['{{contact.email}}', '77'] } },
      KNOWN,
      'template_refused',
      /template\.body\.0: Não pode ser vazio\.$/,
    ],
    [
      'a reaction to nobody',
      { reaction: { emoji: '👍' } },
      { lastReceivedId: null },
      'nothing_received',
      /reaction: O contato ainda não escreveu/,
    ],
    [
      'a text outside of the window',
      { text: 'oi', outsideWindow: 'refuse' },
      { window: 'closed' },
      'window_closed',
      /outsideWindow: A janela de 24 horas/,
    ],
    [
      'a fallback that cannot be sent either',
      { text: 'oi', fallbackTemplate: TEMPLATE },
      { window: 'closed', template: { found: false, languages: ['en_US'] } },
      'template_refused',
      /fallbackTemplate\.language: \S/,
    ],
  ];
  for (const [title, send, facts, reason, words] of table) {
    it(`${title}: the run continues, and a note says why`, () => {
      const next = undone(send, facts);
      assert.deepEqual([next.reason, next.at], [reason, 'end']);
      assert.match(next.text ?? '', /^Fluxo "Fluxo", etapa "a": a mensagem não foi enviada\. /);
      assert.match(next.text ?? '', words);
      const led = undone({ ...send, onError: 'sorry' }, facts);
      assert.deepEqual([led.reason, led.at, led.text], [reason, 'sorry', next.text]);
      const ended = decided({ ...send, onError: null }, facts);
      assert.deepEqual([ended.state.run, ended.state.status], [null, 'open']);
    });
  }
});
