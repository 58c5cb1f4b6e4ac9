/** The facts of the 24-hour window as events, another number and a join leave them (C2.3). */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  laterWindow,
  leaveNumber,
  leaveUndecided,
  openWindow,
  type WindowFacts,
} from '../../../../actors/domain/window.ts';

/** A whole second. */
const AT = Date.UTC(2026, 4, 4, 12, 0, 0);

describe('an event of the contact', () => {
  test('opens the window at its second', () => {
    assert.deepEqual(openWindow({}, AT + 999), { windowFrom: AT });
    assert.deepEqual(openWindow({ windowFrom: AT }, AT - 1), { windowFrom: AT });
  });

  test('that the network judges keeps what is known, and the latest second that is not', () => {
    const rows: readonly (readonly [WindowFacts, WindowFacts])[] = [
      [{}, { windowFrom: 0, undecidedFrom: AT }],
      [{ lastInboundAt: AT - 1 }, { windowFrom: AT - 1_000, undecidedFrom: AT }],
      [
        { windowFrom: AT - 9_000, undecidedFrom: AT - 5_000 },
        { windowFrom: AT - 9_000, undecidedFrom: AT },
      ],
      [
        { windowFrom: 0, undecidedFrom: AT + 1_000 },
        { windowFrom: 0, undecidedFrom: AT + 1_000 },
      ],
    ];
    for (const [before, after] of rows) assert.deepEqual(leaveUndecided(before, AT + 999), after);
  });
});

test('of another number the network knows alone, for as long as the old window is open', () => {
  const rows: readonly (readonly [WindowFacts, WindowFacts])[] = [
    [{}, {}],
    [{ windowFrom: 0 }, {}],
    [{ windowFrom: AT }, { windowFrom: 0, undecidedFrom: AT }],
    [{ lastInboundAt: AT + 500 }, { windowFrom: 0, undecidedFrom: AT }],
    [
      { windowFrom: AT, undecidedFrom: AT - 1_000 },
      { windowFrom: 0, undecidedFrom: AT },
    ],
    [
      { windowFrom: AT, undecidedFrom: AT + 1_000 },
      { windowFrom: 0, undecidedFrom: AT + 1_000 },
    ],
    [
      { windowFrom: 0, undecidedFrom: AT },
      { windowFrom: 0, undecidedFrom: AT },
    ],
  ];
  for (const [before, after] of rows) assert.deepEqual(leaveNumber(before), after);
});

/** Two conversations in either order, and the window of both as one. */
const JOINS: readonly (readonly [WindowFacts, WindowFacts, WindowFacts])[] = [
  [{}, {}, {}],
  [{ windowFrom: 0 }, {}, { windowFrom: 0 }],
  [{ windowFrom: 0 }, { windowFrom: 0 }, { windowFrom: 0 }],
  [{ windowFrom: AT }, {}, { windowFrom: AT }],
  [{ windowFrom: AT }, { windowFrom: AT - 1_000 }, { windowFrom: AT }],
  [{ lastInboundAt: AT + 500 }, {}, { windowFrom: AT }],
  [{ lastInboundAt: AT + 500 }, { windowFrom: AT - 1_000 }, { windowFrom: AT }],
  [{ windowFrom: 0 }, { lastInboundAt: AT }, { windowFrom: AT }],
  [{ windowFrom: 0, undecidedFrom: AT }, {}, { windowFrom: 0, undecidedFrom: AT }],
  [
    { windowFrom: 0, undecidedFrom: AT },
    { windowFrom: AT - 2_000, undecidedFrom: AT - 1_000 },
    { windowFrom: AT - 2_000, undecidedFrom: AT },
  ],
];

test('of two conversations that are joined the later facts stay, and none are made up', () => {
  for (const [one, other, both] of JOINS) {
    assert.deepEqual(laterWindow(one, other), both);
    assert.deepEqual(laterWindow(other, one), both);
  }
});
