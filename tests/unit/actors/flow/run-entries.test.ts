/** Entries of a run by themselves: kept choices, an ended run, and what the trace shows of it. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ConversationState } from '../../../../actors/domain/conversation.ts';
import { applyAnswer, decideDue, decideStop } from '../../../../actors/domain/flow/decide.ts';
import { branchesTo, traceOf } from '../../../../actors/domain/flow/trace.ts';
import { begun, contextOf, flowOf, NOW, ORG } from '../../../support/actors/flow/flow-fixture.ts';

const waits = (more: object = {}) =>
  flowOf([
    { id: 'ask', do: 'wait', saveAs: 'size', next: 'again', ...more },
    { id: 'again', do: 'wait', saveAs: 'colour', next: 'end' },
    { id: 'end', do: 'wait', next: null },
  ]);

type Flow = ReturnType<typeof waits>;

function told(flow: Flow, state: ConversationState, said: { text: string; chosen?: string }) {
  const arrival = { now: NOW, org: ORG, steps: flow.steps };
  return applyAnswer(state, { step: flow.steps.get(state.run?.stepId ?? ''), ...said, arrival });
}

describe('choices of a run', () => {
  it('are kept for each answer', () => {
    const flow = waits();
    const first = told(flow, begun(flow), { text: 'Grande', chosen: 'g' });
    const second = told(flow, first, { text: 'Azul', chosen: 'blue' });
    assert.deepEqual(second.run?.chosen, { size: 'g', colour: 'blue' });
    const typed = told(flow, first, { text: 'Azul' });
    assert.deepEqual(typed.run?.chosen, { size: 'g' });
  });

  it('are no part of gathered texts without one', () => {
    const flow = waits({ debounce: '3s' });
    const gathering = { kind: 'answer', until: null, gatherUntil: NOW + 3_000 };
    const typed = told(flow, begun(flow), { text: 'Oi' });
    assert.deepEqual(typed.run?.phase, { ...gathering, gathered: 'Oi' });
    const pressed = told(flow, typed, { text: 'Grande', chosen: 'g' });
    assert.deepEqual(pressed.run?.phase, { ...gathering, gathered: 'Oi\nGrande', chosen: 'g' });
  });
});

describe('a run that is stopped', () => {
  const flow = waits();
  const state = begun(flow);

  it('has ended before its last step, in an open conversation', () => {
    const decided = decideStop(state, NOW + 1);
    assert.deepEqual(
      [decided?.stopped, decided?.state.run, decided?.state.status, decided?.state.seq],
      [true, null, 'open', state.seq + 1],
    );
    assert.equal(decideStop({ ...state, run: null, status: 'open' }, NOW + 1), null);
  });

  it('has so ended after an opt-out, or at a step that is gone', () => {
    const context = contextOf(flow);
    const optedOut = { ...context, contact: { ...context.contact, optedOut: true } };
    assert.equal(decideDue(state, optedOut)?.stopped, true);
    assert.equal(decideDue(state, { ...context, steps: new Map() })?.stopped, true);
  });
});

describe('the trace of a run', () => {
  it('begins at no step and no visit', () => {
    const state = begun(waits());
    const [first, ...more] = traceOf('run_1', [{ _id: 'e_1', seq: 1, after: state }], new Map());
    assert.deepEqual(more, []);
    assert.deepEqual(first, {
      ...{ entryId: 'e_1', seq: 1, at: NOW, step: null, do: null, visit: 0 },
      ...{ said: null, chosen: [] },
      next: { step: 'ask', visit: 1, phase: 'answer', dueAt: null },
    });
  });

  it('names each branch of a step that leads on', () => {
    const wait = { do: 'wait', next: 'x', onTimeout: 'y' };
    const http = { do: 'http', next: 'x', onError: 'y' };
    const choose = { do: 'choose', cases: [{ next: 'x' }], else: 'y' };
    const table = [
      [wait, 'x', ['next']],
      [wait, 'y', ['onTimeout']],
      [http, 'x', ['next']],
      [http, 'y', ['onError']],
      [choose, 'x', ['cases.0']],
      [choose, 'y', ['else']],
      [{ ...wait, next: null, onTimeout: null }, null, ['next', 'onTimeout']],
      [wait, 'z', []],
    ] as const;
    for (const [step, target, expected] of table) {
      assert.deepEqual(branchesTo(step, target), expected, `${step.do} to ${target}`);
    }
  });
});
