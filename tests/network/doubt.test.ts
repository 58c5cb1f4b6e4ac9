/** Messages in doubt on a network whose look-ups fail, or cannot tell (D51, D148). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OutboundText, SendOutcome } from '../../shared/network.ts';
import { ACCEPT, setDesk } from './desk-stage.ts';

const LOST: SendOutcome = { outcome: 'unknown', cause: 'HTTP 500' };
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const losing = (texts: readonly string[]) => (message: OutboundText) =>
  texts.includes(message.text) ? LOST : ACCEPT(message);

test('while no look-up answers a message waits for a day, then is unconfirmed', async () => {
  const stage = setDesk({ lookUps: true });
  stage.answer = losing(['perdida']);
  stage.lookUp = () => ({ found: 'unknown', cause: 'no answer' });
  const lost = stage.queue('a', 'perdida');
  await stage.pass(11 * MINUTE);
  assert.deepEqual(stage.texts(), ['perdida'], 'not repeated, however long nobody answers');
  stage.clock.advance(24 * HOUR);
  const next = stage.queue('a', 'depois');
  await stage.pass(5_000);
  assert.equal(stage.errorOf(lost)?.code, 'unconfirmed');
  assert.equal(stage.statusOf(next), 'sent');
  assert.deepEqual(stage.texts(), ['perdida', 'depois']);
});

test('where the look-up cannot tell a message is repeated once, then unconfirmed', async () => {
  const stage = setDesk({ lookUps: true });
  stage.answer = losing(['perdida']);
  stage.lookUp = () => ({ found: 'never', cause: 'nothing of that text' });
  const lost = stage.queue('a', 'perdida');
  const next = stage.queue('a', 'depois');
  await stage.pass(MINUTE);
  assert.deepEqual(stage.texts(), ['perdida', 'perdida', 'depois']);
  assert.equal(stage.errorOf(lost)?.code, 'unconfirmed');
  assert.equal(stage.statusOf(next), 'sent');
});

test('the next owner does not repeat what was repeated blindly before', async () => {
  const stage = setDesk({ lookUps: true, epoch: 7 });
  stage.lookUp = () => ({ found: 'never', cause: 'nothing of that text' });
  const since = stage.clock.now() - MINUTE;
  const marked = { state: 'sending', epoch: 6, since, doubtSince: since } as const;
  const twice = stage.queue('a', 'repetida', { ...marked, attempt: 2, blindAttempt: 2 });
  const once = stage.queue('b', 'uma vez', { ...marked, attempt: 1 });
  await stage.pass(13_000);
  assert.deepEqual(stage.texts(), ['uma vez']);
  assert.equal(stage.errorOf(twice)?.code, 'unconfirmed');
  assert.equal(stage.statusOf(once), 'sent');
});

test('a network that surely does not have it gets it again, under five attempts', async () => {
  const stage = setDesk({ lookUps: true });
  stage.answer = losing(['perdida']);
  stage.lookUp = () => ({ found: false });
  const lost = stage.queue('a', 'perdida');
  await stage.pass(2 * MINUTE);
  assert.equal(stage.texts().length, 5);
  assert.equal(stage.errorOf(lost)?.code, 'unconfirmed');
});

test('lost answers of three conversations make the number wait, and one message tries', async () => {
  const stage = setDesk({ lookUps: true });
  stage.answer = () => LOST;
  stage.lookUp = () => ({ found: 'unknown', cause: 'no answer' });
  for (const name of ['a', 'b', 'c']) stage.queue(name, `${name}1`);
  await stage.pass(100);
  assert.equal(stage.handed.length, 3);
  for (let index = 0; index < 30; index++) stage.queue(`d${index}`, `d${index}`);
  await stage.pass(20_000);
  const tries = stage.handed.length - 3;
  assert.ok(tries >= 1 && tries <= 8, `${tries} tries while in trouble`);
  stage.answer = ACCEPT;
  stage.lookUp = ({ messageId }) => ({ found: true, externalId: `ext-${messageId}` });
  await stage.pass(15_000);
  assert.equal(stage.receipts.length, 33, 'within 15 s of the last fault');
});

test('lost answers of two conversations hold up no other', async () => {
  const stage = setDesk({ lookUps: true });
  stage.answer = losing(['a1', 'b1']);
  stage.lookUp = () => ({ found: 'unknown', cause: 'no answer' });
  stage.queue('a', 'a1');
  stage.queue('b', 'b1');
  await stage.pass(100);
  const others = Array.from({ length: 20 }, (_, index) => stage.queue(`c${index}`, `c${index}`));
  await stage.pass(100);
  assert.ok(others.every((id) => stage.statusOf(id) === 'sent'));
});

test('a wait that the network wants kept is not cut short by readiness', async () => {
  const stage = setDesk();
  const long: SendOutcome = {
    ...{ outcome: 'later', scope: 'account', waitMs: 2 * HOUR, unprobed: true },
  };
  let blocked = true;
  stage.answer = (message) => (blocked ? long : ACCEPT(message));
  stage.queue('a', 'a1');
  await stage.pass(100);
  stage.queue('b', 'b1');
  for (let round = 0; round < 3; round++) {
    stage.desk.readiness.learn({ ready: false, reason: 'Sem sessão.' });
    stage.desk.readiness.learn({ ready: true });
    await stage.pass(10_000);
  }
  assert.deepEqual(stage.texts(), ['a1']);
  blocked = false;
  stage.clock.advance(HOUR);
  await stage.pass(1_000);
  assert.deepEqual(stage.texts(), ['a1']);
  stage.clock.advance(HOUR);
  await stage.pass(1_000);
  assert.deepEqual(stage.texts().sort(), ['a1', 'a1', 'b1']);
});

test('a wait that the network tells beside an answer is kept through probes that say ready', async () => {
  const stage = setDesk();
  stage.desk.readiness.learn({ ready: false, reason: 'Limite da conta.', holdMs: HOUR });
  stage.desk.readiness.learn({ ready: true });
  stage.queue('a', 'a1');
  await stage.pass(30_000);
  assert.deepEqual(stage.texts(), []);
  stage.clock.advance(HOUR);
  await stage.pass(1_000);
  assert.deepEqual(stage.texts(), ['a1']);
});

test('a message that was on its way when the account was told to wait does not end the wait', async () => {
  const stage = setDesk();
  const { promise, resolve } = Promise.withResolvers<SendOutcome>();
  stage.answer = ({ text }) =>
    text === 'a1' ? promise : { outcome: 'later', scope: 'account', waitMs: HOUR, unprobed: true };
  stage.queue('a', 'a1');
  stage.queue('b', 'b1');
  await stage.pass(100);
  resolve({ outcome: 'accepted', externalId: 'ext_1' });
  stage.queue('c', 'c1');
  await stage.pass(30_000);
  assert.deepEqual(stage.texts(), ['a1', 'b1']);
  stage.answer = ACCEPT;
  void stage.desk.reconfigure();
  await stage.pass(1_000);
  assert.deepEqual(stage.texts(), ['a1', 'b1', 'b1', 'c1'], 'a change of the channel ends it');
});
