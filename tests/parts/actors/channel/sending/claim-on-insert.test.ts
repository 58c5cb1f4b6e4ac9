/** Messages that are claimed for their send by the insert that records them, in memory. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { SendOutcome } from '../../../../../shared/ports/network.ts';
import { accepted, NEVER, SendFixture } from '../send-fixture.ts';

const updates = ({ writes }: SendFixture) => writes.filter((write) => 'update' in write).length;
const sendOf = (fixture: SendFixture, id: string) =>
  fixture.entries().find(({ _id }) => _id === id)?.send;

describe('a message that is marked by its insert', () => {
  test('goes to the network after one write, which is the insert', async () => {
    const fixture = await SendFixture.warm();
    const answer = await fixture.send('a', 'oi');
    await fixture.settle();
    assert.equal(answer?.status, 201);
    const [sent, ...more] = fixture.transmissions;
    assert.deepEqual([sent?.text, sent?.writes, more], ['oi', 1, []]);
    assert.ok(fixture.entries().every(({ send }) => send === undefined));
  });

  test('is as the desk’s own mark would have left it', async () => {
    const fixture = await SendFixture.warm({ perSecond: 2 });
    fixture.answer = NEVER;
    for (const id of ['a', 'b', 'c']) await fixture.send(id, 'oi', `msg_${id}`);
    await fixture.pass(2_000);
    assert.equal(updates(fixture), 1, 'of the one that had to wait');
    const [, reserved, marked] = fixture.transmissions;
    assert.equal(marked?.messageId, 'msg_c');
    assert.ok(reserved?.send && marked.send);
    const { at: _at, since: _since, ...left } = marked.send;
    const { at, since, ...born } = reserved.send;
    assert.deepEqual(born, left);
    assert.equal(born.state, 'sending');
    assert.equal(since, at, 'by the insert');
  });

  test('does not go before the insert is journaled', async () => {
    const fixture = await SendFixture.warm();
    const answer = fixture.holdAnswers();
    void fixture.send('a', 'oi');
    await fixture.pass(1_000);
    assert.deepEqual(fixture.texts(), []);
    answer();
    await fixture.settle();
    assert.deepEqual(fixture.texts(), ['oi']);
  });

  test('does not go where the lease has ended by then; the next owner looks into it', async () => {
    const fixture = await SendFixture.warm();
    const answer = fixture.holdAnswers();
    void fixture.send('a', 'oi');
    await fixture.settle();
    await fixture.own();
    answer();
    await fixture.pass(11_000);
    assert.deepEqual(fixture.texts(), []);
    await fixture.pass(7_000);
    assert.deepEqual(fixture.texts(), ['oi']);
    assert.equal(fixture.transmissions[0]?.send?.attempt, 2);
  });

  test('holds back those behind it in its conversation, and no others', async () => {
    const fixture = await SendFixture.warm();
    const { promise, resolve } = Promise.withResolvers<SendOutcome>();
    fixture.answer = (message) => (message.text === 'a1' ? promise : accepted(message));
    for (const text of ['a1', 'a2', 'a3', 'b1']) await fixture.send(text.charAt(0), text);
    await fixture.pass(500);
    assert.deepEqual(fixture.texts(), ['a1', 'b1']);
    resolve({ outcome: 'accepted', externalId: 'ext_1' });
    await fixture.pass(500);
    assert.deepEqual(fixture.texts(), ['a1', 'b1', 'a2', 'a3']);
  });

  test('is queued again when the network turns it away', async () => {
    const fixture = await SendFixture.warm();
    fixture.answer = () => ({ outcome: 'later', scope: 'pair', waitMs: 2_000 });
    await fixture.send('a', 'oi', 'msg_a');
    await fixture.settle();
    const { state, attempt } = sendOf(fixture, 'msg_a') ?? {};
    assert.deepEqual([state, attempt], ['queued', 0]);
    fixture.answer = accepted;
    await fixture.pass(5_000);
    assert.deepEqual(fixture.texts(), ['oi', 'oi']);
  });

  test('is waited for by an owner that hands its channel over', async () => {
    const fixture = await SendFixture.warm();
    const insert = fixture.holdInserts();
    void fixture.send('a', 'oi');
    await fixture.settle();
    const transmitted = fixture.handOff();
    await fixture.settle();
    insert();
    await fixture.pass(100);
    await transmitted;
    assert.deepEqual(fixture.texts(), ['oi']);
    await fixture.send('b', 'depois', 'msg_b');
    assert.equal(sendOf(fixture, 'msg_b')?.state, 'queued');
  });

  test('goes beside no more others than a round has, while the store is slow', async () => {
    const fixture = await SendFixture.warm({ perSecond: 8 });
    const insert = fixture.holdInserts();
    for (const id of ['a', 'b', 'c', 'd']) void fixture.send(id, 'oi');
    await fixture.settle();
    insert();
    await fixture.settle();
    const born = fixture.writes.flatMap((write) =>
      'insert' in write ? Object(write.document).send : [],
    );
    const states = born.map((send) => Reflect.get(Object(send), 'state'));
    assert.deepEqual(states, ['sending', 'sending', 'queued', 'queued']);
    assert.equal(fixture.transmissions.length, 4);
  });
});

describe('an insert that marks nothing', () => {
  test('one that another made before sends the message once, by a mark', async () => {
    const fixture = await SendFixture.warm();
    fixture.inserting = (carryOut) => {
      fixture.inserting = (again) => again();
      carryOut();
      carryOut();
    };
    const answer = await fixture.send('a', 'oi');
    await fixture.pass(200);
    assert.equal(answer?.status, 201);
    assert.deepEqual(fixture.texts(), ['oi']);
    assert.equal(fixture.transmissions[0]?.send?.attempt, 2);
  });

  test('one whose answer was lost sends the message once, by a mark', async () => {
    const fixture = await SendFixture.warm();
    fixture.inserting = (carryOut) => {
      fixture.inserting = (again) => again();
      carryOut();
      throw new Error('lost');
    };
    void fixture.send('a', 'oi');
    await fixture.settle();
    assert.ok(fixture.transmissions.every(({ send }) => send?.attempt !== 1));
    await fixture.pass(500);
    assert.deepEqual(fixture.texts(), ['oi']);
    assert.equal(fixture.transmissions[0]?.send?.attempt, 2);
  });

  test('one that never was sends nothing, and holds up nobody', async () => {
    const fixture = await SendFixture.warm();
    fixture.inserting = () => {
      throw new Error('refused');
    };
    void fixture.send('a', 'nunca');
    await fixture.settle();
    assert.deepEqual(fixture.texts(), []);
    await fixture.own();
    fixture.inserting = (carryOut) => carryOut();
    await fixture.send('a', 'depois');
    await fixture.pass(500);
    assert.deepEqual(fixture.texts(), ['depois']);
  });

  test('one that lands late goes before what was said after it', async () => {
    const fixture = await SendFixture.warm();
    let release = (): void => undefined;
    fixture.inserting = (carryOut) => {
      release = carryOut;
      throw new Error('late');
    };
    void fixture.send('a', 'a1', 'msg_a1');
    await fixture.settle();
    release();
    fixture.inserting = (carryOut) => carryOut();
    void fixture.send('a', 'a2');
    await fixture.pass(1_000);
    assert.deepEqual(fixture.texts(), ['a1', 'a2']);
  });

  test('one that was decided on a stale state is decided anew, and sent once', async () => {
    const fixture = await SendFixture.warm();
    await fixture.send('a', 'a1');
    await fixture.settle();
    const [last] = fixture.entries().filter(({ conversationId }) => conversationId === 'a');
    assert.ok(last);
    const seq = last.seq + 1;
    const stranger = { ...last, _id: 'stranger', seq, after: { ...last.after, seq } };
    fixture.database.apply({ insert: 'entries', document: stranger });
    const answering = fixture.send('a', 'a2');
    await fixture.pass(500);
    assert.equal((await answering)?.status, 201);
    assert.deepEqual(fixture.texts(), ['a1', 'a2']);
  });
});

async function sendMany(fixture: SendFixture, count: number): Promise<void> {
  for (let n = 0; n < count; n++) await fixture.send(`other_${n}`, 'antes');
  await fixture.settle();
}

async function sendOther(fixture: SendFixture, answer: SendOutcome): Promise<void> {
  fixture.answer = () => answer;
  await fixture.send('b', 'antes');
  await fixture.settle();
}

const REFUSED: SendOutcome = {
  ...{ outcome: 'refused', code: '1', reason: 'Não.', channelReason: 'Sem sessão.' },
};
const LATER: SendOutcome = { outcome: 'later', scope: 'account', waitMs: 60_000 };

type Arrange = (fixture: SendFixture) => Promise<unknown>;

const QUEUED: readonly (readonly [when: string, perSecond: number, arrange: Arrange])[] = [
  ['behind another of its conversation', 80, (fixture) => fixture.send('a', 'antes')],
  ['while the number’s pace is spent', 2, (fixture) => sendMany(fixture, 2)],
  [
    'while somebody else waits, until a round of them may go',
    8,
    async (fixture) => {
      await sendMany(fixture, 10);
      await fixture.pass(150);
      assert.equal(fixture.transmissions.length, 8);
    },
  ],
  ['while as many are under way as may be', 500, (fixture) => sendMany(fixture, 128)],
  [
    'after an owner that may have left some of its conversation',
    80,
    async (fixture) => {
      fixture.answer = accepted;
      await fixture.send('a', 'antes');
      await fixture.pass(1_000);
      await fixture.writeSnapshots();
      await fixture.own();
    },
  ],
  ['where the channel cannot send', 80, (fixture) => sendOther(fixture, REFUSED)],
  ['while the network wants the number to wait', 80, (fixture) => sendOther(fixture, LATER)],
];

describe('a message is queued, and marked when its turn comes', () => {
  for (const [when, perSecond, arrange] of QUEUED) {
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
      assert.equal(Reflect.get(Object(Object(insert.document).send), 'state'), 'queued');
    });
  }
});
