/** The run that an entry has ended is named in it, with whether it was stopped. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Run, runEndedBy } from '../../../../actors/domain/flow/run.ts';

const RUN: Run = {
  ...{ id: 'run_1', flowId: 'flw_1', flowName: 'Planos', versionId: 'ver_1' },
  ...{ stepId: 'ask', visit: 1, phase: { kind: 'ready' }, answers: {}, parsed: [] },
  ...{ hops: 0, dealId: null, startedAt: 100 },
};
const AFTER = { at: 200, run: null, status: 'open' } as const;
const ENDED = { id: 'run_1', flowId: 'flw_1', flowName: 'Planos', startedAt: 100, at: 200 };

test('a run that goes on, and none at all, are not ended', () => {
  assert.equal(runEndedBy(null, { state: AFTER }), null);
  const goesOn = { ...AFTER, run: { ...RUN, visit: 2 }, status: 'in_flow' } as const;
  assert.equal(runEndedBy(RUN, { state: goesOn }), null);
});

test('its own last step finishes it, also where the next run begins at once', () => {
  assert.deepEqual(runEndedBy(RUN, { state: AFTER }), { ...ENDED, stopped: false });
  const next = { ...AFTER, run: { ...RUN, id: 'run_2' }, status: 'in_flow' } as const;
  assert.deepEqual(runEndedBy(RUN, { state: next }), { ...ENDED, stopped: false });
});

test('an opt-out, a member and a join stop it', () => {
  const resolved = { ...AFTER, run: RUN, status: 'resolved' } as const;
  const joined = { ...AFTER, joinedTo: 'cnv_2' };
  for (const decided of [{ state: AFTER, stopped: true }, { state: resolved }, { state: joined }]) {
    assert.deepEqual(runEndedBy(RUN, decided), { ...ENDED, stopped: true });
  }
});
