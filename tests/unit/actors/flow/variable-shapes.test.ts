/** Parts of a template's variables by index and by name, and the answers that come from steps. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type AnsweringFlow, carriedByFlow } from '../../../../actors/domain/flow/carried.ts';
import { variablesOf } from '../../../../actors/domain/flow/template.ts';
import { indexOr, variableProblem } from '../../../../actors/domain/flow/variables.ts';

const problemsOf = (template: string) =>
  variablesOf(template).map((path) => variableProblem(path, new Map([['day', 'text']])));

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
    assert.deepEqual(problemsOf(template), [null, null, null]);
  });

  it('are the letters of a text by their index, but none by a name', () => {
    assert.deepEqual(problemsOf('{{contact.name[0]}}{{answers.day[0]}}'), [null, null]);
    for (const part of ['first', 'last']) {
      const sentence = `names no variable "contact.name.${part}": nothing lies in "contact.name"`;
      assert.deepEqual(problemsOf(`{{contact.name.${part}}}`), [sentence]);
    }
  });
});

type Steps = AnsweringFlow['steps'];

/** The flow `b` after the flow `a`, both with these steps. */
function carriedInto(steps: Steps, before: Steps = []) {
  const flows = [
    { id: 'flw_a', ref: 'a', steps: before },
    { id: 'flw_b', ref: 'b', steps },
  ];
  const carried = carriedByFlow(flows).get('flw_b');
  assert.ok(carried);
  return { answers: [...carried.answers], choices: [...carried.choices] };
}

describe('answers and choices of a flow', () => {
  const wait = { do: 'wait', saveAs: 'order' };
  const http = { do: 'http', saveAs: 'order' };

  it('may be JSON where one of the steps calls for them', () => {
    assert.deepEqual(carriedInto([wait]).answers, [['order', 'text']]);
    for (const steps of [[http], [http, wait], [wait, http]]) {
      assert.deepEqual(carriedInto(steps).answers, [['order', 'any']]);
    }
    const over = { do: 'start', flow: 'b' };
    assert.deepEqual(carriedInto([wait], [http, over]).answers, [['order', 'any']]);
    assert.deepEqual(carriedInto([http], [wait, over]).answers, [['order', 'any']]);
  });

  it('come from the steps that keep an answer, by its name', () => {
    const steps = [
      { do: 'send', saveAs: 'order' },
      { do: 'wait', saveAs: 7 },
      { do: 'http' },
      { saveAs: 'x' },
    ];
    assert.deepEqual(carriedInto(steps).answers, []);
  });

  it('are brought by `start` steps, and by no other step that names a flow', () => {
    assert.deepEqual(carriedInto([], [wait, { do: 'send', flow: 'b' }]).answers, []);
    assert.deepEqual(carriedInto([], [wait, { flow: 'flw_b' }]).answers, []);
    for (const flow of ['b', 'flw_b']) {
      const answers = [['order', 'text']];
      assert.deepEqual(carriedInto([], [wait, { do: 'start', flow }]).answers, answers, flow);
    }
  });

  it('are read past entries of a list that are no buttons, rows or values', () => {
    const lists = [null, 'x', 7, ['y'], { id: null }];
    const steps = [
      { interactive: { buttons: [...lists, { id: 'sim' }] } },
      { interactive: { sections: [...lists, { rows: [...lists, { id: 'ouro' }] }] } },
      { template: { buttons: [...lists, { index: 0, value: 'ver' }] } },
      { fallbackTemplate: { buttons: [...lists, { index: 0, value: 'depois' }] } },
    ].map((content) => ({ do: 'send', ...content }));
    assert.deepEqual(carriedInto(steps).choices, ['sim', 'ouro', 'ver', 'depois']);
  });
});
