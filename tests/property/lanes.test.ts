import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  type ConversationQueue,
  ConversationQueues,
} from '../../actors/channel/conversation-queues.ts';

const CONVERSATIONS = ['a', 'b', 'c', 'd'] as const;

interface Modelled {
  /** Of the messages that wait, the one under way included. */
  readonly waiting: Set<number>;
  underWay: number | null;
  notBefore: number;
}

/** A second, naive telling of what lanes are. */
interface Model {
  readonly lanes: Map<string, Modelled>;
  now: number;
}

interface Real {
  readonly lanes: ConversationQueues;
  readonly busy: Map<string, ConversationQueue>;
}

type Step = fc.Command<Model, Real>;

const entryId = (conversationId: string, seq: number): string => `${conversationId}${seq}`;

function modelled(model: Model, conversationId: string): Modelled {
  let lane = model.lanes.get(conversationId);
  if (!lane) {
    lane = { waiting: new Set(), underWay: null, notBefore: 0 };
    model.lanes.set(conversationId, lane);
  }
  return lane;
}

/** The next to go: the oldest that waits. */
function oldest({ waiting }: Modelled): number {
  return Math.min(...waiting);
}

function assertSame(model: Model, real: Real): void {
  const waiting = [...model.lanes.values()].reduce((sum, lane) => sum + lane.waiting.size, 0);
  assert.equal(real.lanes.size, waiting);
  const idle = [...model.lanes.values()].filter(
    (lane) => lane.underWay === null && lane.waiting.size > 0,
  );
  const next = idle.length === 0 ? null : Math.min(...idle.map((lane) => lane.notBefore));
  assert.equal(real.lanes.nextAt(), next);
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
    real.lanes.add({ conversationId, seq, entryId: entryId(conversationId, seq) });
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
    const ready = [...model.lanes.values()].filter(
      (lane) => lane.underWay === null && lane.waiting.size > 0 && lane.notBefore <= model.now,
    );
    const taken = real.lanes.dequeue(this.most, model.now);
    assert.equal(taken.length, Math.min(this.most, ready.length));
    for (const { queue: lane, message: queued } of taken) {
      const known = modelled(model, lane.conversationId);
      assert.equal(known.underWay, null, 'two of one conversation under way');
      assert.ok(known.notBefore <= model.now, 'taken before its time');
      assert.equal(queued.seq, oldest(known), 'not the oldest');
      known.underWay = queued.seq;
      real.busy.set(lane.conversationId, lane);
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
    return (model.lanes.get(this.conversationId)?.underWay ?? null) !== null;
  }

  run(model: Model, real: Real): void {
    const known = modelled(model, this.conversationId);
    const lane = real.busy.get(this.conversationId);
    assert.ok(lane && known.underWay !== null);
    if (this.waitMs === null) {
      known.waiting.delete(known.underWay);
      known.notBefore = 0;
      real.lanes.completeOldest(lane);
    } else {
      known.notBefore = model.now + this.waitMs;
      real.lanes.wait(lane, known.notBefore);
    }
    known.underWay = null;
    assertSame(model, real);
  }

  toString(): string {
    const how = this.waitMs === null ? 'done' : `wait ${this.waitMs}`;
    return `${how}(${this.conversationId})`;
  }
}

/** The network judged a message by another way than the answer to its send. */
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
    real.lanes.complete(conversationId, entryId(conversationId, seq));
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
    const isFree = known.waiting.size === 0 && ![...model.lanes.values()].some(mayGo);
    assert.equal(real.lanes.isFree(conversationId, model.now), isFree);
    if (!isFree) return;
    const queued = { conversationId, seq, entryId: entryId(conversationId, seq) };
    const lane = real.lanes.addClaimed(queued);
    if (this.released) return this.release(real, lane);
    known.waiting.add(seq);
    known.underWay = seq;
    real.busy.set(conversationId, lane);
    assertSame(model, real);
  }

  /** What its successor waits for may still come to be there. */
  release({ lanes }: Real, lane: ConversationQueue): void {
    const wasSettled = lanes.isCompleted(this.conversationId, this.seq);
    lanes.removeClaimed(lane);
    assert.equal(lanes.isCompleted(this.conversationId, this.seq), wasSettled);
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
          model: { lanes: new Map(), now: 0 },
          real: { lanes: new ConversationQueues(), busy: new Map() },
        }),
        steps,
      );
    }),
    { numRuns: 2_000 },
  );
});

test('one conversation that has to wait holds up no other', () => {
  const lanes = new ConversationQueues();
  for (const id of CONVERSATIONS) lanes.add({ conversationId: id, seq: 1, entryId: `${id}1` });
  const [first] = lanes.dequeue(1, 0);
  assert.ok(first);
  lanes.wait(first.queue, 10_000);
  const others = lanes.dequeue(10, 0).map(({ queue: lane }) => lane.conversationId);
  assert.deepEqual(others, ['b', 'c', 'd']);
});

test('lanes take turns: a long queue in one does not come before the others again', () => {
  const lanes = new ConversationQueues();
  for (let seq = 1; seq <= 3; seq++) {
    lanes.add({ conversationId: 'a', seq, entryId: `a${seq}` });
  }
  lanes.add({ conversationId: 'b', seq: 1, entryId: 'b1' });
  const order: string[] = [];
  for (let round = 0; round < 4; round++) {
    const [taken] = lanes.dequeue(1, 0);
    assert.ok(taken);
    order.push(taken.message.entryId);
    lanes.completeOldest(taken.queue);
  }
  assert.deepEqual(order, ['a1', 'b1', 'a2', 'a3']);
});
