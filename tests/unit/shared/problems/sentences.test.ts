/** Problems as codes: each language says the same of the same code. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDocument, type YAMLParseError } from 'yaml';
import { FINDINGS as PORTUGUESE } from '../../../../gateway/panel/browser/sentences/doctor.ts';
import { tell as tellInPortuguese } from '../../../../gateway/panel/browser/sentences/problems.ts';
import { sentenceOf as ofPage } from '../../../../gateway/panel/browser/sentences/sentence-of.ts';
import { tellRow } from '../../../../infra/programs/cli/checks/finding-sentences.ts';
import { tell as tellInEnglish } from '../../../../infra/programs/cli/service/problem-sentences.ts';
import type { Sentences } from '../../../../shared/problems/coded.ts';
import type { Finding } from '../../../../shared/problems/findings.ts';
import type { Problem } from '../../../../shared/problems/provisioning.ts';
import type { YamlCode } from '../../../../shared/problems/yaml-codes.ts';
import { unknownName } from '../../../../shared/provisioning/nearest.ts';
import { messageFor, problemOf } from '../../../../shared/provisioning/problem-message.ts';

const ROW = { name: 'mail', ok: true, remedy: null } as const;

test('a finding has its values in both languages', () => {
  for (const [finding, english, portuguese] of [
    [
      { code: 'silent', params: { ids: ['prc_1', 'prc_2'], more: 0 } },
      'prc_1; prc_2 does not answer',
      'prc_1; prc_2 não responde',
    ],
    [{ code: 'actorsProcesses', params: { count: 1 } }, '1 actors process', '1 processo actors'],
    [{ code: 'actorsProcesses', params: { count: 2 } }, '2 actors processes', '2 processos actors'],
    [
      {
        code: 'placeUnreachable',
        params: { where: 'mx:25', cause: { code: 'mailClosed', params: {} } },
      },
      'mx:25 cannot be reached: it closed the connection.',
      'Não há como alcançar mx:25: ele fechou a conexão.',
    ],
    [
      { code: 'someClosed', params: { count: 6, of: 9, names: ['loja/main appSecret'], more: 5 } },
      '6 of 9 do not open: loja/main appSecret and 5 more',
      '6 de 9 não abrem: loja/main appSecret e mais 5',
    ],
    [{ code: 'foreign', params: { text: 'ECONNREFUSED' } }, 'ECONNREFUSED', 'ECONNREFUSED'],
  ] as const satisfies readonly (readonly [Finding, string, string])[]) {
    assert.equal(tellRow({ ...ROW, detail: [finding] }).detail, english);
    assert.equal(ofPage(PORTUGUESE, finding), portuguese);
  }
});

const inStep = (step: string | number, field: string, problem: Problem): Problem => ({
  code: 'inFlow',
  params: { place: { flow: 'plans', step, field }, problem },
});

test('place, problem and suggestion of a flow stand in one sentence', () => {
  const liquid = { name: 'if2', place: ', line:1, col:1' };
  for (const [problem, english, portuguese] of [
    [
      inStep('ask', 'next', { code: 'noStep', params: { id: 'heer', meant: 'hear' } }),
      'flow "plans", step "ask", next: no step has the id "heer"; did you mean "hear"?',
      'Etapa “ask”, next: nenhuma etapa tem o id “heer”; seria “hear”?',
    ],
    [
      {
        code: 'inFlow',
        params: {
          place: { flow: 'plans', step: null, field: 'triggers.0.tag' },
          problem: {
            code: 'unknownName',
            params: { kind: 'tag', name: 'vip', known: ['a', 'b'], more: 3, meant: null },
          },
        },
      },
      'flow "plans", triggers.0.tag: names no tag "vip"; there are: a, b and 3 more (new ones are declared in the organization\'s tags)',
      'triggers.0.tag: não há etiqueta “vip”; existem: a, b e mais 3 (as novas são declaradas nas etiquetas da organização)',
    ],
    [
      inStep('ask', 'text', { code: 'nothingInside', params: { name: 'a.b', within: 'a' } }),
      'flow "plans", step "ask", text: names no variable "a.b": nothing lies in "a"',
      'Etapa “ask”, text: não há variável “a.b”: “a” não tem partes',
    ],
    [
      inStep(3, 'do', { code: 'requiredOneOf', params: { names: ['send', 'wait'] } }),
      'flow "plans", step number 3, do: is required: one of send, wait',
      'Etapa de índice 3, do: falta: um de send, wait',
    ],
    [
      inStep('ask', 'text', {
        code: 'notTemplate',
        params: { fault: { code: 'liquidTag', params: liquid } },
      }),
      'flow "plans", step "ask", text: is no template: tag "if2" not found, line:1, col:1',
      'Etapa “ask”, text: não é um modelo Liquid: a tag “if2” não existe, line:1, col:1',
    ],
    [
      {
        code: 'hinted',
        params: {
          problem: { code: 'unknownProperty', params: {} },
          hint: { code: 'didYouMean', params: { name: 'name' } },
        },
      },
      'is not a known property; did you mean name?',
      'não é uma propriedade conhecida; seria “name”?',
    ],
    [
      unknownName('choice', 'yes', []),
      'names no button or row "yes"; there are none',
      'não há botão nem linha com o id “yes”; não há nenhum',
    ],
  ] as const satisfies readonly (readonly [Problem, string, string])[]) {
    assert.equal(tellInEnglish(problem), english);
    assert.equal(tellInPortuguese(problem), portuguese);
  }
});

test('a text that is not YAML has a sentence for each code of its parser', () => {
  // Either of the two unions in place of the other would not compile.
  const codeOf = (code: YAMLParseError['code']): YamlCode => code;
  const [error] = parseDocument('steps: [').errors;
  assert.ok(error);
  const params = { code: codeOf(error.code), text: error.message, ends: true };
  const sentence = tellInPortuguese({ code: 'yaml', params });
  assert.match(sentence, /^recuo errado.*; o texto acaba/);
  assert.match(tellInEnglish({ code: 'yaml', params }), /; the file ends there: is it whole\?$/);
});

test('a problem goes through a schema, whose own words are foreign', () => {
  const problem = { code: 'tooLong', params: { most: 5 } } as const;
  assert.deepEqual(problemOf(messageFor('tooLong', { most: 5 })), problem);
  const text = 'Invalid type: Expected "buttons" but received "rows"';
  assert.deepEqual(problemOf(text), { code: 'foreign', params: { text } });
});

test('a page that was loaded before an update shows a code that it does not know', () => {
  const page: Sentences<{ readonly known: object }> = { known: () => 'known' };
  const sentence = Reflect.apply(ofPage, null, [page, { code: 'added', params: {} }]);
  assert.equal(sentence, 'added');
});
