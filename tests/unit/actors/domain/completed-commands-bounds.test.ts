/** How long a committed command is kept, and what leaves when there are too many (D132). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type CompletedCommands,
  findCompleted,
  mayBeEvicted,
  NONE_COMPLETED,
  withCompleted,
} from '../../../../actors/domain/completed-commands.ts';

const NOW = Date.UTC(2026, 10, 20, 12);
const PLAIN_MS = 30_000;
const LASTING_MS = (24 * 60 + 10) * 60_000;

const plain = (id: string) => ({ id, status: 200, lasting: false });

/** So many lasting commands, each a millisecond after the one before. */
function filled(commands: number): CompletedCommands {
  const numbers = Array.from({ length: commands }, (_, number) => number);
  return numbers.reduce((before, number) => {
    const command = { id: `cmd_${number}`, status: 201, lasting: true };
    return withCompleted(before, command, NOW + number).kept;
  }, NONE_COMPLETED);
}

test('a plain command is kept for half a minute, a lasting one for a day and ten minutes', () => {
  for (const [lasting, keptMs] of [
    [false, PLAIN_MS],
    [true, LASTING_MS],
  ] as const) {
    const recorded = withCompleted(NONE_COMPLETED, { ...plain('cmd_1'), lasting }, NOW);
    assert.deepEqual(recorded, {
      kept: { recent: [{ id: 'cmd_1', until: NOW + keptMs, status: 200 }], leftUntil: 0 },
      evicted: [],
    });
  }
});

test('a command whose time is over leaves with the next commit, and needs no record', () => {
  const first = withCompleted(NONE_COMPLETED, plain('cmd_1'), NOW).kept;
  const idsAfter = (now: number) => {
    const { kept, evicted } = withCompleted(first, plain('cmd_2'), now);
    assert.deepEqual([evicted, kept.leftUntil], [[], 0]);
    return kept.recent.map(({ id }) => id);
  };
  assert.deepEqual(idsAfter(NOW + PLAIN_MS - 1), ['cmd_1', 'cmd_2']);
  assert.deepEqual(idsAfter(NOW + PLAIN_MS), ['cmd_2']);
});

test('two hundred commands stay; of one more the older half leaves, in its order', () => {
  const full = filled(200);
  assert.deepEqual([full.recent.length, full.leftUntil], [200, 0]);
  const { kept, evicted } = withCompleted(full, plain('cmd_200'), NOW + 200);
  const idsFrom = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, index) => `cmd_${from + index}`);
  assert.deepEqual(
    evicted.map(({ id }) => id),
    idsFrom(0, 101),
  );
  assert.deepEqual(
    kept.recent.map(({ id }) => id),
    idsFrom(101, 201),
  );
  assert.equal(kept.leftUntil, NOW + 100 + LASTING_MS, 'the last of those that left');
  assert.equal(findCompleted(kept, 'cmd_100'), null);
  assert.equal(findCompleted(kept, 'cmd_101')?.status, 201);
});

test('a record is looked up only for a command that may be repeated, while one counts', () => {
  const left = { recent: [], leftUntil: NOW };
  const rows = [
    [true, false, NOW - 1, true],
    [false, true, NOW - 1, true],
    [true, true, NOW - 1, true],
    [false, false, NOW - 1, false],
    [true, true, NOW, false],
  ] as const;
  for (const [lasting, repeat, now, expected] of rows) {
    assert.equal(mayBeEvicted(left, { lasting, repeat }, now), expected);
  }
});
