/** Answers and choices that a flow brings into another one. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type AnsweringFlow, flowScopes } from '../../../../../actors/domain/flow/scope.ts';

describe('answers that a run may hold', () => {
  const flow = (ref: string, ...steps: readonly Readonly<Record<string, unknown>>[]) => ({
    id: `flw_${ref}`,
    ref,
    steps,
  });
  const answersOf = (flows: readonly ReturnType<typeof flow>[], ref: string) => [
    ...(flowScopes(flows).get(`flw_${ref}`)?.answers ?? []),
  ];
  const first = flow('a', { do: 'wait', saveAs: 'day' }, { do: 'start', flow: 'b' });
  const second = flow('b', { do: 'http', saveAs: 'order' }, { do: 'start', flow: 'flw_c' });
  const back = { do: 'start', flow: 'a' };
  const third = flow('c', { do: 'wait', saveAs: 'order' }, back, { do: 'end' });

  it('are those of its own steps and of the flows that go over into it, however far', () => {
    assert.deepEqual(answersOf([first, second], 'a'), [['day', 'text']]);
    const both = [
      ['day', 'text'],
      ['order', 'any'],
    ];
    assert.deepEqual(answersOf([first, second], 'b').toSorted(), both);
    assert.deepEqual(answersOf([first, second, third], 'a').toSorted(), both);
    assert.deepEqual(answersOf([flow('x', { do: 'start', flow: 'gone' })], 'x'), []);
  });

  it('come with the buttons and rows that the contact can press', () => {
    const buttons = { type: 'buttons', buttons: [{ id: 'sim' }, { id: 'nao' }] };
    const sections = ['ouro', 'prata'].map((id) => ({ rows: [{ id }] }));
    const list = { type: 'list', sections };
    const template = { name: 't', buttons: [{ index: 0, value: 'ver' }] };
    const asks = flow('a', { do: 'send', interactive: buttons }, { do: 'start', flow: 'b' });
    const other = flow(
      'b',
      { do: 'send', interactive: list },
      { do: 'send', template },
      { do: 'send', text: 'x', fallbackTemplate: { buttons: [{ index: 1, value: 'depois' }] } },
      { do: 'send', interactive: { buttons: 'x', sections: [null, { rows: [7, { id: 7 }] }] } },
    );
    const choices = (ref: string) => [
      ...(flowScopes([asks, other]).get(`flw_${ref}`)?.choices ?? []),
    ];
    assert.deepEqual(choices('a').toSorted(), ['nao', 'sim']);
    const all = ['depois', 'nao', 'ouro', 'prata', 'sim', 'ver'];
    assert.deepEqual(choices('b').toSorted(), all);
  });
});

type Steps = AnsweringFlow['steps'];

/** The flow `b` after the flow `a`, both with these steps. */
function flowScopeOf(steps: Steps, before: Steps = []) {
  const flows = [
    { id: 'flw_a', ref: 'a', steps: before },
    { id: 'flw_b', ref: 'b', steps },
  ];
  const carried = flowScopes(flows).get('flw_b');
  assert.ok(carried);
  return { answers: [...carried.answers], choices: [...carried.choices] };
}

describe('answers and choices of a flow', () => {
  const wait = { do: 'wait', saveAs: 'order' };
  const http = { do: 'http', saveAs: 'order' };

  it('may be JSON where one of the steps calls for them', () => {
    assert.deepEqual(flowScopeOf([wait]).answers, [['order', 'text']]);
    for (const steps of [[http], [http, wait], [wait, http]]) {
      assert.deepEqual(flowScopeOf(steps).answers, [['order', 'any']]);
    }
    const over = { do: 'start', flow: 'b' };
    assert.deepEqual(flowScopeOf([wait], [http, over]).answers, [['order', 'any']]);
    assert.deepEqual(flowScopeOf([http], [wait, over]).answers, [['order', 'any']]);
  });

  it('come from the steps that keep an answer, by its name', () => {
    const steps = [
      { do: 'send', saveAs: 'order' },
      { do: 'wait', saveAs: 7 },
      { do: 'http' },
      { saveAs: 'x' },
    ];
    assert.deepEqual(flowScopeOf(steps).answers, []);
  });

  it('are brought by `start` steps, and by no other step that names a flow', () => {
    assert.deepEqual(flowScopeOf([], [wait, { do: 'send', flow: 'b' }]).answers, []);
    assert.deepEqual(flowScopeOf([], [wait, { flow: 'flw_b' }]).answers, []);
    for (const flow of ['b', 'flw_b']) {
      const answers = [['order', 'text']];
      assert.deepEqual(flowScopeOf([], [wait, { do: 'start', flow }]).answers, answers, flow);
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
    assert.deepEqual(flowScopeOf(steps).choices, ['sim', 'ouro', 'ver', 'depois']);
  });
});
