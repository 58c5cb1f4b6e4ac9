/** Messages that have to wait for their turn: none of them is marked by its insert. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { accepted, NEVER } from './send-answers.ts';
import { SendScene } from './send-scene.ts';

interface Given {
  readonly perSecond: number;
  readonly given: (scene: SendScene) => Promise<unknown> | unknown;
}

async function sendMany(scene: SendScene, count: number): Promise<void> {
  for (let n = 0; n < count; n++) await scene.send(`other_${n}`, 'antes');
  await scene.settle();
}

const QUEUED: Readonly<Record<string, Given>> = {
  'behind another of its conversation': {
    perSecond: 80,
    given: (scene) => scene.send('a', 'antes'),
  },
  'while the number’s pace is spent': { perSecond: 2, given: (scene) => sendMany(scene, 2) },
  'while somebody else waits, until a round of them may go': {
    perSecond: 8,
    given: async (scene) => {
      await sendMany(scene, 10);
      await scene.pass(150);
      assert.equal(scene.handed.length, 8);
    },
  },
  'while as many are under way as may be': {
    perSecond: 500,
    given: (scene) => sendMany(scene, 128),
  },
  'after an owner that may have left some of its conversation': {
    perSecond: 80,
    given: async (scene) => {
      scene.answer = accepted;
      await scene.send('a', 'antes');
      await scene.pass(1_000);
      await scene.writeSnapshots();
      await scene.own();
    },
  },
  'where the channel cannot send': {
    perSecond: 80,
    given: async (scene) => {
      const refused = { outcome: 'refused', code: '1', reason: 'Não.' } as const;
      scene.answer = () => ({ ...refused, channelReason: 'Sem sessão.' });
      await scene.send('b', 'antes');
      await scene.settle();
    },
  },
  'while the network wants the number to wait': {
    perSecond: 80,
    given: async (scene) => {
      scene.answer = () => ({ outcome: 'later', scope: 'account', waitMs: 60_000 });
      await scene.send('b', 'antes');
      await scene.settle();
    },
  },
};

describe('a message is queued, and marked when its turn comes', () => {
  for (const [when, { perSecond, given }] of Object.entries(QUEUED)) {
    test(when, async () => {
      const scene = await SendScene.warm({ perSecond });
      scene.answer = NEVER;
      await given(scene);
      const answer = await scene.send('a', 'oi', 'msg_a');
      assert.equal(answer?.status, 201);
      const insert = scene.writes.find(
        (write) => 'insert' in write && write.document._id === 'msg_a',
      );
      assert.ok(insert && 'insert' in insert);
      assert.equal(Reflect.get(Object(insert.document.send), 'state'), 'queued');
    });
  }
});
