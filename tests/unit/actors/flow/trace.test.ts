/** The trace of a run, from the entries of the log. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Run } from '../../../../actors/domain/flow/run.ts';
import { branchesTo, type LoggedEntry, traceOf } from '../../../../actors/domain/flow/trace.ts';
import { countRuns } from '../../../../actors/domain/flow/waiting-runs.ts';

const RUN: Run = {
  ...{ id: 'run_1', flowId: 'flw_1', flowName: 'Planos', versionId: 'v1', stepId: 'a', visit: 1 },
  ...{ answers: {}, parsed: [], hops: 0, dealId: null, startedAt: 1 },
  phase: { kind: 'ready' },
};
const STEPS = new Map([
  ['a', { id: 'a', do: 'send', next: 'b' }],
  ['b', { id: 'b', do: 'wait', next: null, onTimeout: 'a' }],
]);
const VERSIONS = new Map([['v1', STEPS]]);

function entry(seq: number, run: Run | null): LoggedEntry {
  return { _id: `e_${seq}`, seq, after: { at: seq * 10, run, automationPausedUntil: null } };
}

test('each entry is about the step before it, and tells the next timer', () => {
  const waits: Run = {
    ...{ ...RUN, stepId: 'b', visit: 2 },
    phase: { kind: 'answer', until: 500, gathered: null, gatherUntil: null },
  };
  const trace = traceOf(
    'run_1',
    [entry(1, null), entry(2, RUN), entry(3, waits), entry(4, waits), entry(5, null)],
    VERSIONS,
  );
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

test('another run is no part of it', () => {
  const other = { ...RUN, id: 'run_2' };
  const trace = traceOf('run_2', [entry(1, RUN), entry(2, other)], VERSIONS);
  assert.deepEqual(
    trace.map(({ seq, step }) => [seq, step]),
    [[2, null]],
  );
});

test('cases that lead to one step are all named', () => {
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
