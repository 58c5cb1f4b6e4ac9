/** Scheduled messages: well, and gone wrong. */
import type { Settlement } from '../../../../../actors/domain/settlement.ts';
import type { StoredMessage } from '../../../../../shared/message.ts';
import { asked, entry, evidence, NOW, type Shown, transmission } from './evidence-fixture.ts';

function waits(text: string, seq: number, over: Partial<StoredMessage> = {}) {
  const schedule = { at: NOW + 1_000, ifLate: 'send' } as const;
  return entry(text, seq, { message: { schedule, ...over } });
}

function settles(
  text: string,
  seq: number,
  outcome: 'released' | 'cancelled' | 'failed' = 'released',
) {
  const error = { code: 'late', message: 'Tarde.' };
  const more =
    outcome === 'released'
      ? { outcome, previousSeq: 0, to: '5511987650001' }
      : outcome === 'failed'
        ? { outcome, error }
        : { outcome };
  const settlement: Settlement = { messageId: `msg_${text}`, at: NOW + 1_000, ...more };
  return { ...entry(`${text}-settled`, seq, { message: null, settles: settlement }) };
}

function due(text: string, seq: number, at: number) {
  return waits(text, seq, { schedule: { at: NOW + at, ifLate: 'send' } });
}

const CANCELLED = asked({ operation: 'cancel', status: 200, request: { messageId: 'msg_a' } });
const OUT = { operation: 'opt-out', status: 200, request: { phone: '5511987650001' } } as const;

export const SCHEDULED: Readonly<Record<string, Shown>> = {
  settledOnce: {
    well: evidence({
      entries: [
        ...[waits('a', 1), settles('a', 2)],
        ...[waits('b', 3, { status: 'cancelled' }), settles('b', 4, 'cancelled')],
        waits('at-once', 5),
      ],
    }),
    wrong: {
      'a message is settled twice': {
        evidence: evidence({ entries: [waits('a', 1), settles('a', 2), settles('a', 3)] }),
        says: /a \(msg_a\) was settled 2 times/,
      },
      'a message waits for ever': {
        evidence: evidence({ entries: [waits('a', 1, { status: 'scheduled' })] }),
        says: /a \(msg_a\) is still scheduled/,
      },
      'a cancelled message was sent': {
        evidence: evidence({ entries: [waits('a', 1), settles('a', 2, 'cancelled')] }),
        says: /was cancelled and is sent/,
      },
    },
  },
  neverEarly: {
    well: evidence({
      entries: [waits('a', 1), settles('a', 2), waits('b', 3), settles('b', 4, 'cancelled')],
      appendedAt: new Map([['msg_a-settled', NOW + 1_000]]),
    }),
    wrong: {
      'a message goes a millisecond before its time': {
        evidence: evidence({
          entries: [waits('a', 1), settles('a', 2)],
          appendedAt: new Map([['msg_a-settled', NOW + 999]]),
        }),
        says: /a was settled 1 ms early/,
      },
    },
  },
  settledAsTheyBecameDue: {
    well: evidence({
      entries: [
        ...[due('b', 1, 2_000), due('a', 2, 1_000), settles('a', 3), settles('b', 4)],
        // Written when the other one had gone.
        ...[due('c', 5, 3_000), settles('c', 6), due('d', 7, 2_500), settles('d', 8)],
      ],
    }),
    wrong: {
      'the later one is settled first': {
        evidence: evidence({
          entries: [due('a', 1, 1_000), due('b', 2, 2_000), settles('b', 3), settles('a', 4)],
        }),
        says: /a was due before b and was settled after it/,
      },
    },
  },
  endedIsNotHandedOver: {
    well: evidence({
      history: [
        CANCELLED,
        asked({ operation: 'cancel', status: 409, request: { messageId: 'b' } }),
      ],
      entries: [waits('a', 1, { status: 'cancelled' }), settles('a', 2, 'cancelled')],
      transmissions: [transmission('b')],
    }),
    wrong: {
      'a cancel does not stay': {
        evidence: evidence({ history: [CANCELLED], entries: [waits('a', 1), settles('a', 2)] }),
        says: /a was cancelled and is sent/,
      },
      'a cancelled message reaches the network': {
        evidence: evidence({
          entries: [waits('a', 1, { status: 'cancelled' }), settles('a', 2, 'cancelled')],
          transmissions: [transmission('a')],
        }),
        says: /a had ended and was handed over/,
      },
    },
  },
  noneAfterOptOut: {
    well: evidence({
      history: [asked({ ...OUT, startedAt: 50, endedAt: 90 })],
      entries: [waits('a', 1), settles('a', 2), entry('now', 3)],
      // Marked before the answer; and a caller's own message.
      marks: [{ messageId: 'msg_a', at: 80, epoch: 1 }],
      transmissions: [transmission('a'), transmission('now', { at: 300 })],
    }),
    wrong: {
      'a message is marked after the opt-out was answered': {
        evidence: evidence({
          history: [asked({ ...OUT, startedAt: 50, endedAt: 90 })],
          entries: [waits('a', 1), settles('a', 2)],
          marks: [{ messageId: 'msg_a', at: 95, epoch: 1 }],
          transmissions: [transmission('a')],
        }),
        says: /a was handed over after the opt-out of 90/,
      },
    },
  },
};
