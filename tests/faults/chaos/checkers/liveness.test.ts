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
  answeredAt: number | null = null,
): readonly string[] {
  const seen = { process: 'observer', type: 'ok' } as const;
  const answered =
    answeredAt === null ? [] : [{ ...seen, op: 'answered', t: answeredAt, body: {} }];
  const history: Recorded[] = [
    { ...seen, op: 'healed', t: 1_000, body: { answeredWithinMs: 15_000 } },
    ...calls.flatMap(([t, type]): Recorded[] => [
      { process: WORKER, op: 'send', type: 'invoke', t: t - 1, body: {} },
      { process: WORKER, op: 'send', type, t, body: {} },
    ]),
    ...answered,
    { ...seen, op: 'drained', t: 99_000, body: { due, ms: 1 } },
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
test('a call that ends unknown while the run stops is no silence, three in a row are', () => {
  const ending = (count: number) =>
    Array.from({ length: count }, (_, n) => [3_000 + n, 'info'] as const);
  assert.deepEqual(told([...FINE, ...ending(2)], {}, 2_500), []);
  assert.match(told([...FINE, ...ending(3)], {}, 2_500).join(), /w was not answered at last/);
  assert.match(told([...FINE, ...ending(1)], {}, 3_500).join(), /w was not answered at last/);
});
test('a worker whose call was under way at the heal is waited for', () => {
  const seen = { process: 'observer', type: 'ok', op: 'healed', t: 1_000 } as const;
  const history: Recorded[] = [
    { process: WORKER, op: 'send', type: 'invoke', t: 900, body: {} },
    { ...seen, body: { answeredWithinMs: 15_000 } },
  ];
  assert.match(checkLiveness(history).violations.join(), /w was answered Infinity ms after/);
  const answer = { process: WORKER, op: 'send', type: 'ok', t: 9_000, body: {} } as const;
  assert.deepEqual(checkLiveness([...history, answer]).violations, []);
});
test('a worker that has done its work is judged by its last answer', () => {
  const isDone: Recorded = {
    process: 'observer',
    op: 'done',
    type: 'ok',
    t: 2_500,
    body: { worker: WORKER },
  };
  const calls = (...types: readonly ('ok' | 'info')[]): Recorded[] => [
    { process: 'observer', op: 'healed', type: 'ok', t: 1_000, body: { answeredWithinMs: 9_000 } },
    ...types.flatMap((type, n): Recorded[] => [
      { process: WORKER, op: 'send', type: 'invoke', t: 2_000 + n, body: {} },
      { process: WORKER, op: 'send', type, t: 2_000 + n, body: {} },
    ]),
  ];
  const unknown = calls('info', 'info', 'ok');
  assert.match(checkLiveness(unknown).violations.join(), /w was not answered at last/);
  assert.deepEqual(checkLiveness([...unknown, isDone]).violations, []);
  const silent = [...calls('ok', 'info'), isDone];
  assert.match(checkLiveness(silent).violations.join(), /w was not answered at last/);
});
test('what is still due is found', () => {
  assert.match(told(FINE, { deliveries: 2 }).join(), /2 deliveries were still due/);
});
