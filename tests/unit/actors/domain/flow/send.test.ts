import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isMarketingTemplate } from '../../../../../actors/domain/conversation/outbound-content.ts';
import { decideDue } from '../../../../../actors/domain/flow/decide.ts';
import { timerOf } from '../../../../../actors/domain/flow-run.ts';
import { MEMBER_ANSWER_PAUSE_MS } from '../../../../../shared/limits.ts';
import {
  begun,
  CONTACT,
  contextOf,
  flowOf,
  NOW,
} from '../../../../support/actors/conversation/flow/flow-fixture.ts';
import { BODY, found } from '../../../../support/actors/domain/template-fixture.ts';
import { BUTTONS, decided, type Facts, KNOWN, TEMPLATE, undone } from './send-fixture.ts';

const COSTLY = '{% for i in (1..9999999) %}x{% endfor %}';
const NOTE = 'Fluxo "Fluxo", etapa "a": a mensagem não foi enviada. ';
const FILE = {
  kind: 'image',
  media: { id: 'med_1', mimeType: 'image/png', fileName: 'a.png', sizeBytes: 1 },
} as const;

describe('content of a send step', () => {
  it('buttons have their texts rendered, their ids as written, and no empty part', () => {
    const { message, state, queued } = decided({ interactive: BUTTONS });
    const buttons = [
      { id: 'sim', title: 'Sim' },
      { id: '{{nao}}', title: 'Não, Maria' },
    ];
    const rendered = { type: 'buttons', text: 'Confirma, Maria?', footer: 'Loja', buttons };
    assert.deepEqual(message?.content, { type: 'interactive', interactive: rendered });
    assert.deepEqual([message.kind, message.status, queued], ['text', 'queued', true]);
    assert.match(message.text ?? '', /^Confirma, Maria\?\s+Loja$/);
    assert.equal(state.run?.stepId, 'end');
  });

  it('a list keeps its sections', () => {
    const rows = [{ id: 'ouro', title: 'Ouro', description: '{{contact.fields.plano}}' }];
    const sections = [{ title: '{{none}}', rows }];
    const list = { type: 'list', text: 'Planos', button: 'Ver', sections };
    const rendered = [{ rows: [{ id: 'ouro', title: 'Ouro', description: 'ouro' }] }];
    const { content } = decided({ interactive: list }).message ?? {};
    const interactive = { ...list, sections: rendered };
    assert.deepEqual(content, { type: 'interactive', interactive });
  });

  it('a place takes degrees that a template renders, with a comma too', () => {
    const location = { latitude: '{{ "-23,5" }}', longitude: -46.25, name: '{{org.name}}' };
    const { message } = decided({ location });
    const rendered = { latitude: -23.5, longitude: -46.25, name: 'Loja' };
    assert.deepEqual(message?.content, { type: 'location', location: rendered });
    assert.equal(message.kind, 'location');
  });

  it('cards, a reaction and a reply', () => {
    const contacts = [{ name: 'Ana {{org.name}}', phones: ['{{contact.phone}}'] }];
    const card = decided({ contacts }).message;
    const rendered = [{ name: 'Ana Loja', phones: ['5511987654321'] }];
    assert.deepEqual(card?.content, { type: 'contacts', contacts: rendered });
    assert.equal(card.kind, 'contact');
    const facts = { lastReceivedId: 'msg_1' };
    const { kind, text, content } = decided({ reaction: { emoji: '👍' } }, facts).message ?? {};
    assert.deepEqual([kind, text], ['reaction', '👍']);
    assert.deepEqual(content, { type: 'reaction', reaction: { messageId: 'msg_1', emoji: '👍' } });
    const rows = [
      [{ text: 'oi', reply: true }, 'msg_1', 'msg_1'],
      [{ interactive: BUTTONS, reply: true }, 'msg_1', 'msg_1'],
      [{ text: 'oi', reply: false }, 'msg_1', null],
      [{ text: 'oi', reply: true }, null, null],
    ] as const;
    for (const [send, lastReceivedId, replyToId] of rows) {
      assert.equal(decided(send, { lastReceivedId }).message?.replyToId, replyToId);
    }
  });

  it('a template is arranged as its components name it, also outside of the window', () => {
    const { message, unable } = decided({ template: TEMPLATE }, { ...KNOWN, window: 'closed' });
    assert.equal(unable, undefined);
    assert.equal(message?.text, 'Oi Maria, seu pedido 77 saiu.');
    const body = [{ text: 'Maria' }, { text: '77' }];
    const template = { name: 'pedido', language: 'pt_BR', body, buttons: [] };
    assert.deepEqual(message.content, { type: 'template', template });
  });

  it('a template of marketing goes to no contact that wants none, the text in its place does', () => {
    const template = found([BODY], { category: 'MARKETING' });
    const wanted = decided({ template: TEMPLATE }, { template }).message;
    assert.ok(wanted && isMarketingTemplate(wanted));
    const stopped = { template, contact: { ...CONTACT, noMarketing: true } };
    const { text } = undone({ template: TEMPLATE }, stopped);
    assert.match(text ?? '', /template: O contato pediu para não receber mensagens de marketing\./);
    const free = { text: 'oi', fallbackTemplate: TEMPLATE };
    const { message } = decided(free, { ...stopped, window: 'open' });
    assert.deepEqual([message?.text, message?.fallback], ['oi', undefined]);
  });

  it('a variable of a template may have the name of a property that is sent as written', () => {
    const body_text_named_params = [
      { param_name: 'id', example: '77' },
      { param_name: 'type', example: 'Ana' },
    ];
    const text = 'Pedido {{id}} de {{type}}.';
    const body = { type: 'BODY', text, example: { body_text_named_params } };
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
    const gone = 'template.header.file: O arquivo não está mais na biblioteca.';
    assert.equal(undone(send, { template, headerFile: null }).text, `${NOTE}${gone}`);
    const headerFile = { ...FILE, kind: 'audio' } as const;
    const { text = '' } = undone(send, { template, headerFile });
    assert.match(text ?? '', /enviada\. template\.header\S*: /);
  });

  it('a template of Liquid that fails ends the run, wherever it stands', () => {
    for (const send of [
      { interactive: { ...BUTTONS, text: COSTLY } },
      { template: { ...TEMPLATE, body: ['x', COSTLY] } },
      { location: { latitude: 1, longitude: 1, name: COSTLY } },
      { contacts: [{ name: 'Ana', phones: [COSTLY] }] },
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
      assert.ok(next.text?.startsWith(NOTE));
      assert.match(next.text ?? '', words);
      const led = undone({ ...send, onError: 'sorry' }, facts);
      assert.deepEqual([led.reason, led.at, led.text], [reason, 'sorry', next.text]);
      const ended = decided({ ...send, onError: null }, facts);
      assert.deepEqual([ended.state.run, ended.state.status], [null, 'open']);
    });
  }
});

describe('the text of a message', () => {
  it('is none where the step has a file only, and the message none without the file', () => {
    const { message, queued } = decided({ file: 'fil_1' }, { file: FILE });
    const { text, kind, media } = message ?? {};
    assert.deepEqual([text, kind, media, queued], [null, 'image', FILE.media, true]);
    const gone = decided({ file: 'fil_1' }, { file: null });
    const at = gone.state.run?.stepId;
    assert.deepEqual([gone.message, gone.queued, at], [undefined, false, 'end']);
  });

  it('is, of a template’s header, the one that the step gives', () => {
    const titled = {
      ...{ type: 'HEADER', format: 'TEXT', text: 'Pedido de {{1}}' },
      example: { header_text: ['Ana'] },
    };
    const template = found([titled, { type: 'BODY', text: 'Saiu.' }]);
    const { body: _, ...bare } = TEMPLATE;
    const send = { template: { ...bare, header: { text: '{{contact.name}}' } } };
    assert.equal(decided(send, { template }).message?.text, 'Pedido de Maria\n\nSaiu.');
    assert.equal(undone({ template: bare }, { template }).reason, 'template_refused');
  });
});

it('the note of a message with several problems names each at its place', () => {
  const long = `{{ "${'x'.repeat(21)}" }}`;
  const buttons = ['a', 'b'].map((id) => ({ id, title: `${long}${id}` }));
  const sentence = 'Deve ter no máximo 20 caracteres.';
  const problems = [0, 1].map((at) => `interactive.buttons.${at}.title: ${sentence}`);
  const { text } = undone({ interactive: { ...BUTTONS, buttons } });
  assert.equal(text, NOTE + problems.join(' '));
});

describe('the 24-hour window and a send', () => {
  const send = { text: 'Oi {{contact.name}}', fallbackTemplate: TEMPLATE };
  const rendered = 'Oi Maria, seu pedido 77 saiu.';

  it('outside of it the fallback is the message, whatever the step says beside it', () => {
    for (const more of [
      {},
      { outsideWindow: 'refuse' },
      { interactive: BUTTONS, text: undefined },
    ]) {
      const { text, ...rest } = { ...send, ...more };
      const written = text === undefined ? rest : { text, ...rest };
      const { message } = decided(written, { ...KNOWN, window: 'closed' });
      assert.equal(message?.text, rendered);
      assert.deepEqual([message.content?.type, message.fallback], ['template', undefined]);
    }
  });

  it('the fallback quotes nothing, and a template of its own does', () => {
    const facts = { ...KNOWN, window: 'closed', lastReceivedId: 'msg_1' } as const;
    assert.equal(decided({ ...send, reply: true }, facts).message?.replyToId, null);
    const own = decided({ template: TEMPLATE, reply: true }, facts).message;
    assert.equal(own?.replyToId, 'msg_1');
  });

  it('inside of it, and where the network decides, the fallback goes along', () => {
    for (const window of ['open', 'undecided'] as const) {
      const { message } = decided({ ...send, outsideWindow: 'refuse' }, { ...KNOWN, window });
      assert.equal(message?.text, 'Oi Maria');
      assert.equal(message.fallback?.text, rendered);
      assert.equal(message.fallback?.template.name, 'pedido');
    }
  });

  it('inside of it a fallback that cannot be sent is left out, and so it is on web', () => {
    const unknown = decided(send).message;
    assert.deepEqual([unknown?.text, unknown?.fallback], ['Oi Maria', undefined]);
    const web = decided(send, { ...KNOWN, provider: 'web' }).message;
    assert.deepEqual([web?.text, web?.fallback], ['Oi Maria', undefined]);
  });

  it('a text without either goes anyhow: the network decides', () => {
    assert.equal(decided({ text: 'oi' }, { window: 'closed' }).message?.text, 'oi');
    const sends = { text: 'oi', outsideWindow: 'send' };
    assert.equal(decided(sends, { window: 'closed' }).message?.text, 'oi');
  });
});

describe('D411: the answer of the tenth quick turn', () => {
  const flow = flowOf([
    { id: 'a', do: 'send', text: 'Menu', next: 'b' },
    { id: 'b', do: 'send', text: 'Escolha', next: 'end' },
    { id: 'end', do: 'wait', next: null },
  ]);
  const answered = (turns: number) => {
    const ends = Array.from({ length: turns - 1 }, (_, turn) => NOW - turn);
    const state = { ...begun(flow), quickTurns: { open: true, ends } };
    const decision = decideDue(state, contextOf(flow));
    assert.ok(decision);
    return decision;
  };

  it('pauses what follows it, and has the note in its outbox', () => {
    const { state, message, outbox } = answered(10);
    assert.equal(message?.text, 'Menu');
    assert.equal(timerOf(state), NOW + MEMBER_ANSWER_PAUSE_MS);
    const command = { id: 'cmd_named', type: 'note-pause', flowName: 'Fluxo' };
    const to = { kind: 'conversation', key: 'cnv_1' };
    assert.deepEqual(outbox, [{ type: 'command', id: 'cmd_named', to, command }]);
  });

  it('is the tenth one', () => {
    const { state, outbox } = answered(9);
    assert.deepEqual([outbox, state.automationPausedUntil, timerOf(state)], [[], null, NOW]);
  });
});
