/** Messages in doubt on a network whose look-ups fail or find no answer (D51, D148). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OutboundText, SendOutcome } from '../../../../../shared/ports/network.ts';
import { ACCEPT, senderFixture } from '../sender-fixture.ts';

const LOST: SendOutcome = { outcome: 'unknown', cause: 'HTTP 500' };
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const losing = (texts: readonly string[]) => (message: OutboundText) =>
  texts.includes(message.text) ? LOST : ACCEPT(message);

test('while no look-up answers a message waits for a day, then is unconfirmed', async () => {
  const fixture = senderFixture({ lookUps: true });
  fixture.answer = losing(['perdida']);
  fixture.lookUp = () => ({ found: 'unknown', cause: 'no answer' });
  const lost = fixture.queue('a', 'perdida');
  await fixture.pass(11 * MINUTE);
  assert.deepEqual(fixture.texts(), ['perdida'], 'not repeated, however long nobody answers');
  fixture.clock.advance(24 * HOUR);
  const next = fixture.queue('a', 'depois');
  await fixture.pass(5_000);
  assert.equal(fixture.errorOf(lost)?.code, 'unconfirmed');
  assert.equal(fixture.statusOf(next), 'sent');
  assert.deepEqual(fixture.texts(), ['perdida', 'depois']);
});

test('where the look-up cannot tell a message is repeated once, then unconfirmed', async () => {
  const fixture = senderFixture({ lookUps: true });
  fixture.answer = losing(['perdida']);
  fixture.lookUp = () => ({ found: 'never', cause: 'nothing of that text' });
  const lost = fixture.queue('a', 'perdida');
  const next = fixture.queue('a', 'depois');
  await fixture.pass(MINUTE);
  assert.deepEqual(fixture.texts(), ['perdida', 'perdida', 'depois']);
  assert.equal(fixture.errorOf(lost)?.code, 'unconfirmed');
  assert.equal(fixture.statusOf(next), 'sent');
});

test('what a conversation that this one was joined to has sent is not taken for it', async () => {
  const fixture = senderFixture({ lookUps: true });
  const other = fixture.queue('b', 'igual');
  await fixture.pass(100);
  fixture.answer = losing(['igual']);
  fixture.lookUp = ({ recorded }) =>
    recorded.has(`ext-${other}`)
      ? { found: 'never', cause: 'nothing of that text' }
      : { found: true, externalId: `ext-${other}` };
  const lost = fixture.queue('a', 'igual', { joinedTo: 'b' });
  await fixture.pass(MINUTE);
  assert.equal(fixture.errorOf(lost)?.code, 'unconfirmed');
});

test('the next owner does not repeat what was repeated blindly before', async () => {
  const fixture = senderFixture({ lookUps: true, epoch: 7 });
  fixture.lookUp = () => ({ found: 'never', cause: 'nothing of that text' });
  const since = fixture.clock.now() - MINUTE;
  const marked = { state: 'sending', epoch: 6, since, doubtSince: since } as const;
  const twice = fixture.queue('a', 'repetida', { ...marked, attempt: 2, blindAttempt: 2 });
  const once = fixture.queue('b', 'uma vez', { ...marked, attempt: 1 });
  await fixture.pass(13_000);
  assert.deepEqual(fixture.texts(), ['uma vez']);
  assert.equal(fixture.errorOf(twice)?.code, 'unconfirmed');
  assert.equal(fixture.statusOf(once), 'sent');
});

test('a network that surely does not have it gets it again, under five attempts', async () => {
  const fixture = senderFixture({ lookUps: true });
  fixture.answer = losing(['perdida']);
  fixture.lookUp = () => ({ found: false });
  const lost = fixture.queue('a', 'perdida');
  await fixture.pass(2 * MINUTE);
  assert.equal(fixture.texts().length, 5);
  assert.equal(fixture.errorOf(lost)?.code, 'unconfirmed');
});

test('lost answers of three conversations make the number wait, and one message tries', async () => {
  const fixture = senderFixture({ lookUps: true });
  fixture.answer = () => LOST;
  fixture.lookUp = () => ({ found: 'unknown', cause: 'no answer' });
  for (const name of ['a', 'b', 'c']) fixture.queue(name, `${name}1`);
  await fixture.pass(100);
  assert.equal(fixture.posted.length, 3);
  for (let index = 0; index < 30; index++) fixture.queue(`d${index}`, `d${index}`);
  await fixture.pass(20_000);
  const tries = fixture.posted.length - 3;
  assert.ok(tries >= 1 && tries <= 8, `${tries} tries while in trouble`);
  fixture.answer = ACCEPT;
  fixture.lookUp = ({ messageId }) => ({ found: true, externalId: `ext-${messageId}` });
  await fixture.pass(15_000);
  assert.equal(fixture.receipts.length, 33, 'within 15 s of the last fault');
});

test('lost answers of two conversations hold up no other', async () => {
  const fixture = senderFixture({ lookUps: true });
  fixture.answer = losing(['a1', 'b1']);
  fixture.lookUp = () => ({ found: 'unknown', cause: 'no answer' });
  fixture.queue('a', 'a1');
  fixture.queue('b', 'b1');
  await fixture.pass(100);
  const others = Array.from({ length: 20 }, (_, index) => fixture.queue(`c${index}`, `c${index}`));
  await fixture.pass(100);
  assert.ok(others.every((id) => fixture.statusOf(id) === 'sent'));
});

test('a wait that the network wants kept is not cut short by readiness', async () => {
  const fixture = senderFixture();
  const wait = { outcome: 'later', scope: 'account', waitMs: 2 * HOUR } as const;
  const long: SendOutcome = { ...wait, unprobed: true };
  let blocked = true;
  fixture.answer = (message) => (blocked ? long : ACCEPT(message));
  fixture.queue('a', 'a1');
  await fixture.pass(100);
  fixture.queue('b', 'b1');
  for (let round = 0; round < 3; round++) {
    fixture.channel.readiness.learn({ ready: false, reason: 'Sem sessão.' });
    fixture.channel.readiness.learn({ ready: true });
    await fixture.pass(10_000);
  }
  assert.deepEqual(fixture.texts(), ['a1']);
  blocked = false;
  fixture.clock.advance(HOUR);
  await fixture.pass(1_000);
  assert.deepEqual(fixture.texts(), ['a1']);
  fixture.clock.advance(HOUR);
  await fixture.pass(1_000);
  assert.deepEqual(fixture.texts().sort(), ['a1', 'a1', 'b1']);
});

test('a wait that the network tells beside an answer is kept through probes that say ready', async () => {
  const fixture = senderFixture();
  fixture.channel.readiness.learn({ ready: false, reason: 'Limite da conta.', holdMs: HOUR });
  fixture.channel.readiness.learn({ ready: true });
  fixture.queue('a', 'a1');
  await fixture.pass(30_000);
  assert.deepEqual(fixture.texts(), []);
  fixture.clock.advance(HOUR);
  await fixture.pass(1_000);
  assert.deepEqual(fixture.texts(), ['a1']);
});

test('a message that was on its way when the account was told to wait does not end the wait', async () => {
  const fixture = senderFixture();
  const { promise, resolve } = Promise.withResolvers<SendOutcome>();
  fixture.answer = ({ text }) =>
    text === 'a1' ? promise : { outcome: 'later', scope: 'account', waitMs: HOUR, unprobed: true };
  fixture.queue('a', 'a1');
  fixture.queue('b', 'b1');
  await fixture.pass(100);
  resolve({ outcome: 'accepted', externalId: 'ext_1' });
  fixture.queue('c', 'c1');
  await fixture.pass(30_000);
  assert.deepEqual(fixture.texts(), ['a1', 'b1']);
  fixture.answer = ACCEPT;
  void fixture.channel.reconfigure();
  await fixture.pass(1_000);
  assert.deepEqual(fixture.texts(), ['a1', 'b1', 'b1', 'c1'], 'a change of the channel ends it');
});

test('an outage of the network gives no message up: each attempt waits for a status', async () => {
  const fixture = senderFixture();
  fixture.answer = () => ({ outcome: 'unknown', cause: 'status 503', outage: true });
  const waiting = fixture.queue('a', 'na pane');
  await fixture.pass(11_500);
  assert.equal(fixture.texts().length, 1, 'not repeated while a status may arrive');
  await fixture.pass(10 * MINUTE);
  assert.ok(fixture.texts().length > 10);
  assert.equal(fixture.statusOf(waiting), undefined);
  fixture.answer = ACCEPT;
  await fixture.pass(15_000);
  assert.equal(fixture.statusOf(waiting), 'sent');
});
