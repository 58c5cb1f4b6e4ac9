/**
 * Order of an entity's events: the next one is published when the one before is recorded. The owner
 * that recovers them keeps it, too.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { EntryDocument } from '../../../actors/conversation/api.ts';
import type { ConversationParts } from '../../../actors/conversation/conversation.ts';
import { ConversationLog } from '../../../actors/conversation/log.ts';
import { OutboxRecovery } from '../../../actors/conversation/outbox-recovery.ts';
import { republish } from '../../../actors/conversation/republish.ts';
import type { Environment } from '../../../actors/environment.ts';
import { type FanOutCommand, Relay } from '../../../actors/outbox/relay.ts';
import type { OutboxEvent } from '../../../shared/wire/outbox.ts';
import { partitionOf } from '../../../shared/wire/subjects.ts';
import type { ManualClock } from '../../support/manual-clock.ts';
import { environmentOf, OK } from './environment.ts';
import { settle } from './settle.ts';

const ORG = 'org_1';

function event(id: string, at?: number): OutboxEvent {
  return { type: 'event', id, event: 'deal.won', data: {}, ...(at === undefined ? {} : { at }) };
}

/** A fan-out that answers when it is told to; `recorded` are ids in the order of answers. */
function slowFanOut() {
  const recorded: string[] = [];
  const asked: string[] = [];
  const waiting: (() => void)[] = [];
  const bus = {
    ask: (_: unknown, { events }: FanOutCommand) => {
      asked.push(...events.map(({ id }) => id));
      return new Promise<typeof OK>((resolve) => {
        waiting.push(() => {
          recorded.push(...events.map(({ id }) => id));
          resolve(OK);
        });
      });
    },
  };
  const environment = environmentOf({ bus });
  const answerAll = async () => {
    for (let turns = 0; turns < 8; turns++) {
      await settle();
      for (const answer of waiting.splice(0)) answer();
    }
  };
  return { environment, relay: new Relay(environment), recorded, asked, waiting, answerAll };
}

test('events of an entity are recorded in the order of their commits', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ entity: fc.nat(2), answered: fc.nat(3) }), { maxLength: 20 }),
      async (commits) => {
        const { relay, recorded, waiting } = slowFanOut();
        const wanted: string[] = [];
        for (const [n, { entity, answered }] of commits.entries()) {
          const id = `evt_${entity}_${String(n).padStart(2, '0')}`;
          wanted.push(id);
          void relay.publish({ orgId: ORG, id: `deal_${entity}` }, [event(id)]);
          await settle();
          // Any of the asks under way is answered next.
          waiting.splice(answered, 1)[0]?.();
        }
        for (let turns = 0; turns < commits.length + 1; turns++) {
          for (const answer of waiting.splice(0)) answer();
          await settle();
        }
        assert.deepEqual(recorded.toSorted(), wanted.toSorted());
        for (const entity of [0, 1, 2]) {
          const own = recorded.filter((id) => id.startsWith(`evt_${entity}`));
          assert.deepEqual(own, own.toSorted());
        }
      },
    ),
    { numRuns: 50 },
  ));

test('an event that is published twice at once is asked once', async () => {
  const { relay, asked, waiting } = slowFanOut();
  const entity = { orgId: ORG, id: 'deal_1' };
  const both = [
    relay.publish(entity, [event('a')]),
    relay.publish(entity, [event('a'), event('b')]),
  ];
  await settle();
  assert.deepEqual(asked, ['a']);
  waiting.splice(0)[0]?.();
  await settle();
  assert.deepEqual(asked, ['a', 'b']);
  waiting.splice(0)[0]?.();
  assert.deepEqual(await Promise.all(both), [true, true]);
});

test('what an earlier tenure gives up is published by the next one', async () => {
  const { relay, recorded, waiting } = slowFanOut();
  const turn = Promise.withResolvers<null>();
  const entity = { orgId: ORG, id: 'cnv_1' };
  const earlier = () => turn.promise;
  const before = relay.publish({ ...entity, epoch: 1, earlier }, [event('a')]);
  const now = relay.publish({ ...entity, epoch: 2 }, [event('a')]);
  turn.resolve(null);
  await settle();
  waiting.splice(0)[0]?.();
  assert.deepEqual(await Promise.all([before, now]), [false, true]);
  assert.deepEqual(recorded, ['a']);
});

test('what an earlier owner has left is published by the time of its commits', async () => {
  const { environment, relay, recorded, answerAll } = slowFanOut();
  const marked: string[] = [];
  const outboxRecovery = new OutboxRecovery(environment);
  outboxRecovery.begin(PARTITION, 2);
  const parts = {
    ...{ environment, relay, outboxRecovery },
    snapshotWriter: {
      markPublished: ({ entry }: { entry: EntryDocument }) => marked.push(entry._id),
    },
    flows: { timers: { block: () => () => undefined } },
  } as unknown as ConversationParts;
  const entry = (seq: number, at: number, outbox: readonly OutboxEvent[]): EntryDocument =>
    ({ _id: `e${seq}`, seq, orgId: ORG, conversationId: 'cnv_1', after: { at }, outbox }) as never;
  // The receipt of the first message came after the second one.
  const first = entry(1, 10, [event('received 1'), event('delivered 1', 30)]);
  const second = entry(2, 20, [event('received 2')]);
  const done = republish(parts, [first, second], 2);
  await answerAll();
  await done;
  assert.deepEqual(recorded, ['received 1', 'received 2', 'delivered 1']);
  assert.deepEqual(marked.toSorted(), ['e1', 'e2']);
});

/** A log whose store has what others have left unpublished, read after each of its own commits. */
function conversationLog() {
  const { environment, relay, asked, answerAll } = slowFanOut();
  const left: EntryDocument[] = [];
  let reads = 0;
  const lost = new Set<string>();
  const store = {
    commit: async ([write]: readonly { filter: { _id: string } }[]) => {
      if (write && lost.has(write.filter._id)) throw new Error('no answer');
      return [{ ok: true }];
    },
    find: async (_: string, { conversationId }: { conversationId: { $in: string[] } }) => {
      reads += 1;
      return left.filter((each) => conversationId.$in.includes(each.conversationId));
    },
  };
  const own = { ...environment, store } as unknown as Environment;
  const recovery = new OutboxRecovery(own);
  recovery.begin(PARTITION, 2);
  const claimer = { claimOnInsert: () => null };
  const parts = { environment: own, claimer, outboxRecovery: recovery } as never;
  const leave = (id: string, conversationId: string, at: number) => {
    const entry = { _id: id, conversationId, orgId: ORG, seq: at, after: { at } };
    left.push({ ...entry, outbox: [event(id)] } as never);
  };
  /** As an actor does, each time another one. The entry stays pending, as after any commit. */
  const change = async (conversationId: string, id: string) => {
    const log = new ConversationLog(parts, conversationId);
    const outbox = [event(id)];
    await log.change({ _id: id, conversationId } as never, {} as never, outbox);
    leave(id, conversationId, left.length);
    const seq = left.length - 1;
    const { earlier, ended } = recovery.publishing({ conversationId, seq }, outbox);
    const published = relay.publish({ orgId: ORG, id: conversationId, earlier }, outbox);
    void published.finally(ended);
  };
  const clock = environment.clock as ManualClock;
  return { recovery, relay, leave, change, asked, answerAll, clock, lost, reads: () => reads };
}

const LATE_MS = 10_000;
const CONVERSATION = 'cnv_1';
const PARTITION = partitionOf('conversation', CONVERSATION);

test('events of an earlier owner that are committed late go ahead of the next ones', async () => {
  const { leave, change, asked, answerAll } = conversationLog();
  leave('late', CONVERSATION, 0);
  await change(CONVERSATION, 'own 1');
  await change(CONVERSATION, 'own 2');
  await answerAll();
  assert.deepEqual(asked, ['late', 'own 1', 'own 2']);
  leave('later', CONVERSATION, 3);
  await change(CONVERSATION, 'own 3');
  await answerAll();
  assert.deepEqual(asked.slice(3), ['later', 'own 3'], 'each is asked once');
});

test('a turn that may be committed is looked for, until its late recovery', async () => {
  const { recovery, leave, change, asked, answerAll, clock, reads } = conversationLog();
  recovery.end(PARTITION, 2);
  await change(CONVERSATION, 'own 1');
  await answerAll();
  assert.deepEqual([asked, reads()], [['own 1'], 0]);
  recovery.doubt(CONVERSATION, clock.monotonic() + LATE_MS);
  leave('in doubt', CONVERSATION, 1);
  await change(CONVERSATION, 'own 2');
  await answerAll();
  const others = asked.filter((id) => id !== 'own 1');
  assert.deepEqual(others, ['in doubt', 'own 2']);
  clock.advance(LATE_MS + 1);
  const before = reads();
  await change(CONVERSATION, 'own 3');
  await answerAll();
  assert.equal(reads(), before, 'nothing is looked for any more');
});

test('what is committed after an event is not published ahead of it', async () => {
  const { recovery, change, asked, answerAll } = conversationLog();
  await change(CONVERSATION, 'own 1');
  recovery.end(PARTITION, 2);
  // Both are in the store before the first one looks.
  await change(CONVERSATION, 'own 2');
  await change(CONVERSATION, 'own 3');
  await answerAll();
  assert.deepEqual(asked, ['own 1', 'own 2', 'own 3']);
});

test('a failed turn that was committed goes behind what was committed before it', async () => {
  const { recovery, change, leave, asked, answerAll, clock, lost } = conversationLog();
  await change(CONVERSATION, 'own 1');
  await change(CONVERSATION, 'own 2');
  lost.add('in doubt');
  await assert.rejects(change(CONVERSATION, 'in doubt'), /no answer/);
  recovery.doubt(CONVERSATION, clock.monotonic() + LATE_MS);
  leave('in doubt', CONVERSATION, 2);
  await change(CONVERSATION, 'own 3');
  await answerAll();
  await answerAll();
  assert.deepEqual(asked, ['own 1', 'own 2', 'in doubt', 'own 3']);
});

test('what a recovery queues behind an event that looks goes ahead of it', async () => {
  const { recovery, relay, change, leave, asked, answerAll } = conversationLog();
  leave('left', CONVERSATION, 0);
  await change(CONVERSATION, 'own');
  // The recovery reads its page while the event looks.
  const outbox = [event('left')];
  const earlier = recovery.republishing(CONVERSATION, { outbox, epoch: 2 });
  void relay.publish({ orgId: ORG, id: CONVERSATION, earlier }, outbox);
  await answerAll();
  assert.deepEqual(asked, ['left', 'own', 'left']);
});

test('what a recovery of an earlier tenure finds hides nothing from the next one', async () => {
  const { recovery, change, leave, asked, answerAll } = conversationLog();
  leave('left', CONVERSATION, 0);
  recovery.republishing(CONVERSATION, { outbox: [event('left')], epoch: 1 });
  await change(CONVERSATION, 'own');
  await answerAll();
  assert.deepEqual(asked, ['left', 'own']);
});

test('an owner that has released its partition publishes nothing of the next one', async () => {
  const { recovery, change, leave, asked, answerAll } = conversationLog();
  await change(CONVERSATION, 'own 1');
  await change(CONVERSATION, 'own 2');
  await settle();
  recovery.release(PARTITION);
  leave('of the next owner', CONVERSATION, 2);
  await answerAll();
  assert.deepEqual(asked, ['own 1']);
});

test('no conversation waits for the events of another', async () => {
  const { recovery, leave, change, asked, answerAll, reads } = conversationLog();
  const others = Array.from({ length: 20_000 }, (_, n) => `cnv_other_${n}`);
  const other = others.find((id) => partitionOf('conversation', id) === PARTITION) ?? '';
  leave('late', CONVERSATION, 0);
  await Promise.all([change(other, 'own 1'), change(CONVERSATION, 'own 2')]);
  await answerAll();
  assert.equal(reads(), 1, 'questions of one tick share a read');
  assert.deepEqual(asked, ['own 1', 'late', 'own 2']);
  recovery.end(PARTITION, 1);
  await change(other, 'own 3');
  await answerAll();
  assert.equal(reads(), 2, 'an earlier epoch has ended nothing');
});
