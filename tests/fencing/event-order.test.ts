/**
 * Order of an entity's events: the next one is published when the one before is recorded. The owner
 * that recovers them keeps it, too.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import type { EntryDocument } from '../../actors/conversation/api.ts';
import type { ConversationParts } from '../../actors/conversation/conversation.ts';
import { OutboxRecovery } from '../../actors/conversation/outbox-recovery.ts';
import { republish } from '../../actors/conversation/republish.ts';
import type { Environment } from '../../actors/environment.ts';
import { type FanOutCommand, Relay } from '../../actors/outbox/relay.ts';
import type { OutboxEvent } from '../../shared/wire/outbox.ts';
import { partitionOf } from '../../shared/wire/subjects.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { SILENT } from './engine.ts';

const OK = { status: 200, body: '{}' };
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
  const environment = {
    ...{ bus, clock: new ManualClock(), log: SILENT, leaseHeld: () => true },
    ids: { fresh: (prefix: string) => `${prefix}_fresh` },
  } as unknown as Environment;
  return { environment, relay: new Relay(environment), recorded, asked, waiting };
}

async function settle(): Promise<void> {
  for (let turns = 0; turns < 10; turns++) await turn();
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

test('what an earlier owner has left is published by the time of its commits', async () => {
  const { environment, relay, recorded, waiting } = slowFanOut();
  const marked: string[] = [];
  const parts = {
    ...{ environment, relay },
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
  for (let turns = 0; turns < 4; turns++) {
    await settle();
    for (const answer of waiting.splice(0)) answer();
  }
  await done;
  assert.deepEqual(recorded, ['received 1', 'received 2', 'delivered 1']);
  assert.deepEqual(marked.toSorted(), ['e1', 'e2']);
});

test('new events of a conversation wait for those of its earlier owner, others do not', async () => {
  const held = 'cnv_held';
  let found = new Set([held]);
  const recovery = new OutboxRecovery(async () => found);
  const partition = partitionOf('conversation', held);
  assert.equal(recovery.ended(held), null);
  recovery.begin(partition);
  let hasEnded = false;
  const ended = recovery.ended(held)?.then(() => {
    hasEnded = true;
  });
  await settle();
  assert.equal(hasEnded, false);
  recovery.end(partition);
  await ended;
  assert.equal(recovery.ended(held), null);
  found = new Set();
  recovery.begin(partition);
  await recovery.ended(held);
});
