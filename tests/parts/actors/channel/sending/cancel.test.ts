/**
 * Bulk messages that are cancelled beside their sends (D425): a cancelled one never goes, any other
 * goes once, and in a conversation none overtakes another, whatever nudges and owners are lost.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { accepted, SendFixture } from '../send-fixture.ts';

const PACE = { perSecond: 2, pairBurst: 2, pairEveryMs: 200 };
const BULK = { bulk: { expiresAt: null } };
/** A lost nudge costs 5 s, and messages of one channel go two a second. */
const IN_THE_END_MS = 60_000;

type Step =
  | { readonly send: string; readonly isBulk: boolean }
  /** The message so many before the newest. */
  | { readonly cancel: number }
  | { readonly pass: number }
  | { readonly nudges: boolean }
  | { readonly own: true };

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        send: fc.constantFrom('cnv_a', 'cnv_b', 'cnv_c'),
        isBulk: fc.constantFrom(true, true, false),
      }),
    },
    { weight: 4, arbitrary: fc.record({ cancel: fc.nat(6) }) },
    { weight: 2, arbitrary: fc.constantFrom(0, 20, 500, 1_200).map((pass) => ({ pass })) },
    { weight: 1, arbitrary: fc.record({ nudges: fc.boolean() }) },
    { weight: 1, arbitrary: fc.constant({ own: true } as const) },
  ),
  { minLength: 3, maxLength: 40, size: 'max' },
);

interface Made {
  readonly id: string;
  readonly conversationId: string;
  readonly isBulk: boolean;
}

class Run {
  readonly fixture: SendFixture;
  readonly #made: Made[] = [];
  readonly #sent: string[] = [];
  /** Statuses of each message's cancels. */
  readonly #cancels = new Map<string, number[]>();

  constructor(fixture: SendFixture) {
    this.fixture = fixture;
    fixture.answer = (message) => {
      this.#assertNext(message.messageId);
      this.#sent.push(message.messageId);
      return accepted(message);
    };
  }

  async take(step: Step): Promise<void> {
    if ('send' in step) this.#send(step);
    else if ('cancel' in step) this.#cancel(this.#made.at(-1 - step.cancel));
    else if ('pass' in step) await this.fixture.pass(step.pass);
    else if ('nudges' in step) this.fixture.nudges = step.nudges;
    else {
      await this.fixture.settle();
      await this.fixture.own();
    }
  }

  #send({ send: conversationId, isBulk }: Extract<Step, { send: string }>): void {
    const id = `msg_${this.#made.length}`;
    this.#made.push({ id, conversationId, isBulk });
    void this.fixture.send(conversationId, id, id, isBulk ? BULK : {});
  }

  #cancel(made: Made | undefined): void {
    if (!made) return;
    const { id, conversationId } = made;
    const statuses = this.#cancels.get(id) ?? [];
    this.#cancels.set(id, statuses);
    void this.fixture.cancel(conversationId, id).then((status) => {
      // An owner that was lost answers nothing.
      if (status !== undefined) statuses.push(status);
    });
  }

  #assertNext(messageId: string): void {
    const entries = this.fixture.entries();
    const { conversationId, seq = 0 } = entries.find(({ _id }) => _id === messageId) ?? {};
    for (const other of entries) {
      if (other.conversationId !== conversationId || other.seq >= seq) continue;
      assert.equal(other.send, undefined, `${messageId} overtakes ${other._id}`);
    }
  }

  assertEnded(): number {
    assert.deepEqual(this.fixture.faults, []);
    assert.equal(new Set(this.#sent).size, this.#sent.length, 'none goes twice');
    const sent = new Set(this.#sent);
    let cancelled = 0;
    for (const { _id, message } of this.fixture.entries()) {
      const isCancelled = message?.status === 'cancelled';
      if (isCancelled) cancelled++;
      assert.equal(sent.has(_id), !isCancelled, `${_id} is ${message?.status}`);
      const statuses = this.#cancels.get(_id) ?? [];
      if (statuses.includes(200)) assert.ok(isCancelled, `${_id} was cancelled, and went`);
      if (isCancelled) assert.ok(this.#made.some(({ id, isBulk }) => id === _id && isBulk));
    }
    return cancelled;
  }
}

test('a cancelled message never goes, the others once and in order', async () => {
  let cancelled = 0;
  await fc.assert(
    fc.asyncProperty(steps, async (plan) => {
      const run = new Run(await SendFixture.opened(PACE));
      for (const step of plan) await run.take(step);
      run.fixture.nudges = true;
      await run.fixture.pass(IN_THE_END_MS, 500);
      cancelled += run.assertEnded();
    }),
    { numRuns: 150 },
  );
  assert.ok(cancelled > 30, `${cancelled} were cancelled`);
});

test('a cancel is 200 in the queue, again 200, and 409 on its way and of any other message', async () => {
  const fixture = await SendFixture.warm(PACE);
  for (const id of ['a', 'b', 'c', 'd']) await fixture.send(`cnv_${id}`, id, `msg_${id}`, BULK);
  await fixture.send('cnv_e', 'e', 'msg_e');
  await fixture.settle();
  assert.equal(await fixture.cancel('cnv_a', 'msg_a'), 409, 'its insert has marked it');
  assert.equal(await fixture.cancel('cnv_d', 'msg_d'), 200);
  assert.equal(await fixture.cancel('cnv_d', 'msg_d'), 200);
  assert.equal(await fixture.cancel('cnv_e', 'msg_e'), 409, 'it is no bulk message');
  assert.equal(await fixture.cancel('cnv_e', 'msg_nobody'), 404);
  await fixture.pass(10_000);
  assert.deepEqual(fixture.texts().toSorted(), ['a', 'b', 'c', 'e']);
  assert.equal(await fixture.cancel('cnv_d', 'msg_d'), 200, 'it stays cancelled');
});

test('behind a cancelled message, whose cancel nobody told, the one before it goes first', async () => {
  const fixture = await SendFixture.warm(PACE);
  // Tokens are spent: what follows waits.
  for (const id of ['x', 'y', 'z']) await fixture.send(`cnv_${id}`, id);
  const sayWith = async (nudges: boolean, text: string): Promise<void> => {
    fixture.nudges = nudges;
    await fixture.send('cnv_a', text, `msg_${text}`, BULK);
    await fixture.settle();
  };
  await sayWith(false, 'a1');
  await sayWith(true, 'a2');
  fixture.nudges = false;
  assert.equal(await fixture.cancel('cnv_a', 'msg_a2'), 200);
  await sayWith(true, 'a3');
  await fixture.pass(10_000);
  const ofConversation = fixture.texts().filter((text) => text.startsWith('a'));
  assert.deepEqual(ofConversation, ['a1', 'a3']);
});
