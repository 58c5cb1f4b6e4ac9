/** Variables of templates that can have no value, and those that may (docs/flows.md, Templates). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Answers } from '../../../../../actors/domain/flow/scope.ts';
import { indexOr, variableProblem } from '../../../../../actors/domain/flow/variables.ts';
import { tell } from '../../../../../infra/programs/cli/service/problem-sentences.ts';
import { variablesOf } from '../../../../../shared/liquid/template.ts';

const ANSWERS: Answers = new Map([
  ['day', 'text'],
  ['order', 'any'],
]);

function problems(template: string, answers = ANSWERS): readonly string[] {
  return variablesOf(template)
    .flatMap((path) => variableProblem(path, answers) ?? [])
    .map(tell);
}

const GOOD = [
  '{{contact.id}}{{contact.phone}}{{contact.name}}{{contact.email}}{{contact.optIn}}',
  '{{contact.fields.anything.at.all}} {{contact.fields["two words"]}} {{contact.fields[org.name]}}',
  '{{contact.firstAd.sourceId}}{{contact.firstAd.clickId}}{% if contact.firstAd %}{{contact.firstAd.at}}{% endif %}',
  '{{contact.tags}}{{contact.tags[0]}}{{contact.tags.first}}{{contact.tags.size}}',
  '{{conversation.id}}{{conversation.channelId}}{{conversation.status}}{{conversation.assignedTo}}',
  '{{conversation.lastMessage}}{{conversation.createdAt}}{{org.name}}{{org.timeZone}}{{now}}',
  '{{answers.day}}{{answers.day.size}}{{answers.order}}{{answers.order.items[0].name}}',
  '{{chosen.day}}{{chosen.day.size}}{{chosen[contact.name]}}{{chosen["order"]}}',
  '{{answers[contact.name]}}{{answers["order"].total}}{{contact["name"]}}',
  '{% assign x = contact.name %}{{x}}{{x.y}}{% capture z %}{{now}}{% endcapture %}{{z}}',
  '{% for tag in contact.tags offset: continue %}{{tag}}{{forloop.index}}{% endfor %}',
  '{% increment n %}{{n}} {% for i in (1..3) %}{{i}}{% endfor %}{% if contact.name == blank %}{% endif %}',
  '{% raw %}{{nothing}}{% endraw %}{% comment %}{{nobody}}{% endcomment %}',
  '{{ "now" | date: "%Y" }}{{ contact.name | default: "você" }}',
] as const;

const BAD: readonly (readonly [string, RegExp])[] = [
  [
    '{{contact.nme}}',
    /no variable "contact\.nme"; there are: contact\.id, .*; did you mean "contact\.name"\?$/,
  ],
  ['{{nme}}', /no variable "nme"; there are: contact, conversation, org, now, answers, chosen$/],
  ['{{name}}', /did you mean "contact\.name"\?$/],
  ['{{contato.name}}', /no variable "contato"; .*did you mean "contact"\?$/],
  [
    '{{contact.name.first}}',
    /no variable "contact\.name\.first": nothing lies in "contact\.name"$/,
  ],
  ['{{contact.tags.vip}}', /nothing lies in "contact\.tags"/],
  [
    '{{answers.dya}}',
    /no variable "answers\.dya"; there are: answers\.day, answers\.order; did you mean "answers\.day"\?$/,
  ],
  ['{{chosen.dya}}', /there are: chosen\.day, chosen\.order; did you mean "chosen\.day"\?$/],
  ['{{chosen.order.total}}', /nothing lies in "chosen\.order"/],
  ['{{answers.day.hour}}', /nothing lies in "answers\.day"/],
  ['{% if org.nam == "x" %}{% endif %}', /did you mean "org\.name"/],
  ['{% for x in contact.tag %}{{x}}{% endfor %}', /did you mean "contact\.tags"/],
  ['{{ contact.name | append: org.zone }}', /no variable "org\.zone"/],
  ['{{ answers[contact.nme] }}', /no variable "contact\.nme"/],
  ['{{contact.constructor}}', /no variable "contact\.constructor"/],
  ['{{constructor}}', /no variable "constructor"/],
];

describe('variables of templates', () => {
  for (const template of GOOD) {
    it(`takes ${template}`, () => assert.deepEqual(problems(template), []));
  }
  for (const [template, words] of BAD) {
    it(`finds what ${template} names in vain`, () => {
      const found = problems(template);
      assert.equal(found.length, 1, found.join('\n'));
      assert.match(found[0] ?? '', words);
    });
  }

  it('knows that a flow without answers has none', () => {
    const [problem] = problems('{{answers.day}}', new Map());
    assert.equal(problem, 'names no variable "answers.day"; there are none');
  });

  it('says nothing of a template that cannot be read', () => {
    assert.deepEqual(variablesOf('{{contact.nme'), []);
  });
});

describe('a part of an answer’s path', () => {
  const table = [
    ['0', 0],
    ['12', 12],
    ['items', 'items'],
    ['a1', 'a1'],
    ['1a', '1a'],
    ['1a1', '1a1'],
    ['', ''],
  ] as const;
  for (const [written, expected] of table) {
    it(`"${written}" is ${JSON.stringify(expected)}`, () => {
      assert.equal(indexOr(written), expected);
    });
  }
});

describe('parts of lists and texts', () => {
  it('are the first and the last of a list, and any by its index', () => {
    const template = '{{contact.tags.first}}{{contact.tags.last}}{{contact.tags[7]}}';
    assert.deepEqual(problems(template), []);
  });

  it('are the letters of a text by their index, but none by a name', () => {
    assert.deepEqual(problems('{{contact.name[0]}}{{answers.day[0]}}'), []);
    for (const part of ['first', 'last']) {
      const sentence = `names no variable "contact.name.${part}": nothing lies in "contact.name"`;
      assert.deepEqual(problems(`{{contact.name.${part}}}`), [sentence]);
    }
  });
});
