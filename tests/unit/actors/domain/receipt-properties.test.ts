import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decideReceipt, type Receipt } from '../../../../actors/domain/network-message.ts';
import { STATUS_RANK, type StoredMessage } from '../../../../shared/message.ts';
import { NOW, outboundFixture } from '../../../support/actors/domain/message-fixture.ts';

const RUNS = { numRuns: 5_000 };

const receiptArb: fc.Arbitrary<Receipt> = fc.record(
  {
    status: fc.constantFrom(
      'sent' as const,
      'delivered' as const,
      'read' as const,
      'failed' as const,
    ),
    at: fc.integer({ min: NOW - 3_000, max: NOW + 60_000 }),
    externalId: fc.constant('wamid.1'),
  },
  { requiredKeys: ['status', 'at'] },
);
const receiptsArb = fc.array(receiptArb, { maxLength: 12 });

interface Told {
  readonly message: StoredMessage;
  readonly events: readonly string[];
  readonly steps: readonly StoredMessage[];
}

function tell(receipts: readonly Receipt[]): Told {
  let message = outboundFixture();
  const events: string[] = [];
  const steps = [message];
  for (const receipt of receipts) {
    const decision = decideReceipt(message, receipt);
    if (!decision) continue;
    message = decision.message;
    events.push(...decision.events.map(({ event }) => event));
    steps.push(message);
  }
  return { message, events, steps };
}

test('design, Networks: the ladder never goes down, whatever order the receipts come in', () => {
  fc.assert(
    fc.property(receiptsArb, (receipts) => {
      const { steps } = tell(receipts);
      steps.reduce((before, after) => {
        assert.ok(STATUS_RANK[after.status] >= STATUS_RANK[before.status]);
        assert.ok(after.revision > before.revision);
        for (const step of ['sent', 'delivered', 'read'] as const) {
          if (before.receipts[step] !== null) {
            assert.equal(after.receipts[step], before.receipts[step]);
          }
        }
        return after;
      });
    }),
    RUNS,
  );
});

test('where it ends does not depend on the order or on repetition', () => {
  const shuffled = receiptsArb.chain((receipts) =>
    fc.tuple(
      fc.constant(receipts),
      fc.shuffledSubarray([...receipts, ...receipts], {
        minLength: 2 * receipts.length,
        maxLength: 2 * receipts.length,
      }),
    ),
  );
  fc.assert(
    fc.property(shuffled, ([receipts, again]) => {
      const one = tell(receipts).message;
      const other = tell(again).message;
      assert.equal(other.status, one.status);
      const highest = Math.max(STATUS_RANK.sending, ...receipts.map((r) => STATUS_RANK[r.status]));
      assert.equal(STATUS_RANK[one.status], highest);
    }),
    RUNS,
  );
});

test('of two owners who go on from one message, the higher status has the higher revision', () => {
  fc.assert(
    fc.property(receiptsArb, receiptsArb, receiptsArb, (before, some, others) => {
      const [one, other] = [some, others].map((each) => tell([...before, ...each]).message);
      assert.ok(one && other);
      const higher = STATUS_RANK[one.status] - STATUS_RANK[other.status];
      if (higher !== 0) assert.equal(Math.sign(one.revision - other.revision), Math.sign(higher));
    }),
    RUNS,
  );
});

test('invariant 5: one event per transition, none for a repeat', () => {
  fc.assert(
    fc.property(receiptsArb, (receipts) => {
      const { events, message } = tell(receipts);
      assert.equal(new Set(events).size, events.length, events.join());
      assert.equal(events.includes('message.sent'), message.receipts.sent !== null);
      for (const receipt of receipts) assert.equal(decideReceipt(message, receipt), null);
    }),
    RUNS,
  );
});

test('sent, delivered and read are shown in this order, each filled by what comes after it', () => {
  fc.assert(
    fc.property(receiptsArb, (receipts) => {
      const { sent, delivered, read } = tell(receipts).message.receipts;
      if (read !== null) assert.ok(delivered !== null && delivered <= read);
      if (delivered !== null) assert.ok(sent !== null && sent <= delivered);
    }),
    RUNS,
  );
});
