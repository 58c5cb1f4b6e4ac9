/**
 * No single part of a template is long within the budget: between parts alone is the time compared
 * with its limit. What was rendered for a minute, or for ever, is refused in milliseconds.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Budget } from '../../../../shared/liquid/budget.ts';
import { renderTemplate } from '../../../../shared/liquid/template.ts';

function rendered(source: string) {
  const budget = new Budget();
  const answers = { shop: { items: [{ id: '1', name: 'café' }, { id: '2' }] }, text: 'sim, quero' };
  const org = { name: 'Loja', timeZone: 'America/Sao_Paulo' };
  const now = '2026-01-02T03:04:05.000Z';
  const scope = { contact: { tags: ['a', 'b'] }, conversation: {}, org, answers, chosen: {}, now };
  return { ...renderTemplate(source, { ...scope, budget }), spent: budget.spent };
}

const NONE = '{% assign none = "" | split: "" %}';
/** A list of 4 to the power of `depth` items, in the memory of few. */
const nested = (name: string, depth = 10) =>
  `${NONE}{% assign ${name} = none %}${`{% assign ${name} = none${` | push: ${name}`.repeat(4)} %}`.repeat(depth)}`;
/** A text of `times` to the power of two. */
const grown = (text: string, doubled: number) =>
  `{% assign s = "${text}" %}${'{% assign s = s | append: s %}'.repeat(doubled)}`;
const LISTS = '{% assign l = (1..9000) %}{% assign m = (1..9000) %}';
const TEXTS = `${grown('a', 14)}{% assign p = s | slice: 0, 2000 | prepend: "ab" %}`;

describe('refused within the budget', () => {
  const table: Readonly<Record<string, string>> = {
    'a list within lists, as output of nothing': `${nested('m')}{{ m }}`,
    'the same, compared': `${nested('m', 7)}${nested('n', 7)}{% if m == n %}{% endif %}`,
    'the same, through groups': `${NONE}{% assign m = none | push: "a" %}${'{% assign l = none | push: m | push: m | push: m %}{% assign m = l | group_by: "x" | map: "items" %}'.repeat(9)}{{ m | size }}`,
    'an expression for each item': `${grown('i and i and ', 11)}{% assign s = s | append: "i" %}{% assign l = (1..100) | where_exp: "i", s %}`,
    'a path for each item': `${grown('a.a.a.', 11)}{% assign s = s | append: "a" %}{% assign l = (1..100) | where: s %}`,
    'lists compared often in one part': `${LISTS}{% if ${'l == m and '.repeat(9)}true %}{% endif %}`,
    'a list compared with each case': `${LISTS}{% case l %}${'{% when m %}'.repeat(9)}{% endcase %}`,
    'a list as the name of a property': `${LISTS}{% if ${'contact[l] or '.repeat(9)}true %}{% endif %}`,
    'a long text searched for in a longer one': `${TEXTS}{% if ${'s contains p or '.repeat(9)}true %}{% endif %}`,
    'a long text that splits a longer one': `${TEXTS}${'{% assign x = s | split: p %}'.repeat(3)}`,
    'long texts in a list': `${grown('a', 13)}{% assign l = s | split: "," %}${'{% assign l = l | concat: l %}'.repeat(8)}{% assign x = l | plus: 1 %}`,
  };
  for (const [name, source] of Object.entries(table)) {
    it(name, () => {
      const found = rendered(source);
      assert.ok('failed' in found, JSON.stringify(found).slice(0, 200));
      assert.match(found.failed, /^over budget/);
    });
  }
});

describe('usual templates spend little', () => {
  const table: readonly (readonly [string, string, number])[] = [
    ['{{ answers.shop.items | where: "id", "1" | map: "name" | join: ", " }}', 'café', 40],
    ['{% case answers.text %}{% when "sim, quero" %}a{% else %}b{% endcase %}', 'a', 30],
    ['{% if contact.tags contains "b" and answers.text contains "sim" %}a{% endif %}', 'a', 30],
    ['{{ answers.shop.items | where_exp: "i", "i.id > 1" | size }}', '1', 30],
    ['{{ answers.text | replace: ",", ";" }}', 'sim; quero', 20],
  ];
  for (const [source, text, most] of table) {
    it(source, () => {
      const found = rendered(source);
      assert.equal('text' in found ? found.text : found.failed, text);
      assert.ok(found.spent <= most, `${found.spent} units`);
    });
  }
});
