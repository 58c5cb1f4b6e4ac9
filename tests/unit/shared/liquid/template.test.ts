import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Budget } from '../../../../shared/liquid/budget.ts';
import {
  renderTemplate,
  type TemplateScope,
  templateProblem,
} from '../../../../shared/liquid/template.ts';

const VARIABLES = {
  contact: { name: 'Ana', fields: { plano: 'ouro' }, tags: ['a', 'b'] },
  conversation: {},
  org: { name: 'Loja', timeZone: 'America/Sao_Paulo' },
  answers: { at: '2020-05-06T01:00:00Z', shop: { items: [{ name: 'café' }] } },
  chosen: {},
  now: '2026-01-02T03:04:05.000Z',
} satisfies Omit<TemplateScope, 'budget'>;

function rendered(source: string, budget = new Budget()) {
  return renderTemplate(source, { ...VARIABLES, budget });
}

function said(source: string): string {
  const found = rendered(source);
  assert.ok('text' in found, JSON.stringify(found));
  return found.text;
}

describe('dates', () => {
  const table: readonly (readonly [string, string])[] = [
    // Local times are the organization's, in Portuguese, in its everyday format.
    ['{{ "now" | date }}', '02/01/2026 00:04'],
    ['{{ "today" | date: "%d/%m" }}', '02/01'],
    ['{{ "now" | date: "%A, %B" }}', 'sexta-feira, janeiro'],
    // A zone that the template names.
    ['{{ "now" | date: "%H:%M", "UTC" }}', '03:04'],
    ['{{ "now" | date: "%H:%M", "Asia/Tokyo" }}', '12:04'],
    // Another moment than the present one.
    ['{{ answers.at | date: "%Y-%m-%d %H" }}', '2020-05-05 22'],
    ['{{ answers.at | date: "%Y-%m-%d %H", "UTC" }}', '2020-05-06 01'],
  ];
  for (const [source, expected] of table) {
    it(`${source} is ${expected}`, () => assert.equal(said(source), expected));
  }

  it('every filter of dates takes `now` for the moment that is given', () => {
    for (const now of ['now', 'today']) {
      assert.match(said(`{{ "${now}" | date_to_xmlschema }}`), /^2026-01-0[12]T/);
      assert.match(said(`{{ "${now}" | date_to_rfc822 }}`), /0[12] Jan 2026/);
      assert.match(said(`{{ "${now}" | date_to_string }}`), /^0[12] jan\. 2026$/);
      assert.match(said(`{{ "${now}" | date_to_long_string }}`), /^0[12] janeiro 2026$/);
    }
    assert.match(said('{{ "now" | date_to_string: "ordinal", "US" }}'), /^jan\. \d\w\w, 2026$/);
    assert.match(said('{{ answers.at | date_to_xmlschema }}'), /^2020-05-0/);
  });
});

describe('what is taken away', () => {
  it('tags that read other templates, and chance, are found by `apply` already', () => {
    for (const tag of ['include', 'render', 'layout']) {
      assert.match(templateProblem(`{% ${tag} "x" %}`) ?? '', /not found/, tag);
    }
    assert.match(templateProblem('{% block a %}{% endblock %}') ?? '', /not found/);
    assert.match(templateProblem('{{ contact.name | sample }}') ?? '', /undefined filter/);
    assert.equal(templateProblem('{{ contact.name | upcase }}'), null);
  });

  it('a problem is one line, the reason first', () => {
    const problem = templateProblem('a\n{{ contact.name | shout }}\nb') ?? '';
    assert.match(problem, /^undefined filter: shout, line:2/);
    assert.ok(!problem.includes('\n'));
    assert.deepEqual(rendered('{{ contact.name | shout }}'), {
      failed: 'undefined filter: shout, line:1, col:1',
    });
  });

  it('a template of 10,000 characters is read, whatever they are; no longer one', () => {
    assert.equal(said('👍'.repeat(10_000)).length, 20_000);
    assert.ok('failed' in rendered('x'.repeat(20_001)));
  });
});

describe('templates', () => {
  const table: readonly (readonly [string, string])[] = [
    ['Olá {{contact.name}}, {{contact.fields.plano | upcase}}', 'Olá Ana, OURO'],
    ['{{answers.shop.items[0].name}}{{answers.none}}', 'café'],
    ['{{ "now" | date: "%d/%m %H:%M" }}', '02/01 00:04'],
    ['{% assign now = 5 %}{{ "today" | date: "%Y", "UTC" }}', '2026'],
    ['{{ contact.constructor }}{{ contact.__proto__ }}{{ contact.fields.toString }}', ''],
    ['{% for tag in contact.tags %}{{tag}}{% endfor %}', 'ab'],
  ];
  for (const [source, expected] of table) {
    it(`${source} says "${expected}"`, () => {
      assert.equal(said(source), expected);
      assert.equal(said(source), expected, 'and again');
    });
  }

  for (const source of [
    '{% for i in (1..99999999) %}x{% endfor %}',
    '{% for i in (1..9999) %}{% for j in (1..9999) %}{% for k in (1..9999) %}{% endfor %}{% endfor %}{% endfor %}',
    '{{ contact.tags | sample }}',
    '{% render "x" %}',
    '{% layout "x" %}',
  ]) {
    it(`${source} fails as a value`, () => {
      assert.ok('failed' in rendered(source));
    });
  }
});
