/** Times at which an owner recovers after a turn in doubt (actors/runtime/in-doubt-recovery). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InDoubtRecovery } from '../../../actors/runtime/in-doubt-recovery.ts';
import type { Kind } from '../../../actors/runtime/kind.ts';
import { SILENT } from '../../support/engine.ts';
import { ManualClock } from '../../support/manual-clock.ts';

/** A write that the store has not taken by then it never takes. */
const LATE_MS = 10_000;

function recordingRecovery() {
  const clock = new ManualClock();
  const began = clock.now();
  const recoveries: string[] = [];
  const recover = async (_: unknown, epoch: number): Promise<void> => {
    recoveries.push(`${epoch}: ${clock.now() - began}`);
  };
  const held = { now: { partition: { kind: 'task', number: 1 }, epoch: 1 } as const };
  const completions = new InDoubtRecovery(
    { clock, log: SILENT, leaseHeld: () => true },
    (each) => each === held.now,
  );
  const doubts: string[] = [];
  const doubted = (key: string, until: number): void => {
    doubts.push(`${key}: ${until - clock.monotonic()}`);
  };
  const hooks = { recover, recoverLate: recover, doubt: doubted };
  const kind = { kind: 'task', ...hooks } as unknown as Kind;
  const doubt = (): void => completions.add(kind, held.now, 'task_1');
  const acquire = (): void => completions.addPartition(kind, held.now);
  return { clock, recoveries, doubts, doubt, acquire, held };
}

function pass(clock: ManualClock, ms: number): void {
  for (let passed = 0; passed < ms; passed += 100) clock.advance(100);
}

test('what a second doubt may have left is looked for as late as what the first one has', () => {
  const { clock, recoveries, doubt } = recordingRecovery();
  doubt();
  pass(clock, 7_300);
  doubt();
  pass(clock, 100);
  doubt();
  pass(clock, 3 * LATE_MS);
  assert.deepEqual(recoveries, ['1: 500', '1: 7800', '1: 7900', '1: 10000', '1: 17400']);
});

test('a partition that was given up and taken again is looked at by its new time', () => {
  const { clock, recoveries, doubt, held } = recordingRecovery();
  doubt();
  Object.assign(held, { now: { ...held.now, epoch: 2 } });
  doubt();
  pass(clock, 3 * LATE_MS);
  assert.deepEqual(recoveries, ['2: 500', '2: 10000']);
});

test('what an earlier owner may have written late is looked for, unless the partition is given up', () => {
  const { clock, recoveries, acquire, held } = recordingRecovery();
  acquire();
  pass(clock, 3_000);
  Object.assign(held, { now: { ...held.now, epoch: 2 } });
  acquire();
  pass(clock, 3 * LATE_MS);
  assert.deepEqual(recoveries, ['2: 13100']);
});

test('an actor is told of each doubt, for longer than its late recovery waits', () => {
  const { clock, doubts, doubt } = recordingRecovery();
  doubt();
  pass(clock, 300);
  doubt();
  assert.deepEqual(doubts, ['task_1: 15000', 'task_1: 15000']);
});
