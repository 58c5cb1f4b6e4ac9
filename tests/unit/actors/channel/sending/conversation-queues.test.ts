import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { CompletedMessages } from '../../../../../actors/channel/sending/completed-messages.ts';
import type { ConversationQueue } from '../../../../../actors/channel/sending/conversation-queue.ts';
import { ConversationQueues } from '../../../../../actors/channel/sending/conversation-queues.ts';
import { withRuns } from '../../../../support/property.ts';

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
  readonly completed: CompletedMessages;
  readonly queues: ConversationQueues;
  readonly busy: Map<string, ConversationQueue>;
}

type Step = fc.Command<Model, Real>;
type Place = { readonly conversationId: string; readonly seq: number };

const urgency = 'normal';
/** What a send costs: nothing, at once. */
const free = () => 0;
const entryId = (conversationId: string, seq: number): string => `${conversationId}${seq}`;

function modelled(model: Model, conversationId: string): Modelled {
  let queue = model.queues.get(conversationId);
  if (!queue) {
    queue = { waiting: new Set(), underWay: null, notBefore: 0 };
    model.queues.set(conversationId, queue);
  }
  return queue;
}

function mayGo({ underWay, waiting, notBefore }: Modelled, now: number): boolean {
  return underWay === null && waiting.size > 0 && notBefore <= now;
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

/** A command that is compared with the model after it has run. */
function step(name: string, run: Step['run'], check: Step['check'] = () => true): Step {
  const compared = (model: Model, real: Real): void => {
    run(model, real);
    assertSame(model, real);
  };
  return { check, run: compared, toString: () => name };
}

const add = (conversationId: string, seq: number) =>
  step(`add(${entryId(conversationId, seq)})`, (model, { queues }) => {
    modelled(model, conversationId).waiting.add(seq);
    queues.add({ conversationId, seq, entryId: entryId(conversationId, seq), urgency });
  });

const take = (most: number, later: number) =>
  step(`take(${most}, +${later})`, (model, { queues, busy }) => {
    model.now += later;
    const ready = [...model.queues.values()].filter((queue) => mayGo(queue, model.now));
    const taken = queues.classes.dequeue(most, model.now, free);
    assert.equal(taken.length, Math.min(most, ready.length));
    for (const { queue, message: queued } of taken) {
      const known = modelled(model, queue.conversationId);
      assert.equal(known.underWay, null, 'two of one conversation under way');
      assert.ok(known.notBefore <= model.now, 'taken before its time');
      assert.equal(queued.seq, oldest(known), 'not the oldest');
      known.underWay = queued.seq;
      busy.set(queue.conversationId, queue);
    }
  });

/** @param waitMs null: it is done */
const release = (conversationId: string, waitMs: number | null) =>
  step(
    `${waitMs === null ? 'done' : `wait ${waitMs}`}(${conversationId})`,
    (model, { queues, busy }) => {
      const known = modelled(model, conversationId);
      const queue = busy.get(conversationId);
      assert.ok(queue && known.underWay !== null);
      known.notBefore = waitMs === null ? 0 : model.now + waitMs;
      if (waitMs === null) {
        known.waiting.delete(known.underWay);
        queues.completeOldest(queue);
      } else queues.wait(queue, known.notBefore);
      known.underWay = null;
    },
    ({ queues }) => (queues.get(conversationId)?.underWay ?? null) !== null,
  );

/** A status of the network completes a message, not the answer to its send. */
const settle = (conversationId: string, seq: number) =>
  step(`settle(${entryId(conversationId, seq)})`, (model, { queues }) => {
    const known = modelled(model, conversationId);
    if (known.underWay !== seq && known.waiting.has(seq)) {
      if (known.underWay === null && seq === oldest(known)) known.notBefore = 0;
      known.waiting.delete(seq);
      if (known.waiting.size === 0) known.notBefore = 0;
    }
    queues.complete(conversationId, entryId(conversationId, seq));
  });

/** A new message goes at once, if none has to go before it. */
const reserve = (conversationId: string, seq: number) =>
  step(`reserve(${entryId(conversationId, seq)})`, (model, { queues, busy }) => {
    const queue = claimed(model, queues, { conversationId, seq });
    if (!queue) return;
    const known = modelled(model, conversationId);
    known.waiting.add(seq);
    known.underWay = seq;
    busy.set(conversationId, queue);
  });

/**
 * A claim that is released, because it was never recorded, completes nothing: its entry may still
 * be inserted, and its successor waits for it.
 */
const reserveInVain = (conversationId: string, seq: number) =>
  step(`reserve(${entryId(conversationId, seq)}, released)`, (model, { queues, completed }) => {
    const queue = claimed(model, queues, { conversationId, seq });
    if (!queue) return;
    const wasSettled = completed.covers(conversationId, seq);
    queues.removeClaimed(queue);
    assert.equal(completed.covers(conversationId, seq), wasSettled);
  });

/** The queue with the claimed message; null where others have to go before it. */
function claimed(model: Model, queues: ConversationQueues, { conversationId, seq }: Place) {
  const others = [...model.queues.values()];
  const known = modelled(model, conversationId);
  const isFree = known.waiting.size === 0 && !others.some((each) => mayGo(each, model.now));
  assert.equal(queues.isFree(conversationId, urgency, model.now), isFree);
  if (!isFree) return null;
  return queues.addClaimed({ conversationId, seq, urgency, entryId: entryId(conversationId, seq) });
}

const conversationArb = fc.constantFrom(...CONVERSATIONS);
const seqArb = fc.integer({ min: 1, max: 12 });

test('invariant 2: each lane goes in order of seq, one at a time, whatever happens meanwhile', () => {
  const placeArb = fc.tuple(conversationArb, seqArb);
  const commands = fc.commands<Model, Real>(
    [
      placeArb.map(([id, seq]) => add(id, seq)),
      fc.tuple(fc.integer({ min: 1, max: 4 }), fc.nat(50)).map(([most, ms]) => take(most, ms)),
      conversationArb.map((id) => release(id, null)),
      fc.tuple(conversationArb, fc.nat(60)).map(([id, ms]) => release(id, ms)),
      placeArb.map(([id, seq]) => settle(id, seq)),
      placeArb.map(([id, seq]) => reserve(id, seq)),
      placeArb.map(([id, seq]) => reserveInVain(id, seq)),
    ],
    { maxCommands: 80, size: 'max' },
  );
  const model = (): Model => ({ queues: new Map(), now: 0 });
  const real = (): Real => {
    const completed = new CompletedMessages();
    return { completed, queues: new ConversationQueues(completed), busy: new Map() };
  };
  withRuns(2_000)([commands], (steps) => {
    fc.modelRun(() => ({ model: model(), real: real() }), steps);
  });
});

test('one conversation that has to wait holds up no other', () => {
  const queues = new ConversationQueues(new CompletedMessages());
  for (const id of CONVERSATIONS)
    queues.add({ conversationId: id, seq: 1, urgency, entryId: `${id}1` });
  const [first] = queues.classes.dequeue(1, 0, free);
  assert.ok(first);
  queues.wait(first.queue, 10_000);
  const others = queues.classes.dequeue(10, 0, free).map(({ queue }) => queue.conversationId);
  assert.deepEqual(others, ['b', 'c', 'd']);
});

test('lanes take turns: a long queue in one does not come before the others again', () => {
  const queues = new ConversationQueues(new CompletedMessages());
  for (let seq = 1; seq <= 3; seq++) {
    queues.add({ conversationId: 'a', seq, urgency, entryId: `a${seq}` });
  }
  queues.add({ conversationId: 'b', seq: 1, urgency, entryId: 'b1' });
  const order: string[] = [];
  for (let round = 0; round < 4; round++) {
    const [taken] = queues.classes.dequeue(1, 0, free);
    assert.ok(taken);
    order.push(taken.message.entryId);
    queues.completeOldest(taken.queue);
  }
  assert.deepEqual(order, ['a1', 'b1', 'a2', 'a3']);
});
