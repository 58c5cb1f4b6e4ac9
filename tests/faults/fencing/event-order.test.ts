/**
 * Events of an entity are published at once, in any order. Each one names those before it that are
 * not known to be recorded (`stream-order.test.ts` shows what streams make of that).
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { UnpublishedEvents } from '../../../actors/conversation/log/unpublished-events.ts';
import type { EntryDocument } from '../../../actors/model/conversation.ts';
import { EventNumbers } from '../../../actors/outbox/event-order.ts';
import { type FanOut, Relay } from '../../../actors/outbox/relay.ts';
import type { OutboxEvent } from '../../../shared/wire/outbox.ts';
import { partitionOf } from '../../../shared/wire/subjects.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { environmentOf } from './environment.ts';
import { settle } from './settle.ts';

const ORG = 'org_1';
const FENCE = 3;
const numbers = new EventNumbers();

function event(id: string, fence = FENCE): OutboxEvent {
  const [item] = numbers.next([{ type: 'event', id, event: 'deal.won', data: {} }], fence);
  assert.ok(item?.type === 'event');
  return item;
}

interface Asked {
  readonly id: string;
  readonly after: readonly string[];
  readonly answer: () => void;
}

/** A fan-out that answers when it is told to. */
function slowFanOut() {
  const asked: Asked[] = [];
  const fanOut: FanOut = {
    record: (_, events) =>
      new Promise((resolve) => {
        for (const { id, after } of events) {
          asked.push({ id, after: after?.events ?? [], answer: () => resolve(true) });
        }
      }),
  };
  return { relay: new Relay(environmentOf({}), fanOut), asked };
}

const DEAL = { orgId: ORG, collection: 'deals', id: 'deal_1' } as const;

test('each event names the earlier ones of its entity that are not recorded, and no other', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ entity: fc.nat(2), answered: fc.nat(3) }), { maxLength: 20 }),
      async (commits) => {
        const { relay, asked } = slowFanOut();
        const unrecorded: string[] = [];
        for (const [n, { entity, answered }] of commits.entries()) {
          const id = `evt_${entity}_${n}`;
          void relay.publish({ ...DEAL, id: `deal_${entity}` }, [event(id)]);
          await settle(4);
          const mine = asked.at(-1);
          assert.equal(mine?.id, id, 'it waits for no other');
          assert.deepEqual(
            mine.after,
            unrecorded.filter((each) => each.startsWith(`evt_${entity}`)),
          );
          unrecorded.push(id);
          const [first] = unrecorded.splice(answered, 1);
          asked.find((each) => each.id === first)?.answer();
          await settle(4);
        }
      },
    ),
    { numRuns: 50 },
  ));

test('a later event that is on its way is not named', async () => {
  const { relay, asked } = slowFanOut();
  const [first, second] = [event('first'), event('second')];
  void relay.publish(DEAL, [second]);
  void relay.publish(DEAL, [first]);
  await settle();
  assert.deepEqual(
    asked.map(({ id, after }) => [id, after]),
    [
      ['second', []],
      ['first', []],
    ],
  );
});

test('an event names at most as many as may be under way; the others wait their turn', async () => {
  const { relay, asked } = slowFanOut();
  const ids = Array.from({ length: 130 }, (_, n) => `evt_${n}`);
  const published = relay.publish(
    DEAL,
    ids.map((id) => event(id)),
  );
  for (let answered = 0; answered < ids.length; ) {
    await settle(4);
    const underWay = asked.slice(answered);
    assert.ok(underWay.length > 0 && underWay.length <= 50, `${underWay.length} are under way`);
    for (const { answer } of underWay) answer();
    answered = asked.length;
  }
  assert.equal(await published, true);
  assert.deepEqual(
    asked.map(({ id }) => id),
    ids,
  );
});

test('an event that is published twice at once is asked once', async () => {
  const { relay, asked } = slowFanOut();
  const [a, b] = [event('a'), event('b')];
  const both = [relay.publish(DEAL, [a]), relay.publish(DEAL, [a, b])];
  await settle();
  assert.deepEqual(
    asked.map(({ id }) => id),
    ['a', 'b'],
  );
  for (const { answer } of asked) answer();
  assert.deepEqual(await Promise.all(both), [true, true]);
});

test('numbers rise with the fence, then with each commit', () => {
  const given = [event('a', 9), event('b', 9), event('c', 10), event('d', 11)].map(
    ({ number = '' }) => number,
  );
  assert.deepEqual(given, [...new Set(given)].toSorted());
});

const CONVERSATION = 'cnv_1';
const PARTITION = partitionOf('conversation', CONVERSATION);
const LATE_MS = 10_000;

/** The events that others have left in the store, and the look for them. */
function leftEvents() {
  const left: EntryDocument[] = [];
  let reads = 0;
  const find = async (_: string, { conversationId }: { conversationId: { $in: string[] } }) => {
    reads += 1;
    return left.filter((each) => conversationId.$in.includes(each.conversationId));
  };
  const clock = new ManualClock();
  const events = new UnpublishedEvents(environmentOf({ clock, store: { find } }));
  const leave = (id: string, conversationId = CONVERSATION) =>
    left.push({ conversationId, outbox: [event(id)] } as never);
  const namesBefore = async (next: OutboxEvent, conversationId = CONVERSATION) =>
    (await events.before(conversationId, next)).map(({ id }) => id);
  return { events, leave, namesBefore, clock, reads: () => reads };
}

test('until the late recovery, what an earlier owner commits is looked for', async () => {
  const { events, leave, namesBefore, reads } = leftEvents();
  events.begin(PARTITION, 2);
  leave('late 1');
  leave('late 2');
  const own = event('own');
  leave('later');
  assert.deepEqual(await namesBefore(own), ['late 1', 'late 2']);
  events.end(PARTITION, 1);
  assert.equal((await namesBefore(own)).length, 2, 'an earlier epoch has ended nothing');
  events.end(PARTITION, 2);
  assert.deepEqual([await namesBefore(own), reads()], [[], 2]);
});

test('a turn that may be committed is looked for, by its conversation alone', async () => {
  const { events, leave, namesBefore, clock, reads } = leftEvents();
  leave('in doubt');
  events.doubt(CONVERSATION, clock.monotonic() + LATE_MS);
  assert.deepEqual(await namesBefore(event('own')), ['in doubt']);
  assert.deepEqual([await namesBefore(event('other'), 'cnv_2'), reads()], [[], 1]);
  clock.advance(LATE_MS + 1);
  assert.deepEqual([await namesBefore(event('own')), reads()], [[], 1]);
});

test('questions of one tick share a read', async () => {
  const { events, leave, namesBefore, reads } = leftEvents();
  const others = Array.from({ length: 20_000 }, (_, n) => `cnv_other_${n}`);
  const other = others.find((id) => partitionOf('conversation', id) === PARTITION) ?? '';
  events.begin(PARTITION, 2);
  leave('late');
  const found = await Promise.all([namesBefore(event('a'), other), namesBefore(event('b'))]);
  assert.deepEqual([found, reads()], [[[], ['late']], 1]);
});

test('of very many, the nearest are named', async () => {
  const { events, leave, namesBefore } = leftEvents();
  events.begin(PARTITION, 2);
  for (let n = 0; n < 250; n++) leave(`late ${n}`);
  const named = await namesBefore(event('own'));
  assert.deepEqual([named.length, named.at(-1)], [200, 'late 249']);
});
