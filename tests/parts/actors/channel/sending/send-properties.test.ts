/**
 * Properties of sends from conversation to network: order, one at a time, the pace, and no
 * unjournaled send. The store loses answers, and the network is slow or refuses.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { TokenBucketRule } from '../../../../../actors/domain/rate-limits.ts';
import type { OutboundText, SendOutcome } from '../../../../../shared/ports/network.ts';
import { accepted, SendFixture, type Transmission } from '../send-fixture.ts';

const PACE = { perSecond: 5, pairBurst: 2, pairEveryMs: 400 };
const IN_THE_END_MS = 30_000;
/** A contact whose messages the network turns away five times over waits for two minutes. */
const AT_LAST_MS = 1_200_000;
const LATER: SendOutcome = { outcome: 'later', scope: 'pair', waitMs: 300 };

type Inserting = 'done' | 'slow' | 'lost' | 'never';
type Answering = 'at once' | 'slow' | 'later';

interface Plan {
  readonly inserts: readonly Inserting[];
  readonly answers: readonly Answering[];
  readonly steps: readonly ({ readonly send: string } | { readonly pass: number })[];
}

const planArb: fc.Arbitrary<Plan> = fc.record({
  inserts: fc.array(fc.constantFrom<Inserting>('done', 'done', 'done', 'slow', 'lost', 'never'), {
    minLength: 1,
  }),
  answers: fc.array(fc.constantFrom<Answering>('at once', 'at once', 'slow', 'later'), {
    minLength: 1,
  }),
  steps: fc.array(
    fc.oneof(
      {
        weight: 3,
        arbitrary: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g').map((send) => ({ send })),
      },
      { weight: 1, arbitrary: fc.constantFrom(0, 20, 60, 250, 1_200).map((pass) => ({ pass })) },
    ),
    { minLength: 1, maxLength: 40, size: 'max' },
  ),
});

/** Sees to it that each message that goes may go. */
class Watch {
  readonly fixture: SendFixture;
  readonly #underWay = new Set<string>();
  readonly #accepted: string[] = [];

  constructor(fixture: SendFixture) {
    this.fixture = fixture;
  }

  begin({ messageId }: OutboundText): string {
    const entries = this.fixture.entries();
    const entry = entries.find(({ _id }) => _id === messageId);
    assert.equal(entry?.send?.state, 'sending', 'it is on record that it goes');
    assert.ok(this.fixture.isJournaled(messageId), 'its insert is journaled');
    const { conversationId, seq } = entry;
    for (const other of entries) {
      if (other.conversationId !== conversationId || other.seq >= seq) continue;
      assert.equal(other.send, undefined, 'one before it in its conversation waits');
    }
    assert.ok(!this.#underWay.has(conversationId), 'another of its conversation is under way');
    this.#underWay.add(conversationId);
    return conversationId;
  }

  end(conversationId: string, { messageId }: OutboundText, outcome: SendOutcome): SendOutcome {
    this.#underWay.delete(conversationId);
    if (outcome.outcome === 'accepted') this.#accepted.push(messageId);
    return outcome;
  }

  /** Everything that is recorded went, once. */
  ended(): void {
    const recorded = this.fixture.entries().map(({ _id }) => _id);
    assert.deepEqual(this.#accepted.toSorted(), recorded.toSorted());
    const { transmissions: transmission } = this.fixture;
    assertPace(transmission, { burst: PACE.perSecond, everyMs: 1_000 / PACE.perSecond });
    for (const pair of Map.groupBy(transmission, ({ conversationId }) => conversationId).values()) {
      assertPace(pair, { burst: PACE.pairBurst, everyMs: PACE.pairEveryMs });
    }
  }
}

/** The pace holds when a message is claimed: one whose insert is slow goes somewhat later. */
function assertPace(
  transmission: readonly Transmission[],
  { burst, everyMs }: TokenBucketRule,
): void {
  transmission.forEach((from, first) => {
    transmission.slice(first).forEach(({ at }, more) => {
      assert.ok(more <= burst + (at - from.at) / everyMs, 'the pace is exceeded');
    });
  });
}

function carryOutPlan(fixture: SendFixture, { inserts, answers }: Plan, watch: Watch): void {
  const wait = (ms: number) => new Promise<void>((resume) => fixture.clock.after(ms, resume));
  let inserted = 0;
  fixture.inserting = async (carryOut) => {
    const how = inserts[inserted++] ?? 'done';
    if (how === 'slow') await wait(70);
    if (how !== 'never') carryOut();
    if (how === 'slow') await wait(70);
    if (how === 'lost') throw new Error('the answer was lost');
  };
  let answered = 0;
  fixture.answer = async (message) => {
    const how = answers[answered++] ?? 'at once';
    const conversationId = watch.begin(message);
    if (how === 'slow') await wait(130);
    const outcome = how === 'later' ? LATER : accepted(message);
    return watch.end(conversationId, message, outcome);
  };
}

test('invariant 2, with messages that their insert marks', async () => {
  let marked = 0;
  await fc.assert(
    fc.asyncProperty(planArb, async (plan) => {
      const fixture = await SendFixture.opened(PACE);
      const watch = new Watch(fixture);
      carryOutPlan(fixture, plan, watch);
      for (const step of plan.steps) {
        if ('pass' in step) await fixture.pass(step.pass);
        else void fixture.send(step.send, 'oi');
      }
      await fixture.pass(IN_THE_END_MS, 100);
      await fixture.pass(AT_LAST_MS, 5_000);
      assert.deepEqual(fixture.faults, []);
      watch.ended();
      marked += fixture.writes.filter(
        (write) =>
          'insert' in write &&
          Reflect.get(Object(Object(write.document).send), 'state') === 'sending',
      ).length;
    }),
    { numRuns: 120 },
  );
  assert.ok(marked > 120, `${marked} inserts marked their message`);
});
