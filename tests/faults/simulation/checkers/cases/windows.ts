/** Rate windows: well, and gone wrong. */
import type { Asked } from '../../history.ts';
import type { WindowsEvidence } from '../../world/rate-window-observer.ts';
import { evidence, type Shown, sent } from './evidence-fixture.ts';

function windows(over: Partial<WindowsEvidence> = {}): WindowsEvidence {
  return { perKey: 2, takenAt: [], begunAt: [], written: [], disruptions: [], ...over };
}

/** One call in each second, each answered at once. */
function calls(count: number, over: Partial<Asked> = {}): readonly Asked[] {
  return Array.from({ length: count }, (_, index) => {
    const startedAt = 1_000 * (index + 1);
    return sent(`m${index}`, { key: 'rcd_1', startedAt, endedAt: startedAt + 10, ...over });
  });
}

const [FIRST, SECOND, THIRD] = calls(3);
const begunAt = [2_000, 3_000, 4_000];
const written = begunAt.map((at) => ({ begunAt: at, at: at + 5 }));

export const WINDOWS: Readonly<Record<string, Shown>> = {
  noMoreThanAllowed: {
    well: evidence({
      history: [
        ...calls(2),
        ...calls(1, { key: 'rcd_2' }),
        ...calls(4, { status: 429, outcome: 'refused' }),
        ...calls(4, { status: 503, outcome: 'unknown' }),
        // Of the next window.
        ...calls(2, { startedAt: 62_000, endedAt: 62_010 }),
      ],
      windows: windows(),
    }),
    wrong: {
      'one call too many is let in': {
        evidence: evidence({ history: calls(3), windows: windows() }),
        says: /rcd_1: 3 of 3 calls were let in for good, 2 are allowed/,
      },
      'what had been written down was forgotten': {
        evidence: evidence({
          history: calls(3),
          windows: windows({ takenAt: [3_500], written: [{ begunAt: 3_100, at: 3_110 }] }),
        }),
        says: /rcd_1: 3 of 3 calls were let in for good/,
      },
      'a late write took back what was written down after it': {
        evidence: evidence({
          history: calls(3),
          windows: windows({
            takenAt: [3_500],
            written: [
              { begunAt: 3_100, at: 3_110 },
              { begunAt: 900, at: 3_400 },
            ],
          }),
        }),
        says: /rcd_1: 3 of 3 calls were let in for good/,
      },
    },
  },
  windowsAreWrittenDown: {
    well: evidence({
      history: [
        ...calls(3),
        // Possibly no process was left to record it.
        ...calls(1, { startedAt: 20_000, endedAt: 20_010 }),
        ...calls(1, { startedAt: 30_000, endedAt: 30_010 }),
      ],
      windows: windows({
        begunAt,
        written,
        takenAt: [20_500],
        disruptions: [{ from: 29_000, to: 33_000 }],
      }),
    }),
    wrong: {
      'nothing is ever written down': {
        evidence: evidence({
          history: [FIRST, SECOND, THIRD].flatMap((call) => call ?? []),
          windows: windows({ perKey: 100 }),
        }),
        says: /send of 1000 was let in and nobody wrote it down/,
      },
      'it takes too long': {
        evidence: evidence({
          history: calls(1),
          windows: windows({ begunAt: [2_500] }),
        }),
        says: /send of 1000 was let in and nobody wrote it down/,
      },
    },
  },
};
