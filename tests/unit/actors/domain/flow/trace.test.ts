import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { branchesTo, type LoggedEntry, traceOf } from '../../../../../actors/domain/flow/trace.ts';
import { countRuns } from '../../../../../actors/domain/flow/waiting-runs.ts';
import type { Run } from '../../../../../actors/domain/flow-run.ts';
import {
  begun,
  flowOf,
  NOW,
  RUN,
} from '../../../../support/actors/conversation/flow/flow-fixture.ts';

const STEPS = new Map([
  ['a', { id: 'a', do: 'send', next: 'b' }],
  ['b', { id: 'b', do: 'wait', next: null, onTimeout: 'a' }],
]);
const VERSIONS = new Map([['v1', STEPS]]);

function entry(seq: number, run: Run | null): LoggedEntry {
  return { _id: `e_${seq}`, seq, after: { at: seq * 10, run, automationPausedUntil: null } };
}

test('each entry of a trace is about the step before it, and tells the next timer', () => {
  const waits: Run = {
    ...{ ...RUN, stepId: 'b', visit: 2 },
    phase: { kind: 'answer', until: 500, gathered: null, gatherUntil: null },
  };
  const runs = [null, RUN, waits, waits, null];
  const log = runs.map((run, index) => entry(index + 1, run));
  const trace = traceOf('run_1', log, VERSIONS);
  assert.deepEqual(
    trace.map(({ step, chosen, next }) => [step, chosen, next?.step ?? null, next?.dueAt ?? null]),
    [
      [null, [], 'a', 20],
      ['a', ['next'], 'b', 500],
      ['b', [], 'b', 500],
      ['b', ['next'], null, null],
    ],
  );
});

test('another run is no part of a trace', () => {
  const other = { ...RUN, id: 'run_2' };
  const trace = traceOf('run_2', [entry(1, RUN), entry(2, other)], VERSIONS);
  assert.deepEqual([trace.length, trace[0]?.seq, trace[0]?.step], [1, 2, null]);
});

test('the cases of a choice that lead to one step are all named', () => {
  const step = { do: 'choose', cases: [{ next: 'x' }, { next: 'y' }, { next: 'x' }], else: 'x' };
  assert.deepEqual(branchesTo(step, 'x'), ['cases.0', 'cases.2', 'else']);
  assert.deepEqual(branchesTo({ do: 'end' }, null), []);
});

test('runs are counted by flow, and by the step at which they wait', () => {
  const runs = [
    { flowId: 'f', stepId: 'a' },
    { flowId: 'f', stepId: 'a' },
    { flowId: 'g', stepId: 'b' },
  ];
  assert.deepEqual(Object.fromEntries(countRuns(runs)), {
    f: { running: 2, waiting: { a: 2 } },
    g: { running: 1, waiting: { b: 1 } },
  });
});

const waits = (more: object = {}) =>
  flowOf([
    { id: 'ask', do: 'wait', saveAs: 'size', next: 'again', ...more },
    { id: 'again', do: 'wait', saveAs: 'colour', next: 'end' },
    { id: 'end', do: 'wait', next: null },
  ]);

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
