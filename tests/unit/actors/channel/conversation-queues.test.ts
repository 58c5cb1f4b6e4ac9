import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  type ConversationQueue,
  ConversationQueues,
} from '../../../../actors/channel/conversation-queues.ts';

const CONVERSATIONS = ['a', 'b', 'c', 'd'] as const;

interface Modelled {
  /** Of the messages that wait, the one under way included. */
  readonly waiting: Set<number>;
  underWay: number | null;
  notBefore: number;
}

/** A second, naive implementation of the conversation queues. */
interface Model {
  readonly queues: Map<string, Modelled>;
  now: number;
}

interface Real {
  readonly queues: ConversationQueues;
  readonly busy: Map<string, ConversationQueue>;
}

type Step = fc.Command<Model, Real>;

const entryId = (conversationId: string, seq: number): string => `${conversationId}${seq}`;

function modelled(model: Model, conversationId: string): Modelled {
  let queue = model.queues.get(conversationId);
  if (!queue) {
    queue = { waiting: new Set(), underWay: null, notBefore: 0 };
    model.queues.set(conversationId, queue);
  }
  return queue;
}

/** The next to go: the oldest that waits. */
function oldest({ waiting }: Modelled): number {
  return Math.min(...waiting);
}

function assertSame(model: Model, real: Real): void {
  const waiting = [...model.queues.values()].reduce((sum, queue) => sum + queue.waiting.size, 0);
  assert.equal(real.queues.size, waiting);
  const idle = [...model.queues.values()].filter(
    (queue) => queue.underWay === null && queue.waiting.size > 0,
  );
  const next = idle.length === 0 ? null : Math.min(...idle.map((queue) => queue.notBefore));
  assert.equal(real.queues.nextAt(), next);
}

class Add implements Step {
  readonly conversationId: string;
  readonly seq: number;

  constructor(conversationId: string, seq: number) {
    this.conversationId = conversationId;
    this.seq = seq;
  }

  check(): boolean {
    return true;
  }

  run(model: Model, real: Real): void {
    const { conversationId, seq } = this;
    modelled(model, conversationId).waiting.add(seq);
    real.queues.add({ conversationId, seq, entryId: entryId(conversationId, seq) });
    assertSame(model, real);
  }

  toString(): string {
    return `add(${entryId(this.conversationId, this.seq)})`;
  }
}

class Take implements Step {
  readonly most: number;
  readonly later: number;

  constructor(most: number, later: number) {
    this.most = most;
    this.later = later;
  }

  check(): boolean {
    return true;
  }

  run(model: Model, real: Real): void {
    model.now += this.later;
    const ready = [...model.queues.values()].filter(
      (queue) => queue.underWay === null && queue.waiting.size > 0 && queue.notBefore <= model.now,
    );
    const taken = real.queues.dequeue(this.most, model.now);
    assert.equal(taken.length, Math.min(this.most, ready.length));
    for (const { queue, message: queued } of taken) {
      const known = modelled(model, queue.conversationId);
      assert.equal(known.underWay, null, 'two of one conversation under way');
      assert.ok(known.notBefore <= model.now, 'taken before its time');
      assert.equal(queued.seq, oldest(known), 'not the oldest');
      known.underWay = queued.seq;
      real.busy.set(queue.conversationId, queue);
    }
    assertSame(model, real);
  }

  toString(): string {
    return `take(${this.most}, +${this.later})`;
  }
}

class Release implements Step {
  readonly conversationId: string;
  readonly waitMs: number | null;

  constructor(conversationId: string, waitMs: number | null) {
    this.conversationId = conversationId;
    this.waitMs = waitMs;
  }
  check(model: Readonly<Model>): boolean {
    return (model.queues.get(this.conversationId)?.underWay ?? null) !== null;
  }

  run(model: Model, real: Real): void {
    const known = modelled(model, this.conversationId);
    const queue = real.busy.get(this.conversationId);
    assert.ok(queue && known.underWay !== null);
    if (this.waitMs === null) {
      known.waiting.delete(known.underWay);
      known.notBefore = 0;
      real.queues.completeOldest(queue);
    } else {
      known.notBefore = model.now + this.waitMs;
      real.queues.wait(queue, known.notBefore);
    }
    known.underWay = null;
    assertSame(model, real);
  }

  toString(): string {
    const how = this.waitMs === null ? 'done' : `wait ${this.waitMs}`;
    return `${how}(${this.conversationId})`;
  }
}

/** A status of the network completes a message, not the answer to its send. */
class Settle implements Step {
  readonly conversationId: string;
  readonly seq: number;

  constructor(conversationId: string, seq: number) {
    this.conversationId = conversationId;
    this.seq = seq;
  }

  check(): boolean {
    return true;
  }

  run(model: Model, real: Real): void {
    const { conversationId, seq } = this;
    const known = modelled(model, conversationId);
    if (known.underWay !== seq && known.waiting.has(seq)) {
      if (known.underWay === null && seq === oldest(known)) known.notBefore = 0;
      known.waiting.delete(seq);
      if (known.waiting.size === 0) known.notBefore = 0;
    }
    real.queues.complete(conversationId, entryId(conversationId, seq));
    assertSame(model, real);
  }

  toString(): string {
    return `settle(${entryId(this.conversationId, this.seq)})`;
  }
}

/** A new message goes at once, if none has to go before it; `released`: it was never recorded. */
class Reserve implements Step {
  readonly conversationId: string;
  readonly seq: number;
  readonly released: boolean;

  constructor(conversationId: string, seq: number, released: boolean) {
    this.conversationId = conversationId;
    this.seq = seq;
    this.released = released;
  }

  check(): boolean {
    return true;
  }

  run(model: Model, real: Real): void {
    const { conversationId, seq } = this;
    const known = modelled(model, conversationId);
    const mayGo = ({ underWay, waiting, notBefore }: Modelled): boolean =>
      underWay === null && waiting.size > 0 && notBefore <= model.now;
    const isFree = known.waiting.size === 0 && ![...model.queues.values()].some(mayGo);
    assert.equal(real.queues.isFree(conversationId, model.now), isFree);
    if (!isFree) return;
    const queued = { conversationId, seq, entryId: entryId(conversationId, seq) };
    const queue = real.queues.addClaimed(queued);
    if (this.released) return this.release(real, queue);
    known.waiting.add(seq);
    known.underWay = seq;
    real.busy.set(conversationId, queue);
    assertSame(model, real);
  }

  /**
   * A released claim completes nothing: its entry may still be inserted, and its successor waits
   * for it.
   */
  release({ queues }: Real, queue: ConversationQueue): void {
    const wasSettled = queues.isCompleted(this.conversationId, this.seq);
    queues.removeClaimed(queue);
    assert.equal(queues.isCompleted(this.conversationId, this.seq), wasSettled);
  }

  toString(): string {
    return `reserve(${entryId(this.conversationId, this.seq)}${this.released ? ', released' : ''})`;
  }
}

const conversationArb = fc.constantFrom(...CONVERSATIONS);
const seqArb = fc.integer({ min: 1, max: 12 });

test('invariant 2: each lane goes in order of seq, one at a time, whatever happens meanwhile', () => {
  const commands = fc.commands<Model, Real>(
    [
      fc.tuple(conversationArb, seqArb).map(([id, seq]) => new Add(id, seq)),
      fc.tuple(fc.integer({ min: 1, max: 4 }), fc.nat(50)).map(([n, ms]) => new Take(n, ms)),
      conversationArb.map((id) => new Release(id, null)),
      fc.tuple(conversationArb, fc.nat(60)).map(([id, ms]) => new Release(id, ms)),
      fc.tuple(conversationArb, seqArb).map(([id, seq]) => new Settle(id, seq)),
      fc
        .tuple(conversationArb, seqArb, fc.boolean())
        .map(([id, seq, released]) => new Reserve(id, seq, released)),
    ],
    { maxCommands: 80, size: 'max' },
  );
  fc.assert(
    fc.property(commands, (steps) => {
      fc.modelRun(
        () => ({
          model: { queues: new Map(), now: 0 },
          real: { queues: new ConversationQueues(), busy: new Map() },
        }),
        steps,
      );
    }),
    { numRuns: 2_000 },
  );
});

test('one conversation that has to wait holds up no other', () => {
  const queues = new ConversationQueues();
  for (const id of CONVERSATIONS) queues.add({ conversationId: id, seq: 1, entryId: `${id}1` });
  const [first] = queues.dequeue(1, 0);
  assert.ok(first);
  queues.wait(first.queue, 10_000);
  const others = queues.dequeue(10, 0).map(({ queue }) => queue.conversationId);
  assert.deepEqual(others, ['b', 'c', 'd']);
});

test('lanes take turns: a long queue in one does not come before the others again', () => {
  const queues = new ConversationQueues();
  for (let seq = 1; seq <= 3; seq++) {
    queues.add({ conversationId: 'a', seq, entryId: `a${seq}` });
  }
  queues.add({ conversationId: 'b', seq: 1, entryId: 'b1' });
  const order: string[] = [];
  for (let round = 0; round < 4; round++) {
    const [taken] = queues.dequeue(1, 0);
    assert.ok(taken);
    order.push(taken.message.entryId);
    queues.completeOldest(taken.queue);
  }
  assert.deepEqual(order, ['a1', 'b1', 'a2', 'a3']);
});
