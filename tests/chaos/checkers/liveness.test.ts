/** Whether the checker of liveness can fail at all. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Recorded } from '../history.ts';
import { checkLiveness } from './liveness.ts';

const WORKER = 'w';

/** One worker's calls as pairs of a moment and how they ended, healed at 1000. */
function told(
  calls: readonly (readonly [t: number, type: 'ok' | 'refused' | 'info'])[],
  due: Readonly<Record<string, number>> = {},
): readonly string[] {
  const history: Recorded[] = [
    { process: 'observer', op: 'healed', type: 'ok', t: 1_000, body: { answeredWithinMs: 15_000 } },
    ...calls.flatMap(([t, type]): Recorded[] => [
      { process: WORKER, op: 'send', type: 'invoke', t: t - 1, body: {} },
      { process: WORKER, op: 'send', type, t, body: {} },
    ]),
    { process: 'observer', op: 'drained', type: 'ok', t: 99_000, body: { due, ms: 1 } },
  ];
  return checkLiveness(history).violations;
}

const FINE = [[2_000, 'ok'] as const, [2_100, 'refused'] as const, [2_200, 'ok'] as const];

test('a worker that is answered soon passes, whatever was before', () => {
  assert.deepEqual(told([[500, 'info'], ...FINE], { sends: 0 }), []);
});
test('a worker that is answered late is found', () => {
  const late = FINE.map(([t, type]) => [t + 15_000, type] as const);
  assert.match(told(late).join(), /w was answered 16000 ms after/);
});
test('a worker that is not answered any more is found', () => {
  assert.match(told([...FINE, [3_000, 'info']]).join(), /w was not answered at last/);
});
test('what is still due is found', () => {
  assert.match(told(FINE, { deliveries: 2 }).join(), /2 deliveries were still due/);
});
