/** Messages that must wait for their turn: none of them is claimed by its insert. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { accepted, NEVER } from './send-answers.ts';
import { SendFixture } from './send-fixture.ts';

interface QueuedCase {
  readonly perSecond: number;
  readonly arrange: (fixture: SendFixture) => Promise<unknown> | unknown;
}

async function sendMany(fixture: SendFixture, count: number): Promise<void> {
  for (let n = 0; n < count; n++) await fixture.send(`other_${n}`, 'antes');
  await fixture.settle();
}

const QUEUED: Readonly<Record<string, QueuedCase>> = {
  'behind another of its conversation': {
    perSecond: 80,
    arrange: (fixture) => fixture.send('a', 'antes'),
  },
  'while the number’s pace is spent': { perSecond: 2, arrange: (fixture) => sendMany(fixture, 2) },
  'while somebody else waits, until a round of them may go': {
    perSecond: 8,
    arrange: async (fixture) => {
      await sendMany(fixture, 10);
      await fixture.pass(150);
      assert.equal(fixture.transmissions.length, 8);
    },
  },
  'while as many are under way as may be': {
    perSecond: 500,
    arrange: (fixture) => sendMany(fixture, 128),
  },
  'after an owner that may have left some of its conversation': {
    perSecond: 80,
    arrange: async (fixture) => {
      fixture.answer = accepted;
      await fixture.send('a', 'antes');
      await fixture.pass(1_000);
      await fixture.writeSnapshots();
      await fixture.own();
    },
  },
  'where the channel cannot send': {
    perSecond: 80,
    arrange: async (fixture) => {
      const refused = { outcome: 'refused', code: '1', reason: 'Não.' } as const;
      fixture.answer = () => ({ ...refused, channelReason: 'Sem sessão.' });
      await fixture.send('b', 'antes');
      await fixture.settle();
    },
  },
  'while the network wants the number to wait': {
    perSecond: 80,
    arrange: async (fixture) => {
      fixture.answer = () => ({ outcome: 'later', scope: 'account', waitMs: 60_000 });
      await fixture.send('b', 'antes');
      await fixture.settle();
    },
  },
};

describe('a message is queued, and marked when its turn comes', () => {
  for (const [when, { perSecond, arrange }] of Object.entries(QUEUED)) {
    test(when, async () => {
      const fixture = await SendFixture.warm({ perSecond });
      fixture.answer = NEVER;
      await arrange(fixture);
      const answer = await fixture.send('a', 'oi', 'msg_a');
      assert.equal(answer?.status, 201);
      const insert = fixture.writes.find(
        (write) => 'insert' in write && write.document._id === 'msg_a',
      );
      assert.ok(insert && 'insert' in insert);
      assert.equal(Reflect.get(Object(insert.document.send), 'state'), 'queued');
    });
  }
});
