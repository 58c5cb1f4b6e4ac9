/**
 * Replies, normal and bulk messages of one number, from their acceptance to the network: what goes
 * before a reply, whatever waits, also under the next owner (D415).
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { URGENCIES, type Urgency } from '../../../../../shared/vocabulary.ts';
import { SeededRandom } from '../../../../faults/simulation/world/seeded-random.ts';
import { accepted, SendFixture } from '../send-fixture.ts';

const PACE = { perSecond: 2, pairBurst: 1_000, pairEveryMs: 1 };
/** Tokens of a number that has rested: so many go at once. */
const BATCH = PACE.perSecond;
const LATENCY_MS = 60;
const STEP_MS = 50;
const SEEDS = 6;
const MEMBER = { memberId: 'mbr_1', name: 'Ana' };

interface Accepted {
  readonly conversationId: string;
  readonly text: string;
  readonly urgency: Urgency;
  /** Transmissions until its acceptance. */
  readonly after: number;
}

class Sending {
  readonly fixture: SendFixture;
  readonly accepted: Accepted[] = [];

  static async opened(): Promise<Sending> {
    const sending = new Sending(await SendFixture.opened(PACE));
    await sending.fixture.pass(1_000);
    return sending;
  }

  constructor(fixture: SendFixture) {
    this.fixture = fixture;
    fixture.answer = async (message) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      fixture.clock.after(LATENCY_MS, resolve);
      await promise;
      return accepted(message);
    };
  }

  async accept(conversationId: string, urgency: Urgency): Promise<void> {
    const text = `${urgency}-${this.accepted.length}`;
    const more = {
      ...(urgency === 'bulk' ? { bulk: { expiresAt: null } } : {}),
      ...(urgency === 'reply' ? { by: MEMBER } : {}),
    };
    const after = this.fixture.transmissions.length;
    this.accepted.push({ conversationId, text, urgency, after });
    const answer = await this.fixture.send(conversationId, text, undefined, more as never);
    assert.equal(answer?.status, 201);
  }

  /** What went wrong with the bound and with the order of conversations. */
  faults(): readonly string[] {
    const texts = this.fixture.texts();
    return this.accepted.flatMap((each, at) => {
      const wentAt = texts.indexOf(each.text);
      if (wentAt < 0) return [`${each.text} did not go`];
      if (texts.lastIndexOf(each.text) !== wentAt) return [`${each.text} went twice`];
      const earlier = this.accepted.slice(0, at).filter(isWith(each));
      const wrong = earlier.filter(({ text }) => texts.indexOf(text) > wentAt);
      const faults = wrong.map(({ text }) => `${text} went after ${each.text}`);
      return each.urgency === 'reply' ? [...faults, ...this.#bound(each, wentAt)] : faults;
    });
  }

  #bound(reply: Accepted, wentAt: number): readonly string[] {
    const texts = this.fixture.texts().slice(reply.after, wentAt);
    const before = texts.map((text) => this.#find(text));
    const own = before.filter(isWith(reply)).length;
    const ofReplyQueues = before.filter((each) => !isWith(reply)(each) && this.#isOfReplies(each));
    const others = before.length - own - ofReplyQueues.length;
    const most = BATCH + Math.ceil((own + ofReplyQueues.length + 1) / 3);
    return others <= most ? [] : [`${others} of ${most} others before ${reply.text}`];
  }

  /** A reply, or one before which a reply of its conversation was waiting. */
  #isOfReplies(message: Accepted): boolean {
    const wentAt = this.fixture.texts().indexOf(message.text);
    return this.accepted.some(
      (each) =>
        each.urgency === 'reply' &&
        (each === message ||
          (isWith(message)(each) &&
            each.after <= wentAt &&
            this.fixture.texts().indexOf(each.text) > wentAt)),
    );
  }

  #find(text: string): Accepted {
    return this.accepted.find((each) => each.text === text) ?? assert.fail(text);
  }
}

function isWith({ conversationId }: Accepted) {
  return (other: Accepted): boolean => other.conversationId === conversationId;
}

test('a reply does not wait behind 140 bulk messages', async () => {
  for (const others of ['bulk', 'normal'] as const) {
    const sending = await Sending.opened();
    const { fixture } = sending;
    for (let n = 0; n < 140; n++) await sending.accept(`cnv_${n}`, others);
    await fixture.pass(5_000);
    const from = fixture.clock.monotonic();
    await sending.accept('cnv_a', 'reply');
    await fixture.pass(1_500);
    const sent = fixture.transmissions.find(({ conversationId }) => conversationId === 'cnv_a');
    assert.ok(sent && sent.at - from <= 600, `${others}: after ${sent?.at} of ${from}`);
    // Behind a message of its own conversation that waits, in its order.
    await sending.accept('cnv_139', 'reply');
    await fixture.pass(2_000);
    const ofOne = fixture.transmissions.filter(
      ({ conversationId }) => conversationId === 'cnv_139',
    );
    assert.equal(ofOne.length, 2);
  }
});

test('before each reply go no more than its bound, and no conversation changes its order', async () => {
  for (let seed = 1; seed <= SEEDS; seed++) {
    const random = new SeededRandom(seed);
    const sending = await Sending.opened();
    const { fixture } = sending;
    for (let step = 0; step < 60; step++) {
      const many = random.happens(0.1) ? 12 : random.below(3);
      for (let n = 0; n < many; n++) {
        const urgency =
          many > 3 ? random.pick(['normal', 'bulk'] as const) : random.pick(URGENCIES);
        await sending.accept(`cnv_${random.below(9)}`, urgency);
      }
      await fixture.pass(random.between(0, 800), STEP_MS);
    }
    await fixture.pass(60_000, 4 * STEP_MS);
    assert.deepEqual(sending.faults(), [], `seed ${seed}`);
  }
});

test('the next owner sends the reply first that was queued behind a long backlog', async () => {
  const sending = await Sending.opened();
  const { fixture } = sending;
  for (let n = 0; n < 150; n++) await sending.accept(`cnv_${n}`, 'bulk');
  await fixture.pass(2_000);
  await sending.accept('cnv_149', 'reply');
  await sending.accept('cnv_b', 'reply');
  const before = fixture.transmissions.length;
  await fixture.own();
  await fixture.pass(3_000);
  const texts = fixture.texts().slice(before, before + 4);
  // One of a conversation whose send was cut off waits for its status first.
  assert.ok(texts.includes('reply-151'), texts.join());
  assert.ok(texts.includes('bulk-149') && texts.includes('reply-150'), texts.join());
});
