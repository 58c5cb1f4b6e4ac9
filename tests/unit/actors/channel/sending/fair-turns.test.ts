/**
 * Fair sending: shares of the classes, the turn of a reply, and the bound of what goes before one.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FairTurns, type Waiting } from '../../../../../actors/channel/sending/fair-turns.ts';
import { SendQueue } from '../../../../../actors/channel/sending/send-queue.ts';
import { URGENCIES, type Urgency } from '../../../../../shared/vocabulary.ts';
import { withRuns } from '../../../../support/property.ts';

const SHARES = { reply: 15, normal: 3, bulk: 2 } as const;
const WINDOW = 20;
const ALL: Waiting = { reply: true, normal: true, bulk: true };

function countOf(turns: readonly (Urgency | null)[], urgency: Urgency): number {
  return turns.filter((each) => each === urgency).length;
}

/** Takes a turn; afterwards the same classes wait. */
function turn(turns: FairTurns, waiting: Waiting): Urgency | null {
  const urgency = turns.next(waiting);
  if (urgency !== null) turns.take(urgency, waiting.reply);
  return urgency;
}

const waitingArb: fc.Arbitrary<Waiting> = fc.record({
  ...{ reply: fc.boolean(), normal: fc.boolean(), bulk: fc.boolean() },
});

test('of any 20 sends while all three classes wait, 15 are replies, 3 normal, 2 bulk', () => {
  withRuns(300)([fc.array(waitingArb, { maxLength: 60 }), fc.nat(40)], (before, more) => {
    const turns = new FairTurns();
    for (const waiting of before) turn(turns, waiting);
    const went = Array.from({ length: WINDOW + more }, () => turn(turns, ALL));
    for (let from = 0; from + WINDOW <= went.length; from++) {
      const some = went.slice(from, from + WINDOW);
      for (const urgency of URGENCIES) assert.equal(countOf(some, urgency), SHARES[urgency]);
    }
  });
});

test('the turn of a class of which none waits goes to the most urgent that waits', () => {
  const shares = (waiting: Waiting) => {
    const turns = new FairTurns();
    const went = Array.from({ length: WINDOW }, () => turn(turns, waiting));
    return URGENCIES.map((urgency) => countOf(went, urgency));
  };
  assert.deepEqual(shares({ ...ALL, reply: false }), [0, 18, 2]);
  assert.deepEqual(shares({ ...ALL, normal: false }), [18, 0, 2]);
  assert.deepEqual(shares({ ...ALL, bulk: false }), [17, 3, 0]);
  for (const urgency of URGENCIES) {
    const alone = { reply: false, normal: false, bulk: false, [urgency]: true };
    assert.equal(new Set(shares(alone)).has(WINDOW), true, urgency);
  }
  assert.equal(new FairTurns().next({ reply: false, normal: false, bulk: false }), null);
});

test('a reply that finds no other reply waiting is next, whatever went before', () => {
  withRuns(500)([fc.array(waitingArb, { maxLength: 60 })], (before) => {
    const turns = new FairTurns();
    for (const waiting of before) turn(turns, waiting);
    const none = { ...ALL, reply: false };
    turn(turns, none);
    assert.equal(turns.next(ALL), 'reply');
  });
});

/** The turns while normal and bulk messages wait, and so many replies come between two sends. */
function whileRepliesCome(perSend: number, sends: number): readonly (Urgency | null)[] {
  const turns = new FairTurns();
  let waits = 0;
  return Array.from({ length: sends }, () => {
    waits += perSend;
    const urgency = turns.next({ ...ALL, reply: waits >= 1 });
    if (urgency === 'reply') waits -= 1;
    turns.take(urgency ?? assert.fail(), waits >= 1);
    return urgency;
  });
}

test('replies that come one at a time leave the others what they do not use (D484)', () => {
  for (const [perSend, others] of [
    [0.5, 500],
    [0.8, 200],
    [0.95, 50],
    [1, 0],
  ] as const) {
    const went = whileRepliesCome(perSend, 1_000);
    const count = countOf(went, 'normal') + countOf(went, 'bulk');
    assert.ok(Math.abs(count - others) <= 1, `${perSend} a send leave ${count}`);
  }
});

test('once two replies wait, every fourth turn is for the others, for as long as one waits', () => {
  for (const perSend of [1.01, 1.1, 3]) {
    const went = whileRepliesCome(perSend, 1_000).slice(200);
    for (let from = 0; from + WINDOW <= went.length; from++) {
      const some = went.slice(from, from + WINDOW);
      for (const urgency of URGENCIES) assert.equal(countOf(some, urgency), SHARES[urgency]);
    }
  }
});

/** A reply that waits: what it may still let go before it. */
interface Pending {
  readonly conversationId: string;
  readonly seq: number;
  readonly acceptedAt: number;
  /** Messages of its conversation that had to go before. */
  readonly predecessors: number;
  went: number;
  ofReplyQueues: number;
  others: number;
}

interface Accepting {
  readonly conversation: number;
  readonly urgency: Urgency;
}

const PACE = { perSecond: 1, pairBurst: 1_000, pairEveryMs: 1 };
const acceptArb: fc.Arbitrary<Accepting> = fc.record({
  conversation: fc.nat(7),
  urgency: fc.constantFrom(...URGENCIES),
});
/** Null: a message goes. */
const stepsArb = fc.array(fc.oneof(acceptArb, acceptArb, fc.constant(null)), {
  ...{ maxLength: 120, size: 'max' },
});

class World {
  readonly #queue = new SendQueue();
  readonly #last = new Map<string, number>();
  readonly #done = new Map<string, number>();
  readonly #acceptedAt = new Map<string, number>();
  readonly #pending = new Set<Pending>();
  #accepted = 0;
  #now = 0;
  bounded = 0;

  accept({ conversation, urgency }: Accepting): void {
    const conversationId = `c${conversation}`;
    const seq = (this.#last.get(conversationId) ?? 0) + 1;
    const predecessors = seq - 1 - (this.#done.get(conversationId) ?? 0);
    const acceptedAt = ++this.#accepted;
    this.#last.set(conversationId, seq);
    this.#acceptedAt.set(`${conversationId}/${seq}`, acceptedAt);
    this.#queue.offer({ conversationId, entryId: `${conversationId}/${seq}`, seq, urgency }, false);
    if (urgency !== 'reply') return;
    const counted = { went: 0, ofReplyQueues: 0, others: 0 };
    this.#pending.add({ conversationId, seq, acceptedAt, predecessors, ...counted });
  }

  /** One message goes, and its result is there before the next. */
  go(): boolean {
    this.#now += 1_000;
    const next = this.#queue.next({ pace: PACE, now: this.#now });
    const [sent, ...more] = 'batch' in next ? next.batch : [];
    assert.equal(more.length, 0);
    if (!sent) return false;
    const { queue, message } = sent;
    this.#note(queue.conversationId, message.entryId, queue.urgency === 'reply');
    assert.equal(message.seq, (this.#done.get(queue.conversationId) ?? 0) + 1, 'out of order');
    this.#done.set(queue.conversationId, message.seq);
    this.#queue.settle(queue, { result: 'done', byNetwork: true, accepted: true }, this.#now);
    return true;
  }

  #note(conversationId: string, entryId: string, ofReplyQueue: boolean): void {
    for (const each of this.#pending) {
      if (`${each.conversationId}/${each.seq}` === entryId) {
        this.#end(each);
      } else if (each.conversationId === conversationId) each.went++;
      else if (ofReplyQueue) {
        each.ofReplyQueues++;
        const isLater = (this.#acceptedAt.get(entryId) ?? 0) > each.acceptedAt;
        assert.ok(!isLater || each.predecessors > 0, 'a later reply went first');
      } else each.others++;
    }
  }

  #end(reply: Pending): void {
    const { predecessors, went, ofReplyQueues, others } = reply;
    this.#pending.delete(reply);
    this.bounded++;
    assert.equal(went, predecessors);
    const most = Math.ceil((predecessors + ofReplyQueues + 1) / 3);
    assert.ok(others <= most, `${others} of ${most} other messages: ${JSON.stringify(reply)}`);
  }
}

test('before a reply go its predecessors, reply queues ahead, and a third of that of others', () => {
  let bounded = 0;
  withRuns(2_000)([stepsArb], (steps) => {
    const world = new World();
    for (const step of steps) {
      if (step === null) world.go();
      else world.accept(step);
    }
    while (world.go());
    bounded += world.bounded;
  });
  assert.ok(bounded > 10_000, `${bounded} replies`);
});

test('a reply is claimed while only other classes wait for tokens of the number', () => {
  const queue = new SendQueue();
  const pace = { perSecond: 80, pairBurst: 10, pairEveryMs: 1 };
  for (let n = 0; n < 200; n++) {
    const conversationId = `b${n}`;
    queue.offer({ conversationId, entryId: conversationId, seq: 1, urgency: 'bulk' }, false);
  }
  assert.ok('batch' in queue.next({ pace, now: 0 }));
  // Fewer tokens than a batch has messages.
  const now = 100;
  assert.ok('waitMs' in queue.next({ pace, now }));
  const claim = (conversationId: string, urgency: Urgency) =>
    queue.claim(
      { conversationId, entryId: conversationId, seq: 1, previousSeq: 0, urgency },
      {
        ...{ pace, now },
      },
    );
  assert.equal(claim('n', 'normal'), null);
  assert.equal(claim('b', 'bulk'), null);
  assert.equal(claim('b7', 'reply'), null, 'its conversation has a queue');
  assert.notEqual(claim('r', 'reply'), null);
});

test('a reply waits for no room that other classes have taken in memory', () => {
  const queue = new SendQueue({ page: 10 });
  for (let n = 0; n < 40; n++) {
    const conversationId = `b${n}`;
    queue.conversations.add({ conversationId, entryId: conversationId, seq: 1, urgency: 'bulk' });
  }
  for (const urgency of URGENCIES) queue.backlogs[urgency].recordRead(false);
  assert.ok(queue.isSaturated('bulk', true, 0));
  assert.ok(!queue.isSaturated('reply', true, 0));
  const offer = (conversationId: string, urgency: Urgency) =>
    queue.offer({ conversationId, entryId: conversationId, seq: 1, urgency }, false);
  offer('more', 'bulk');
  assert.equal(queue.conversations.classes.sizeOf('bulk'), 40);
  offer('r', 'reply');
  assert.equal(queue.conversations.classes.sizeOf('reply'), 1);
});

test('a reply whose predecessor has to be found keeps its place, its turn and its tokens', () => {
  const queue = new SendQueue();
  const pace = { perSecond: 1, pairBurst: 1, pairEveryMs: 60_000 };
  queue.offer({ conversationId: 'a', entryId: 'a2', seq: 2, urgency: 'reply' }, false);
  queue.offer({ conversationId: 'b', entryId: 'b1', seq: 1, urgency: 'reply' }, false);
  const take = () => {
    const next = queue.next({ pace, now: 0 });
    return 'batch' in next ? next.batch : [];
  };
  const [first] = take();
  assert.equal(first?.message.entryId, 'a2');
  queue.conversations.add({ conversationId: 'a', entryId: 'a1', seq: 1, urgency: 'bulk' });
  queue.settle(first.queue, { result: 'preceded' }, 0);
  assert.deepEqual(
    take().map(({ message }) => message.entryId),
    ['a1'],
  );
});
