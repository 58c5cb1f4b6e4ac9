/** Values of a template at the edges of what its components take (D284). */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { headerIssues } from '../../../../actors/domain/template/header.ts';
import {
  type AskedTemplate,
  type CheckedTemplate,
  checkTemplate,
  type FoundTemplate,
} from '../../../../actors/domain/template.ts';
import type { TemplateValues } from '../../../../shared/message-content.ts';
import { readTemplateForm } from '../../../../shared/template-form.ts';
import {
  BODY,
  found,
  NAMED_BODY,
  ONE_TIME_CODE,
  template,
} from '../../../support/actors/domain/template-fixture.ts';

function check(
  lookedUp: FoundTemplate,
  values: Partial<TemplateValues>,
  attached: AskedTemplate['attached'] = null,
): CheckedTemplate {
  return checkTemplate(lookedUp, {
    values: { name: 'pedido', language: 'pt_BR', ...values },
    attached,
  });
}

function sentOf(checked: CheckedTemplate) {
  assert.ok('message' in checked, JSON.stringify(checked));
  return checked;
}

const refused = (path: string, message: string): CheckedTemplate => ({
  issues: [{ path, message }],
});
const TEXT_BODY = { type: 'BODY', text: 'Oi.' };

describe('the values of a body', () => {
  test('of the other kind are refused, and the sentence says which kind it takes', () => {
    assert.deepEqual(
      check(found([BODY]), { body: { 1: 'Ana', 2: '77' } }),
      refused('body', 'As variáveis deste modelo têm números: informe uma lista, em ordem.'),
    );
    assert.deepEqual(
      check(found([NAMED_BODY], { named: true }), { body: ['Ana', '3'] }),
      refused('body', 'As variáveis deste modelo têm nomes: informe um objeto com nome, data.'),
    );
  });
});

describe('the values of buttons', () => {
  const button = {
    ...{ type: 'URL', text: 'Ver', url: 'https://x.example/{{1}}' },
    example: ['https://x.example/7'],
  };
  const url = found([TEXT_BODY, { type: 'BUTTONS', buttons: [button] }]);
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
        assert.deepEqual(
          check(lookedUp, { buttons: given(max + 1) }),
          refused('buttons.0.value', `Deve ter no máximo ${max} caracteres.`),
        );
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

describe('the parts of a text', () => {
  test('that are empty leave no blank line', () => {
    const header = { type: 'HEADER', format: 'TEXT', text: 'Olá' };
    const footer = { type: 'FOOTER', text: 'Até logo' };
    assert.equal(sentOf(check(found([header, footer]), {})).text, 'Olá\n\nAté logo');
    const image = { type: 'HEADER', format: 'IMAGE', example: { header_handle: ['a'] } };
    assert.equal(sentOf(check(found([image]), {}, 'image')).text, '');
    assert.equal(sentOf(check(found([image, TEXT_BODY]), {}, 'image')).text, 'Oi.');
  });
});

test('a header of a place takes no value and has no problem of its own', () => {
  const form = readTemplateForm(template([{ type: 'HEADER', format: 'LOCATION' }, TEXT_BODY]));
  const asked = { form, text: undefined, attached: null, attachedAt: 'header' };
  assert.deepEqual(headerIssues(asked), []);
});
