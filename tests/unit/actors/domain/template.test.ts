/** Templates: the values that they take, and the text that they become (D283, D284). */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { headerIssues } from '../../../../actors/domain/template/header.ts';
import {
  type AskedTemplate,
  type CheckedTemplate,
  checkTemplate,
  type FoundTemplate,
} from '../../../../actors/domain/template.ts';
import type { TemplateValues } from '../../../../shared/message-content.ts';
import type { NetworkTemplate } from '../../../../shared/ports/network.ts';
import { readTemplateForm } from '../../../../shared/template-form.ts';
import {
  BODY,
  found,
  IMAGE,
  NAMED_BODY,
  ONE_TIME_CODE,
  template,
  URL_BUTTON,
} from '../../../support/actors/domain/template-fixture.ts';
import { forAll } from '../../../support/property.ts';

type Values = Partial<TemplateValues>;

function asked(values: Values, attached: AskedTemplate['attached'] = null): AskedTemplate {
  return { values: { name: 'pedido', language: 'pt_BR', ...values }, attached };
}

function issues(lookedUp: FoundTemplate, ask: AskedTemplate): readonly (readonly string[])[] {
  const checked = checkTemplate(lookedUp, ask);
  assert.ok('issues' in checked, 'the template is refused');
  return checked.issues.map(({ path, message }) => [path, message]);
}

function paths(lookedUp: FoundTemplate, ask: AskedTemplate): readonly string[] {
  return issues(lookedUp, ask).map(([path = '']) => path);
}

test('a template that is not known is refused at its name or language (D284)', () => {
  const ask = asked({ body: ['Ana', '77'] });
  assert.deepEqual(issues({ found: false, languages: [] }, ask), [
    ['name', 'A conta não tem nenhum modelo com este nome.'],
  ]);
  assert.deepEqual(issues({ found: false, languages: ['en_US', 'es'] }, ask), [
    ['language', 'O modelo não existe neste idioma, só em: en_US, es.'],
  ]);
  assert.deepEqual(issues({ found: false, languages: [], reason: 'Ainda não.' }, ask), [
    ['name', 'Ainda não.'],
  ]);
});

test('a template that is not approved is refused with its state (D284)', () => {
  const ask = asked({ body: ['Ana', '77'] });
  const said = (status: string) => issues(found([BODY], { status }), ask);
  assert.deepEqual(said('PAUSED'), [
    ['name', 'O modelo está pausado pela rede, por causa da qualidade (PAUSED).'],
  ]);
  assert.deepEqual(said('DISABLED'), [['name', 'O modelo foi desativado pela rede (DISABLED).']]);
  assert.deepEqual(said('NEW_WORD'), [['name', 'O modelo não está aprovado (NEW_WORD).']]);
});

test('a template with a part that the service cannot fill is refused (D284)', () => {
  const parts = [
    [{ type: 'CAROUSEL', cards: [] }, 'CAROUSEL'],
    [{ type: 'LIMITED_TIME_OFFER' }, 'LIMITED_TIME_OFFER'],
    [{ type: 'HEADER', format: 'LOCATION' }, 'HEADER LOCATION'],
    [{ type: 'HEADER', format: 'PRODUCT' }, 'HEADER PRODUCT'],
    [{ type: 'BUTTONS', buttons: [{ type: 'FLOW', text: 'Abrir' }] }, 'BUTTON FLOW'],
    [{ type: 'BUTTONS', buttons: [{ type: 'CATALOG', text: 'Ver' }] }, 'BUTTON CATALOG'],
  ] as const;
  for (const [part, word] of parts) {
    assert.deepEqual(issues(found([BODY, part]), asked({ body: ['Ana', '77'] })), [
      ['name', `O modelo tem uma parte que o serviço não preenche (${word}).`],
    ]);
  }
});

test('values of the body are refused at their paths (D284)', () => {
  const at = (values: Values) => paths(found([BODY]), asked(values));
  assert.deepEqual(at({}), ['body']);
  assert.deepEqual(at({ body: ['Ana'] }), ['body.1']);
  assert.deepEqual(at({ body: ['Ana', '77', 'x'] }), ['body.2']);
  assert.deepEqual(at({ body: { nome: 'Ana' } }), ['body']);
  assert.deepEqual(at({ body: ['Ana', ''] }), ['body.1']);
  assert.deepEqual(at({ body: ['A\nna', 'a\tb'] }), ['body.0', 'body.1']);
  assert.deepEqual(at({ body: ['A     na', '77'] }), ['body.0']);
  assert.deepEqual(at({ body: ['Ana', 'x'.repeat(1024)] }), ['body']);
  const named = (body: NonNullable<Values['body']>) =>
    paths(found([NAMED_BODY], { named: true }), asked({ body }));
  assert.deepEqual(named({ nome: 'Ana' }), ['body.data']);
  assert.deepEqual(named({ nome: 'Ana', data: '3', hora: '4' }), ['body.hora']);
  assert.deepEqual(named(['Ana', '3']), ['body']);
  const none = found([{ type: 'BODY', text: 'Oi.' }]);
  assert.deepEqual(paths(none, asked({ body: ['x'] })), ['body.0']);
  assert.ok('message' in checkTemplate(none, asked({ body: [] })));
});

test('a body is as long as its text with the values is (D284)', () => {
  const fixed = 'Oi , seu pedido  saiu.'.length;
  const longest = 'x'.repeat(1024 - fixed - 1);
  assert.ok('message' in checkTemplate(found([BODY]), asked({ body: ['A', longest] })));
  assert.deepEqual(issues(found([BODY]), asked({ body: ['Ab', longest] })), [
    ['body', 'Com as variáveis, pode ter no máximo 1024 caracteres, e tem 1025.'],
  ]);
});

test('a header asks for its text or for a file of its kind (D284)', () => {
  const text = found([
    { type: 'HEADER', format: 'TEXT', text: 'Pedido {{1}}', example: { header_text: ['7'] } },
  ]);
  assert.deepEqual(paths(text, asked({})), ['header']);
  assert.deepEqual(paths(text, asked({}, 'image')), ['header']);
  assert.deepEqual(paths(text, asked({ header: { text: 'a\nb' } })), ['header.text']);
  assert.deepEqual(paths(text, asked({ header: { text: 'x'.repeat(54) } })), ['header.text']);
  assert.ok('message' in checkTemplate(text, asked({ header: { text: 'x'.repeat(53) } })));
  const fixed = found([{ type: 'HEADER', format: 'TEXT', text: 'Olá' }]);
  assert.deepEqual(paths(fixed, asked({ header: { text: 'x' } })), ['header.text']);
  assert.deepEqual(paths(fixed, asked({}, 'file')), ['header']);
  const image = found([IMAGE]);
  assert.deepEqual(paths(image, asked({})), ['header']);
  assert.deepEqual(paths(image, asked({ header: { text: 'x' } })), ['header.text']);
  const video: AskedTemplate = { ...asked({}, 'video'), attachedAt: 'header.mediaUrl' };
  assert.deepEqual(issues(image, video), [
    ['header.mediaUrl', 'O cabeçalho do modelo deve ser uma imagem.'],
  ]);
  for (const attached of ['image', 'file'] as const) {
    assert.ok('message' in checkTemplate(image, asked({}, attached)));
  }
});

test('values of buttons are refused at their paths (D284)', () => {
  const buttons = found([
    {
      type: 'BUTTONS',
      buttons: [
        { type: 'QUICK_REPLY', text: 'Sim' },
        URL_BUTTON,
        { type: 'PHONE_NUMBER', text: 'Ligar', phone_number: '+551130000000' },
        { type: 'COPY_CODE', text: 'Copiar', example: ['A1'] },
      ],
    },
  ]);
  const both = [
    { index: 1, value: 'abc' },
    { index: 3, value: 'A1' },
  ];
  const at = (given: Values['buttons']) => paths(buttons, asked(given ? { buttons: given } : {}));
  assert.deepEqual(issues(buttons, asked({})), [
    ['buttons', 'O modelo exige um valor para o botão 1 (Ver).'],
    ['buttons', 'O modelo exige um valor para o botão 3 (Copiar).'],
  ]);
  assert.deepEqual(at([...both, { index: 2, value: 'x' }]), ['buttons.2.index']);
  assert.deepEqual(at([...both, { index: 4, value: 'x' }]), ['buttons.2.index']);
  assert.deepEqual(at([...both, { index: 1, value: 'x' }]), ['buttons.2.index']);
  const checked = checkTemplate(buttons, asked({ buttons: [...both, { index: 0, value: 'sim' }] }));
  assert.deepEqual('message' in checked && checked.message.buttons, [
    { index: 0, type: 'quick_reply', value: 'sim' },
    { index: 1, type: 'url', value: 'abc' },
    { index: 3, type: 'copy_code', value: 'A1' },
  ]);
});

test('the button of a one-time code has the code of the body (D284)', () => {
  const code = found(ONE_TIME_CODE, { category: 'AUTHENTICATION' });
  assert.deepEqual(checkTemplate(code, asked({ body: ['123456'] })), {
    message: {
      name: 'pedido',
      language: 'pt_BR',
      body: [{ text: '123456' }],
      buttons: [{ index: 0, type: 'url', value: '123456' }],
    },
    text: '*123456* é seu código de verificação.\n\nO código expira em 5 minutos.',
  });
  const other = asked({ body: ['123456'], buttons: [{ index: 0, value: '654321' }] });
  assert.deepEqual(issues(code, other), [['buttons.0.value', 'Deve ser o mesmo código do corpo.']]);
  assert.ok('message' in checkTemplate(code, asked({ body: ['1'.repeat(15)] })));
  assert.deepEqual(issues(code, asked({ body: ['1'.repeat(16)] })), [
    ['body.0', 'Deve ter no máximo 15 caracteres.'],
  ]);
});

test('a message has its values by name, and a text with them filled (D284)', () => {
  const named = found(
    [
      {
        type: 'HEADER',
        format: 'TEXT',
        text: 'Para {{quem}}',
        example: { header_text_named_params: [{ param_name: 'quem', example: 'Ana' }] },
      },
      NAMED_BODY,
      { type: 'FOOTER', text: 'Até logo' },
    ],
    { named: true },
  );
  const body = { data: '{{nome}}', nome: 'Ana $& $1' };
  assert.deepEqual(checkTemplate(named, asked({ header: { text: 'Ana' }, body })), {
    message: {
      name: 'pedido',
      language: 'pt_BR',
      header: { text: 'Ana', parameter: 'quem' },
      body: [
        { text: 'Ana $& $1', parameter: 'nome' },
        { text: '{{nome}}', parameter: 'data' },
      ],
      buttons: [],
    },
    text: 'Para Ana\n\nOi Ana $& $1, até {{nome}}.\n\nAté logo',
  });
});

function check(
  lookedUp: FoundTemplate,
  values: Partial<TemplateValues>,
  attached: AskedTemplate['attached'] = null,
): CheckedTemplate {
  return checkTemplate(lookedUp, asked(values, attached));
}

function sentOf(checked: CheckedTemplate) {
  assert.ok('message' in checked, JSON.stringify(checked));
  return checked;
}

const refused = (path: string, message: string): CheckedTemplate => ({
  issues: [{ path, message }],
});
const TEXT_BODY = { type: 'BODY', text: 'Oi.' };

test('the values of a body of the other kind are refused, and the sentence says which kind it takes', () => {
  const numbers = 'As variáveis deste modelo têm números: informe uma lista, em ordem.';
  assert.deepEqual(check(found([BODY]), { body: { 1: 'Ana' } }), refused('body', numbers));
  const named = found([NAMED_BODY], { named: true });
  const names = 'As variáveis deste modelo têm nomes: informe um objeto com nome, data.';
  assert.deepEqual(check(named, { body: ['Ana', '3'] }), refused('body', names));
});

describe('the values of buttons', () => {
  const url = found([TEXT_BODY, { type: 'BUTTONS', buttons: [URL_BUTTON] }]);
  const copied = found([
    TEXT_BODY,
    { type: 'BUTTONS', buttons: [{ type: 'COPY_CODE', text: 'Copiar', example: ['A1'] }] },
  ]);

  test('are as long as the network takes them, counted in code points', () => {
    const rows = [
      [url, 2_000],
      [copied, 15],
    ] as const;
    for (const [lookedUp, max] of rows) {
      for (const char of ['x', '𝄞']) {
        const given = (chars: number) => [{ index: 0, value: char.repeat(chars) }];
        const { message } = sentOf(check(lookedUp, { buttons: given(max) }));
        assert.equal(message.buttons[0]?.value, char.repeat(max));
        const tooLong = refused('buttons.0.value', `Deve ter no máximo ${max} caracteres.`);
        assert.deepEqual(check(lookedUp, { buttons: given(max + 1) }), tooLong);
      }
    }
  });

  test('of a one-time code fill its link alone: a quick reply beside it stays as it is', () => {
    const [body = BODY, footer = BODY] = ONE_TIME_CODE;
    const buttons = [
      { type: 'QUICK_REPLY', text: 'Não fui eu' },
      { type: 'OTP', text: 'Copiar' },
    ];
    const code = found([body, footer, { type: 'BUTTONS', buttons }], {
      category: 'AUTHENTICATION',
    });
    const link = { index: 1, type: 'url', value: '123456' };
    assert.deepEqual(sentOf(check(code, { body: ['123456'] })).message.buttons, [link]);
    const given = [{ index: 0, value: 'nao' }];
    const both = sentOf(check(code, { body: ['123456'], buttons: given })).message.buttons;
    assert.deepEqual(both, [{ index: 0, type: 'quick_reply', value: 'nao' }, link]);
  });
});

test('the parts of a text that are empty leave no blank line', () => {
  const header = { type: 'HEADER', format: 'TEXT', text: 'Olá' };
  const footer = { type: 'FOOTER', text: 'Até logo' };
  assert.equal(sentOf(check(found([header, footer]), {})).text, 'Olá\n\nAté logo');
  assert.equal(sentOf(check(found([IMAGE]), {}, 'image')).text, '');
  assert.equal(sentOf(check(found([IMAGE, TEXT_BODY]), {}, 'image')).text, 'Oi.');
});

test('a header of a place takes no value and has no problem of its own', () => {
  const form = readTemplateForm(template([{ type: 'HEADER', format: 'LOCATION' }, TEXT_BODY]));
  const asked = { form, text: undefined, attached: null, attachedAt: 'header' };
  assert.deepEqual(headerIssues(asked), []);
});

type Component = NetworkTemplate['components'][number];
type Changed = { readonly values: TemplateValues; readonly attached: AskedTemplate['attached'] };

interface Case {
  readonly template: NetworkTemplate;
  readonly asked: Changed;
  readonly names: readonly string[];
}

interface Mutation {
  readonly path: string;
  readonly asked: Changed;
}

const NAMES = ['nome', 'data', 'hora', 'loja', 'valor'];
const FILES = ['image', 'video', 'document'] as const;
const VALUE = fc
  .stringMatching(/^[a-zA-Zé0-9][a-zA-Zé0-9 ]{0,8}$/)
  .filter((text) => !/ {5}/.test(text));
const BUTTONS: Readonly<Record<string, Component>> = {
  url: { type: 'URL', text: 'Ver', url: 'https://x.example/{{1}}' },
  fixed: { type: 'URL', text: 'Ver', url: 'https://x.example/' },
  phone: { type: 'PHONE_NUMBER', text: 'Ligar', phone_number: '+551130000000' },
  reply: { type: 'QUICK_REPLY', text: 'Sim' },
  code: { type: 'COPY_CODE', text: 'Copiar', example: ['A1'] },
};

function headerComponents(kind: string, name: string): readonly Component[] {
  if (kind === 'none') return [];
  if (kind === 'fixed') return [{ type: 'HEADER', format: 'TEXT', text: 'Olá' }];
  if (kind === 'text') return [{ type: 'HEADER', format: 'TEXT', text: `Olá {{${name}}}` }];
  return [{ type: 'HEADER', format: kind.toUpperCase() }];
}

const CASES: fc.Arbitrary<Case> = fc
  .record({
    named: fc.boolean(),
    header: fc.constantFrom('none', 'fixed', 'text', ...FILES),
    values: fc.array(VALUE, { maxLength: NAMES.length }),
    text: VALUE,
    footer: fc.boolean(),
    buttons: fc.array(fc.constantFrom(...Object.keys(BUTTONS)), { maxLength: 4 }),
  })
  .map(({ named, header, values, text, footer, buttons }) => {
    const names = values.map((_, index) => (named ? (NAMES[index] ?? '') : `${index + 1}`));
    const components: readonly Component[] = [
      ...headerComponents(header, named ? 'quem' : '1'),
      { type: 'BODY', text: ['Corpo', ...names.map((name) => `{{${name}}}`)].join(' e ') },
      ...(footer ? [{ type: 'FOOTER', text: 'Rodapé' }] : []),
      ...(buttons.length > 0
        ? [{ type: 'BUTTONS', buttons: buttons.map((each) => BUTTONS[each]) }]
        : []),
    ];
    const body = named
      ? Object.fromEntries(names.map((name, index) => [name, values[index] ?? '']))
      : values;
    const given = buttons.flatMap((kind, index) =>
      kind === 'fixed' || kind === 'phone' ? [] : [{ index, value: 'a1' }],
    );
    return {
      template: template(components, { named }),
      names,
      asked: {
        values: {
          name: 'pedido',
          language: 'pt_BR',
          body,
          ...(header === 'text' ? { header: { text } } : {}),
          ...(given.length > 0 ? { buttons: given } : {}),
        },
        attached: FILES.find((each) => each === header) ?? null,
      },
    };
  });

function bodyMutations({ asked, names }: Case): readonly Mutation[] {
  const { body = [], ...others } = asked.values;
  const changed = (path: string, changedBody: NonNullable<TemplateValues['body']>): Mutation => ({
    path,
    asked: { ...asked, values: { ...asked.values, body: changedBody } },
  });
  const last = names.at(-1);
  if (last === undefined) {
    return [changed('body.0', ['x']), changed('body.outra', { outra: 'x' })];
  }
  const missing = { path: 'body', asked: { ...asked, values: others } };
  if (Array.isArray(body)) {
    const end = body.length - 1;
    return [
      missing,
      changed(`body.${end}`, body.slice(0, -1)),
      changed(`body.${end + 1}`, [...body, 'x']),
      changed(`body.${end}`, body.with(end, 'a\nb')),
      changed(`body.${end}`, body.with(end, '')),
      changed('body', body.with(end, 'x'.repeat(1025))),
      changed('body', { [last]: 'x' }),
    ];
  }
  const without = Object.fromEntries(Object.entries(body).filter(([name]) => name !== last));
  return [
    missing,
    changed(`body.${last}`, without),
    changed('body.outra', { ...body, outra: 'x' }),
    changed(`body.${last}`, { ...body, [last]: 'a      b' }),
    changed('body', { ...body, [last]: 'x'.repeat(1025) }),
    changed('body', Object.values(body)),
  ];
}

function headerMutations({ asked }: Case): readonly Mutation[] {
  const { header, ...others } = asked.values;
  const withText = (text: string): TemplateValues => ({ ...others, header: { text } });
  if (header) {
    return [
      { path: 'header', asked: { ...asked, values: others } },
      { path: 'header', asked: { ...asked, attached: 'image' } },
      { path: 'header.text', asked: { ...asked, values: withText('a\tb') } },
      { path: 'header.text', asked: { ...asked, values: withText('x'.repeat(57)) } },
    ];
  }
  const text = { path: 'header.text', asked: { values: withText('x'), attached: null } };
  if (asked.attached === null) {
    return [text, { path: 'header', asked: { ...asked, attached: 'file' } }];
  }
  return [
    text,
    { path: 'header', asked: { ...asked, attached: null } },
    { path: 'header', asked: { ...asked, attached: 'audio' } },
  ];
}

function buttonMutations({ template: { components }, asked }: Case): readonly Mutation[] {
  const { buttons: given = [] } = asked.values;
  const declared = components.find(({ type }) => type === 'BUTTONS')?.buttons;
  const count = Array.isArray(declared) ? declared.length : 0;
  const changed = (path: string, buttons: TemplateValues['buttons']): Mutation => ({
    path,
    asked: { ...asked, values: { ...asked.values, ...(buttons ? { buttons } : {}) } },
  });
  const first = given[0];
  const beyond = changed(`buttons.${given.length}.index`, [...given, { index: count, value: 'x' }]);
  if (!first) return [beyond];
  return [
    beyond,
    changed(`buttons.${given.length}.index`, [...given, first]),
    changed('buttons.0.value', [{ ...first, value: '' }, ...given.slice(1)]),
  ];
}

test('values that match their template are accepted, and every variable is filled (D284)', () => {
  forAll([CASES], ({ template: listed, asked }) => {
    const checked = checkTemplate({ found: true, template: listed }, asked);
    assert.ok('message' in checked, JSON.stringify(checked));
    assert.ok(!checked.text.includes('{{'), checked.text);
    assert.ok(checked.text.includes('Corpo'), checked.text);
  });
});

test('a single change of matching values is refused at its path (D284)', () => {
  forAll([CASES], (each) => {
    const mutations = [...bodyMutations(each), ...headerMutations(each), ...buttonMutations(each)];
    for (const { path, asked } of mutations) {
      const checked = checkTemplate({ found: true, template: each.template }, asked);
      assert.ok('issues' in checked, `accepted: ${JSON.stringify(asked)}`);
      assert.deepEqual(
        checked.issues.map((issue) => issue.path),
        [path],
        JSON.stringify(asked),
      );
    }
  });
});
