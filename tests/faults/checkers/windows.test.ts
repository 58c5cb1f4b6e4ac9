/** Rate windows by what is written down: well, and gone wrong. */
import { type Ended, sent, show, store, type Told } from './fixture.ts';
import type { Call, WindowsRecord } from './history.ts';
import { windows } from './windows.ts';

/** One call in each second, each answered at once. */
function calls(count: number, from = 1_000, ended: Ended = {}, key = 'rcd_1'): readonly Call[] {
  return Array.from({ length: count }, (_, index) => {
    const each = sent(`m${index}`, ended, { startedAt: from + 1_000 * index });
    return { ...each, request: { key } };
  });
}
function told(all: readonly Call[], over: Partial<WindowsRecord> = {}): Told {
  const notes = { takenAt: [], begunAt: [], written: [], disruptions: [] };
  return { calls: all, store: store({ windows: { perKey: 2, ...notes, ...over } }) };
}
/** A clock jumps in the middle of three calls. */
function jumped(clocksJumpedAt: number): Told {
  const { store: known, ...others } = told(calls(3));
  return { ...others, store: store({ ...known, clocksJumpedAt }) };
}
const begunAt = [2_000, 3_000, 4_000];

show(windows, {
  noMoreThanAllowed: {
    well: [
      told([
        ...calls(2),
        ...calls(1, 1_000, {}, 'rcd_2'),
        ...calls(4, 1_000, 429),
        ...calls(4, 1_000, 'unknown'),
        // Of the next window.
        ...calls(2, 62_000),
      ]),
      // By another clock its window may have ended.
      jumped(3_000),
    ],
    'rcd_1: 3 of 3 calls were let in for good, 2 are allowed': [
      told(calls(3)),
      jumped(3_500),
      // Calls that were written down are forgotten.
      told(calls(3), { takenAt: [3_500], written: [{ begunAt: 3_100, at: 3_110 }] }),
      // A late write took back what was written down after it.
      told(calls(3), {
        takenAt: [3_500],
        written: [
          { begunAt: 3_100, at: 3_110 },
          { begunAt: 900, at: 3_400 },
        ],
      }),
    ],
  },
  windowsAreWrittenDown: {
    well: [
      // At the last two possibly no process was left to record it.
      told([...calls(3), ...calls(1, 20_000), ...calls(1, 30_000)], {
        begunAt,
        takenAt: [20_500],
        disruptions: [{ from: 29_000, to: 33_000 }],
      }),
    ],
    'send of 1000 was let in and nobody wrote it down': [
      told(calls(3), { perKey: 100 }),
      told(calls(1), { begunAt: [2_500] }),
    ],
  },
});
