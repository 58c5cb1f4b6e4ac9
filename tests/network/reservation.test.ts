/** Messages that are marked for their send by the insert that records them, in memory. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { SendOutcome } from '../../shared/network.ts';
import { accepted, NEVER } from './send-answers.ts';
import { SendScene } from './send-scene.ts';

const updates = ({ writes }: SendScene) => writes.filter((write) => 'update' in write).length;
const sendOf = (scene: SendScene, id: string) =>
  scene.entries().find(({ _id }) => _id === id)?.send;

describe('a message that is marked by its insert', () => {
  test('goes to the network after one write, which is the insert', async () => {
    const scene = await SendScene.warm();
    const answer = await scene.send('a', 'oi');
    await scene.settle();
    assert.equal(answer?.status, 201);
    assert.deepEqual(
      scene.handed.map(({ text, writes }) => [text, writes]),
      [['oi', 1]],
    );
    assert.deepEqual(
      scene.entries().flatMap(({ send }) => send ?? []),
      [],
    );
  });

  test('is as the desk’s own mark would have left it', async () => {
    const scene = await SendScene.warm({ perSecond: 2 });
    scene.answer = NEVER;
    for (const id of ['a', 'b', 'c']) await scene.send(id, 'oi', `msg_${id}`);
    await scene.pass(2_000);
    assert.equal(updates(scene), 1, 'of the one that had to wait');
    const [, reserved, marked] = scene.handed;
    assert.equal(marked?.messageId, 'msg_c');
    assert.ok(reserved?.send && marked.send);
    const { at: _at, since: _since, ...left } = marked.send;
    const { at, since, ...born } = reserved.send;
    assert.deepEqual(born, left);
    assert.equal(born.state, 'sending');
    assert.equal(since, at, 'by the insert');
  });

  test('does not go before the insert is journaled', async () => {
    const scene = await SendScene.warm();
    const answer = scene.holdAnswers();
    void scene.send('a', 'oi');
    await scene.pass(1_000);
    assert.deepEqual(scene.texts(), []);
    answer();
    await scene.settle();
    assert.deepEqual(scene.texts(), ['oi']);
  });

  test('does not go where the lease has ended by then; the next owner looks into it', async () => {
    const scene = await SendScene.warm();
    const answer = scene.holdAnswers();
    void scene.send('a', 'oi');
    await scene.settle();
    await scene.own();
    answer();
    await scene.pass(11_000);
    assert.deepEqual(scene.texts(), []);
    await scene.pass(7_000);
    assert.deepEqual(scene.texts(), ['oi']);
    assert.equal(scene.handed[0]?.send?.attempt, 2);
  });

  test('holds back those behind it in its conversation, and no others', async () => {
    const scene = await SendScene.warm();
    const { promise, resolve } = Promise.withResolvers<SendOutcome>();
    scene.answer = (message) => (message.text === 'a1' ? promise : accepted(message));
    for (const text of ['a1', 'a2', 'a3', 'b1']) await scene.send(text.charAt(0), text);
    await scene.pass(500);
    assert.deepEqual(scene.texts(), ['a1', 'b1']);
    resolve({ outcome: 'accepted', externalId: 'ext_1' });
    await scene.pass(500);
    assert.deepEqual(scene.texts(), ['a1', 'b1', 'a2', 'a3']);
  });

  test('is queued again when the network turns it away', async () => {
    const scene = await SendScene.warm();
    scene.answer = () => ({ outcome: 'later', scope: 'pair', waitMs: 2_000 });
    await scene.send('a', 'oi', 'msg_a');
    await scene.settle();
    const { state, attempt } = sendOf(scene, 'msg_a') ?? {};
    assert.deepEqual([state, attempt], ['queued', 0]);
    scene.answer = accepted;
    await scene.pass(5_000);
    assert.deepEqual(scene.texts(), ['oi', 'oi']);
  });

  test('is waited for by an owner that hands its channel over', async () => {
    const scene = await SendScene.warm();
    const insert = scene.holdInserts();
    void scene.send('a', 'oi');
    await scene.settle();
    const handedOver = scene.handOver();
    await scene.settle();
    insert();
    await scene.pass(100);
    await handedOver;
    assert.deepEqual(scene.texts(), ['oi']);
    await scene.send('b', 'depois', 'msg_b');
    assert.equal(sendOf(scene, 'msg_b')?.state, 'queued');
  });

  test('goes beside no more others than a round has, while the store is slow', async () => {
    const scene = await SendScene.warm({ perSecond: 8 });
    const insert = scene.holdInserts();
    for (const id of ['a', 'b', 'c', 'd']) void scene.send(id, 'oi');
    await scene.settle();
    insert();
    await scene.settle();
    const born = scene.writes.flatMap((write) => ('insert' in write ? write.document.send : []));
    const states = born.map((send) => Reflect.get(Object(send), 'state'));
    assert.deepEqual(states, ['sending', 'sending', 'queued', 'queued']);
    assert.equal(scene.handed.length, 4);
  });
});

describe('an insert that marks nothing', () => {
  test('one that another made before sends the message once, by a mark', async () => {
    const scene = await SendScene.warm();
    scene.inserting = (carryOut) => {
      scene.inserting = (again) => again();
      carryOut();
      carryOut();
    };
    const answer = await scene.send('a', 'oi');
    await scene.pass(200);
    assert.equal(answer?.status, 201);
    assert.deepEqual(scene.texts(), ['oi']);
    assert.equal(scene.handed[0]?.send?.attempt, 2);
  });

  test('one whose answer was lost sends the message once, by a mark', async () => {
    const scene = await SendScene.warm();
    scene.inserting = (carryOut) => {
      scene.inserting = (again) => again();
      carryOut();
      throw new Error('lost');
    };
    void scene.send('a', 'oi');
    await scene.settle();
    assert.deepEqual(
      scene.handed.filter(({ send }) => send?.attempt === 1),
      [],
    );
    await scene.pass(500);
    assert.deepEqual(scene.texts(), ['oi']);
    assert.equal(scene.handed[0]?.send?.attempt, 2);
  });

  test('one that never was sends nothing, and holds up nobody', async () => {
    const scene = await SendScene.warm();
    scene.inserting = () => {
      throw new Error('refused');
    };
    void scene.send('a', 'nunca');
    await scene.settle();
    assert.deepEqual(scene.texts(), []);
    await scene.own();
    scene.inserting = (carryOut) => carryOut();
    await scene.send('a', 'depois');
    await scene.pass(500);
    assert.deepEqual(scene.texts(), ['depois']);
  });

  test('one that lands late goes before what was said after it', async () => {
    const scene = await SendScene.warm();
    let land = (): void => undefined;
    scene.inserting = (carryOut) => {
      land = carryOut;
      throw new Error('late');
    };
    void scene.send('a', 'a1', 'msg_a1');
    await scene.settle();
    land();
    scene.inserting = (carryOut) => carryOut();
    void scene.send('a', 'a2');
    await scene.pass(1_000);
    assert.deepEqual(scene.texts(), ['a1', 'a2']);
  });

  test('one that was decided on a stale state is decided anew, and sent once', async () => {
    const scene = await SendScene.warm();
    await scene.send('a', 'a1');
    await scene.settle();
    const [last] = scene.entries().filter(({ conversationId }) => conversationId === 'a');
    assert.ok(last);
    const seq = last.seq + 1;
    const stranger = { ...last, _id: 'stranger', seq, after: { ...last.after, seq } };
    scene.database.apply({ insert: 'entries', document: stranger });
    const answering = scene.send('a', 'a2');
    await scene.pass(500);
    assert.equal((await answering)?.status, 201);
    assert.deepEqual(scene.texts(), ['a1', 'a2']);
  });
});
