import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type AskedTemplate, checkTemplate } from '../../../../actors/domain/template.ts';
import type { TemplateValues } from '../../../../shared/message-content.ts';
import type { NetworkTemplate } from '../../../../shared/ports/network.ts';
import { template } from '../../../support/actors/domain/template-fixture.ts';

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
  fc.assert(
    fc.property(CASES, ({ template: listed, asked }) => {
      const checked = checkTemplate({ found: true, template: listed }, asked);
      assert.ok('message' in checked, JSON.stringify(checked));
      assert.ok(!checked.text.includes('{{'), checked.text);
      assert.ok(checked.text.includes('Corpo'), checked.text);
    }),
  );
});

test('a single change of matching values is refused at its path (D284)', () => {
  fc.assert(
    fc.property(CASES, (each) => {
      const mutations = [
        ...bodyMutations(each),
        ...headerMutations(each),
        ...buttonMutations(each),
      ];
      for (const { path, asked } of mutations) {
        const checked = checkTemplate({ found: true, template: each.template }, asked);
        assert.ok('issues' in checked, `accepted: ${JSON.stringify(asked)}`);
        assert.deepEqual(
          checked.issues.map((issue) => issue.path),
          [path],
          JSON.stringify(asked),
        );
      }
    }),
  );
});
