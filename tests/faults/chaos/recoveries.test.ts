/** Recovery times of workers, in histories of one worker. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { historyOf } from './history.ts';
import type { Recorded } from './records.ts';
import { recoveriesOf } from './recoveries.ts';

function told(...calls: readonly (readonly [t: number, type: Recorded['type']])[]) {
  const fault = { kind: 'kill', parts: ['nats'], from: 900, to: 1_000 };
  const records = calls.map(
    ([t, type]): Recorded => ({ process: 'w', op: 'ask', type, t, body: {} }),
  );
  records.push({ process: 'observer', op: 'fault', type: 'ok', t: 1_000, body: fault });
  return recoveriesOf(historyOf(records));
}

test('a call that was under way waits from the end of the fault', () => {
  assert.deepEqual(told([950, 'invoke'], [1_200, 'ok']), [200]);
});
test('a call that was made later waits from its beginning', () => {
  assert.deepEqual(told([800, 'invoke'], [850, 'ok'], [1_500, 'invoke'], [1_530, 'refused']), [30]);
});
test('a call without an answer does not end the waiting', () => {
  const calls = [[1_100, 'invoke'] as const, [1_300, 'info'] as const];
  assert.deepEqual(told(...calls, [1_400, 'invoke'], [1_450, 'ok']), [350]);
});
test('who was never answered again is left to the checker of liveness', () => {
  assert.deepEqual(told([950, 'invoke'], [1_100, 'info']), []);
});
