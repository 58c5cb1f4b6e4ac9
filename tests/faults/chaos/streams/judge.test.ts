/** The judge of event streams finds each fault of a history, and nothing in a good one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { outOfCommitOrder } from './commits.ts';
import { type Recorded, violationsOf } from './judge.ts';
import type { Life, Reading, Sighting } from './sighting.ts';

/** Two entities: `a1` and `a2` are of one of them, in this order. */
const NAMES = ['a1', 'b1', 'a2', 'b2'];
const bodyOf = (id: string): string => JSON.stringify({ data: { deal: { id: id[0] } } });
const recorded = new Map(
  NAMES.map((id, n): [string, Recorded] => [
    id,
    { event: 'deal.won', body: bodyOf(id), number: `1.${n}`, lastStatus: null, place: `at ${n}` },
  ]),
);

function saw(id: string, other: Partial<Sighting> = {}): Sighting {
  return { id, event: 'deal.won', data: bodyOf(id), isTaken: true, ...other };
}

function life(ids: readonly string[], after: string | null = null): Life {
  return { after, sightings: ids.map((id) => saw(id)) };
}

/** Of a receiver that has refused `a1` first. */
function refusing(ids: readonly string[]): Life {
  const { after, sightings } = life(ids);
  return { after, sightings: [saw('a1', { isTaken: false }), ...sightings] };
}

function found(lives: readonly Life[], reading: Reading = 'connection', faults: string[] = []) {
  return violationsOf({ name: 'n', reading, lives, faults }, recorded);
}

test('a good history has no violation', () => {
  assert.deepEqual(found([life(NAMES)]), []);
  assert.deepEqual(found([life(['b1', 'a1', 'b2']), life(['b1', 'a1', 'b2', 'a2'])]), []);
  assert.deepEqual(found([life(['a1', 'b1']), life([]), life(['a2', 'b2'], 'b1')]), []);
  assert.deepEqual(found([life(['a1', 'b1', 'a2']), life(['a2', 'b2'], 'b1')]), []);
  assert.deepEqual(found([refusing(NAMES)], 'forwarded'), []);
});

test('each fault is found', () => {
  const cases: Readonly<Record<string, readonly [readonly Life[], Reading?]>> = {
    'n: b2 was never seen': [[life(['a1', 'b1', 'a2'])]],
    'n: c1 is not recorded for this stream: deal.won': [[life([...NAMES, 'c1'])]],
    'n: a1 was named deal.lost': [
      [life(NAMES), { after: null, sightings: [saw('a1', { event: 'deal.lost' })] }],
    ],
    'n: a1 came with other bytes': [
      [life(NAMES), { after: null, sightings: [saw('a1', { data: '{"data":{}}' })] }],
    ],
    'n: a1 was first seen too late: deal.won 1.0 (at 0) came behind deal.won 1.2 (at 2)': [
      [life(['a2', 'b1', 'a1', 'b2'])],
    ],
    'n: a1 came too late in life 1: deal.won 1.0 (at 0) came behind deal.won 1.2 (at 2)': [
      [life(NAMES), life(['a2', 'a1'])],
    ],
    'n: a1 came twice in life 0': [[life([...NAMES, 'a1'])]],
    'n: a1 came again in life 1, behind its acknowledgement': [[life(NAMES), life(['a1'], 'b1')]],
  };
  for (const [violation, [lives, reading]] of Object.entries(cases)) {
    assert.ok(found(lives, reading).includes(violation), violation);
  }
  const late = refusing(['b1', 'a2', 'b2', 'a1']);
  const takenLate = 'n: a1 was taken too late: deal.won 1.0 (at 0) came behind deal.won 1.2 (at 2)';
  assert.deepEqual(found([late], 'forwarded'), [takenLate]);
  assert.deepEqual(found([life(NAMES)], 'client', ['it ended']), ['n: it ended']);
});

const STAGES = ['s2', 's3', 's4'];
const told = (event: string, data: object) => ({ event, data: JSON.stringify({ data }) });
const deal = { deal: { id: 'd' } };
const moves = STAGES.map((toStageId) => told('deal.stage_changed', { ...deal, toStageId }));
const sold = [told('deal.created', deal), ...moves, told('deal.won', deal)];
const text = (event: string, n: number) =>
  told(event, { conversationId: 'c', messageId: `m${n}`, text: `de own 551 ${n}` });

test('the order of commits is that of calls and of receipts', () => {
  const talk = [
    ...[text('message.received', 0), text('message.sent', 1), text('message.received', 9)],
    ...[text('message.sent', 10), text('message.delivered', 1), text('message.read', 1)],
  ];
  assert.deepEqual(outOfCommitOrder([...sold, ...talk], STAGES), []);
  const wrong = (seen: readonly { event: string; data: string }[]) =>
    outOfCommitOrder(seen, STAGES).length;
  assert.equal(wrong(sold.slice(1)), 1, 'an event is missing');
  assert.equal(wrong([...sold.slice(0, 1), ...moves.toReversed(), ...sold.slice(4)]), 1);
  assert.equal(wrong([text('message.received', 10), text('message.received', 9)]), 1);
  const receipts = ['message.sent', 'message.read', 'message.delivered'];
  assert.equal(wrong(receipts.map((event) => text(event, 1))), 1);
  const steps = ['task.completed', 'task.created'];
  assert.equal(wrong(steps.map((event) => told(event, { task: { id: 't' } }))), 1);
});
