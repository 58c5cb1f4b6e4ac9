/** Each sentence that a page gets in English has a translation, whichever values it has. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDocument, type YAMLParseError } from 'yaml';
import type { Reference } from '../../../../../actors/domain/flow/references.ts';
import { translator } from '../../../../../gateway/panel/browser/base/translator.ts';
import { sentenceOf } from '../../../../../gateway/panel/browser/flows/problems.ts';
import {
  PROBLEM_SENTENCES,
  YAML_SENTENCES,
} from '../../../../../gateway/panel/browser/sentences/problems.ts';
import { parse, readTexts } from '../../../../../infra/tools/source.ts';
import { unknownName } from '../../../../../shared/provisioning/nearest.ts';
import { sentencesIn } from './sentences-in.ts';

const PROBLEM_FILES = [
  ...['', '-conditions', '-content', '-graph', '-send', '-steps', '-triggers', '-values'].map(
    (part) => `shared/provisioning/flow${part}.ts`,
  ),
  ...['nearest', 'values'].map((name) => `shared/provisioning/${name}.ts`),
  'actors/domain/organization/check-flows.ts',
  'actors/domain/flow/variables.ts',
  'actors/domain/organization/context.ts',
  'infra/programs/cli/known-names.ts',
  'infra/programs/cli/provisioning-text.ts',
];
/** Parts of sentences, places, and words of the schema: the tests below have whole sentences. */
const PARTS = new Set([
  'flow "{}", {}',
  'flow "{}"',
  'step {}',
  'number {}',
  'names no {} "{}"',
  ' and {} more',
  '{} ({}, line {}, column {})',
  "{} (new ones are declared in the organization's tags)",
  'IANA time zone',
  'button or row',
]);

/** A piece of a sentence has its joint at its begin; its holes may be empty at their end. */
function piecesOf(sentence: string): readonly string[] {
  return sentence
    .split('; ')
    .map((piece) => piece.replace(/(?<=["\w])(\{\})+$/, '').replace(/^(\{\})+$/, ''))
    .filter((piece) => piece !== '' && !PARTS.has(piece));
}

function untranslated(
  paths: readonly string[],
  translate: (text: string) => string | null,
): readonly string[] {
  const sources = parse(readTexts().filter(({ path }) => paths.includes(path)));
  assert.equal(sources.length, paths.length);
  return sources
    .flatMap(sentencesIn)
    .filter((sentence) => translate(sentence) === null)
    .flatMap(piecesOf)
    .map((piece) => piece.replaceAll('{}', 'x1'))
    .filter((piece) => translate(piece) === null);
}

test('the problems of a flow', () => {
  const translate = translator(PROBLEM_SENTENCES);
  const left = untranslated(PROBLEM_FILES, (text) =>
    // The name of the text is the editor's own.
    translate(text.replace('x1 repeats', 'the flow repeats').replace('x1 is', 'the flow is')),
  );
  assert.deepEqual(left, []);
});

test('each code of the YAML parser', () => {
  YAML_SENTENCES satisfies Readonly<Record<YAMLParseError['code'], string>>;
  const [error] = parseDocument('steps: [').errors;
  assert.ok(error);
  const message = `${error.message}; the file ends there: is it whole?`;
  assert.match(sentenceOf({ message, code: error.code }) ?? '', /^recuo errado.*; o texto acaba/);
});

test('places, names and suggestions stand in one sentence', () => {
  const ofTags = " (new ones are declared in the organization's tags)";
  const outOfTags = ' (as novas são declaradas nas etiquetas da organização)';
  const out = 'opting in leads to a next step; opting out ends the flow: say goodbye before it';
  for (const [message, sentence] of [
    [
      'flow "plans", step "ask", next: no step has the id "heer"; did you mean "hear"?',
      'Etapa “ask”, next: nenhuma etapa tem o id “heer”; seria “hear”?',
    ],
    [
      `flow "plans", triggers.0.tag: names no tag "vip"; there are: a, b and 3 more${ofTags}`,
      `triggers.0.tag: não há etiqueta “vip”; existem: a, b e mais 3${outOfTags}`,
    ],
    [
      'flow "plans", step "ask", text: names no variable "a.b": nothing lies in "a"',
      'Etapa “ask”, text: não há variável “a.b”: “a” não tem partes',
    ],
    [
      `flow "plans", step "opt", next: ${out}`,
      'Etapa “opt”, next: o opt-in leva a uma próxima etapa; o opt-out termina o fluxo: despeça-se antes dele',
    ],
    [
      'flow "plans", step number 3, do: is required: one of send, wait',
      'Etapa de índice 3, do: falta: um de send, wait',
    ],
    ['flow "plans", step "ask", next: something else', null],
    [
      'flow "plans", step "ask", text: is no template: tag "if2" not found, line:1, col:1',
      'Etapa “ask”, text: não é um modelo Liquid: a tag “if2” não existe, line:1, col:1',
    ],
    ['names no tag "a; b"; there are none', 'não há etiqueta “a; b”; não há nenhum'],
  ] as const) {
    assert.equal(sentenceOf({ message }), sentence);
  }
});

test('each kind of name has a sentence of its own', () => {
  const kinds = ['member', 'file', 'flow', 'tag', 'stage', 'channel'] as const;
  const words = [...kinds, 'button or row'];
  kinds satisfies readonly (Reference['kind'] | 'channel')[];
  for (const kind of words) {
    for (const known of [[], ['loja'], Array.from({ length: 30 }, (_, index) => `loja${index}`)]) {
      assert.ok(sentenceOf({ message: unknownName(kind, 'lojja', known) }) !== null, kind);
    }
  }
});
