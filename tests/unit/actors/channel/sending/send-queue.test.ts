/** The send queue beside a model: order, claims, the pace, and that no conversation starves. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { ConversationQueue } from '../../../../../actors/channel/sending/conversation-queue.ts';
import { SendQueue } from '../../../../../actors/channel/sending/send-queue.ts';
import type { SendResult } from '../../../../../actors/channel/sending/send-result.ts';
import type { TokenBucketRule } from '../../../../../actors/domain/rate-limits.ts';
import { URGENCIES, type Urgency } from '../../../../../shared/vocabulary.ts';
import { withRuns } from '../../../../support/property.ts';

const CONVERSATIONS = ['a', 'b', 'c', 'd', 'e'] as const;
const PACE = { perSecond: 5, pairBurst: 2, pairEveryMs: 700 };
const OF_NUMBER = { burst: PACE.perSecond, everyMs: 1_000 / PACE.perSecond };
const OF_PAIR = { burst: PACE.pairBurst, everyMs: PACE.pairEveryMs };
/** Longer than any wait that a result below asks for. */
const WAITED_MS = 60_000;
const DONE: SendResult = { result: 'done', byNetwork: true, accepted: true };

const RESULTS = {
  done: DONE,
  'pair later': { result: 'later', later: { outcome: 'later', scope: 'pair', waitMs: 100 } },
  'number later': { result: 'later', later: { outcome: 'later', scope: 'number', waitMs: 300 } },
  unanswered: { result: 'ambiguous', waitMs: 2_000, unanswered: true },
  retry: { result: 'retry', waitMs: 250 },
  held: { result: 'held', held: 'as first', waitMs: 5_000 },
  preceded: { result: 'preceded' },
} as const satisfies Record<string, SendResult>;

interface Sent {
  readonly queue: ConversationQueue;
  readonly seq: number;
  /** Its insert is under way. */
  readonly isClaimed: boolean;
}

/** A conversation as the model knows it: its messages 1 to `last`, of which `done` are complete. */
interface Modelled {
  last: number;
  done: number;
  inFlight: Sent | null;
  /** It has waited for nothing since its last message was complete. */
  isDue: boolean;
  /** Of its messages, by `seq` from 1 on. */
  readonly urgencies: Urgency[];
}

/** Whether a message that is not in flight may go, and is of a queue of replies. */
function isDue({ isDue: due, inFlight, last, done, urgencies }: Modelled, ofReplies: boolean) {
  const isReply = urgencies.slice(done).includes('reply');
  return due && !inFlight && last > done && (isReply || !ofReplies);
}

/** Tokens that were spent, and returned. */
type Spent = { readonly at: number; readonly tokens: 1 | -1 }[];

class World {
  readonly queue = new SendQueue();
  readonly #known = new Map<string, Modelled>();
  readonly #ofNumber: Spent = [];
  readonly #ofPairs = new Map<string, Spent>();
  #now = 1_000;
  claims = 0;

  get left(): number {
    return [...this.#known.values()].reduce((sum, { last, done }) => sum + last - done, 0);
  }

  of(conversationId: string): Modelled {
    const known = this.#known.get(conversationId);
    if (known) return known;
    const fresh: Modelled = { last: 0, done: 0, inFlight: null, isDue: true, urgencies: [] };
    this.#known.set(conversationId, fresh);
    return fresh;
  }

  pass(ms: number): void {
    this.#now += ms;
  }

  /** A new message is claimed, or waits for its turn. */
  accept(conversationId: string, urgency: Urgency): void {
    const known = this.of(conversationId);
    const seq = ++known.last;
    known.urgencies.push(urgency);
    const entryId = `${conversationId}${seq}`;
    const others = [...this.#known.values()].filter((each) => each !== known);
    const claim = { conversationId, entryId, seq, previousSeq: seq - 1, urgency };
    const queue = this.queue.claim(claim, { pace: PACE, now: this.#now });
    if (queue === null) return this.queue.offer({ conversationId, entryId, seq, urgency }, false);
    this.claims++;
    assert.equal(known.done, seq - 1, 'claimed before its predecessor is complete');
    const overtaken = others.some((each) => isDue(each, urgency === 'reply'));
    assert.ok(!overtaken, 'claimed while another was due');
    this.#sends(conversationId, { queue, seq, isClaimed: true });
  }

  /** The loop asks for a batch. */
  take(): number {
    const next = this.queue.next({ pace: PACE, now: this.#now });
    const batch = 'batch' in next ? next.batch : [];
    for (const { queue, message } of batch) {
      const { conversationId } = queue;
      assert.equal(message.seq, this.of(conversationId).done + 1, 'not the oldest');
      this.#sends(conversationId, { queue, seq: message.seq, isClaimed: false });
    }
    // The others may wait for their pairs.
    for (const each of this.#known.values()) if (each.last > each.done) each.isDue = false;
    if ('waitMs' in next && next.waitMs !== null) assert.ok(next.waitMs > 0);
    return batch.length;
  }

  /** The send in flight ends; a claim whose insert is lost ends without one. */
  settle(conversationId: string, result: SendResult, isInserted = true): void {
    const known = this.of(conversationId);
    const { inFlight } = known;
    if (!inFlight) return;
    known.inFlight = null;
    const { queue, seq, isClaimed } = inFlight;
    if (isClaimed) this.queue.endInsert(queue, isInserted);
    if (isClaimed && !isInserted) {
      // It is on record all the same: a nudge tells of it.
      known.isDue = false;
      const entryId = `${conversationId}${seq}`;
      const urgency = known.urgencies[seq - 1] ?? assert.fail();
      return this.queue.offer({ conversationId, entryId, seq, urgency }, false);
    }
    const unspent = { at: this.#now, tokens: -1 } as const;
    const isPreceded = result.result === 'preceded';
    if (isPreceded || result.result === 'held') this.#ofNumber.push(unspent);
    if (isPreceded) this.#ofPairs.get(conversationId)?.push(unspent);
    const isDone = result.result === 'done';
    known.isDue = isDone || isPreceded;
    if (isDone) known.done = seq;
    const { messageId } = this.queue.settle(queue, result, this.#now);
    assert.equal(messageId, `${conversationId}${seq}`);
  }

  compare(): void {
    const inFlight = [...this.#known.values()].filter((each) => each.inFlight).length;
    assert.equal(this.queue.inFlight, inFlight);
    assert.equal(this.queue.conversations.size, this.left);
  }

  assertPace(): void {
    assertSpent(this.#ofNumber, OF_NUMBER);
    for (const spent of this.#ofPairs.values()) assertSpent(spent, OF_PAIR);
  }

  #sends(conversationId: string, sent: Sent): void {
    const known = this.of(conversationId);
    assert.equal(known.inFlight, null, 'two of one conversation in flight');
    known.inFlight = sent;
    const spent = { at: this.#now, tokens: 1 } as const;
    this.#ofNumber.push(spent);
    const ofPair = this.#ofPairs.get(conversationId) ?? [];
    this.#ofPairs.set(conversationId, [...ofPair, spent]);
  }
}

/** From any moment on, no more than the burst and what has been refilled since. */
function assertSpent(spent: Readonly<Spent>, { burst, everyMs }: TokenBucketRule): void {
  spent.forEach((from, first) => {
    let sum = 0;
    for (const { at, tokens } of spent.slice(first)) {
      sum += tokens;
      assert.ok(sum <= burst + (at - from.at) / everyMs + 1e-6, 'the pace is exceeded');
    }
  });
}

type Step = (world: World) => void;

const conversationArb = fc.constantFrom(...CONVERSATIONS);
const resultArb = fc.constantFrom(...Object.values(RESULTS), DONE, DONE, DONE);
const stepArb: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(conversationArb, fc.constantFrom(...URGENCIES)).map(
    ([id, urgency]): Step =>
      (world) =>
        world.accept(id, urgency),
  ),
  fc.constant<Step>((world) => void world.take()),
  fc.constantFrom(0, 10, 100, 400, 2_000, WAITED_MS).map(
    (ms): Step =>
      (world) =>
        world.pass(ms),
  ),
  fc.tuple(conversationArb, resultArb, fc.boolean()).map(
    ([id, result, isInserted]): Step =>
      (world) =>
        world.settle(id, result, isInserted),
  ),
);

test('invariant 2: order, claims and pace hold, and in the end every message has gone', () => {
  let claims = 0;
  withRuns(2_000)([fc.array(stepArb, { maxLength: 80, size: 'max' })], (steps) => {
    const world = new World();
    for (const step of steps) {
      step(world);
      world.compare();
    }
    // Each round ends all waits: every conversation that has messages sends one at least.
    for (let left = world.left; left > 0; left = world.left) {
      const waiting = CONVERSATIONS.filter((id) => world.of(id).last > world.of(id).done);
      const before = new Map(waiting.map((id) => [id, world.of(id).done]));
      for (const id of CONVERSATIONS) world.settle(id, DONE);
      world.pass(WAITED_MS);
      for (let round = 0; round <= CONVERSATIONS.length && world.take() > 0; round++) {
        for (const id of CONVERSATIONS) world.settle(id, DONE);
        world.pass(1_000);
      }
      for (const id of waiting)
        assert.ok(world.of(id).done > (before.get(id) ?? 0), `${id} starves`);
      world.compare();
    }
    world.assertPace();
    claims += world.claims;
  });
  assert.ok(claims > 2_000, `${claims} claims`);
});

test('conversations take turns: none goes twice while another is due', () => {
  const countsArb = fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 2, maxLength: 8 });
  withRuns(200)([countsArb, fc.integer({ min: 1, max: 40 })], (counts, perSecond) => {
    const queue = new SendQueue();
    counts.forEach((count, at) => {
      for (let seq = 1; seq <= count; seq++) {
        queue.offer(
          { conversationId: `c${at}`, entryId: `c${at}/${seq}`, seq, urgency: 'normal' },
          false,
        );
      }
    });
    const pace = { perSecond, pairBurst: 10, pairEveryMs: 1 };
    const went = counts.map(() => 0);
    for (let now = 0; queue.conversations.size > 0; now += 1_000) {
      const next = queue.next({ pace, now });
      for (const { queue: each } of 'batch' in next ? next.batch : []) {
        const at = Number(each.conversationId.slice(1));
        const most = went[at] ?? 0;
        for (const [other, count] of went.entries()) {
          assert.ok(count >= Math.min(most, counts[other] ?? 0), `c${other} is due before c${at}`);
        }
        went[at] = most + 1;
        queue.settle(each, DONE, now);
      }
    }
    assert.deepEqual(went, counts);
  });
});
