/**
 * A channel's desk under a network that throttles, faults and loses answers (I29, I32,
 * I2): who waits, for how long, and what becomes of it in the end.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { backoffMs } from '../../actors/channel/backoff.ts';
import type { OutboundText, SendOutcome } from '../../shared/network.ts';
import { ACCEPT, setDesk } from './desk-stage.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

function later(more: Partial<Extract<SendOutcome, { outcome: 'later' }>> = {}): SendOutcome {
  return { outcome: 'later', scope: 'number', waitMs: 1_000, ...more };
}

/** The network says `first` to these texts, and accepts the rest. */
function turnAway(texts: readonly string[], outcome: SendOutcome) {
  return (message: OutboundText) => (texts.includes(message.text) ? outcome : ACCEPT(message));
}

test('per conversation in order of seq, one at a time, conversations side by side', async () => {
  const stage = setDesk();
  for (const text of ['a1', 'a2', 'a3']) stage.queue('a', text);
  stage.queue('b', 'b1');
  await stage.pass(100);
  assert.deepEqual(stage.texts(), ['a1', 'b1', 'a2', 'a3']);
  assert.equal(stage.desk.queues.size, 0);
});

test('a message that waited 24 hours fails with a reason and is not handed over', async () => {
  const stage = setDesk();
  const at = stage.clock.now() - 24 * HOUR - 1;
  const old = stage.queue('a', 'velha', { at });
  const fresh = stage.queue('a', 'nova', { at: at + 2 * HOUR });
  await stage.pass(100);
  assert.equal(stage.errorOf(old)?.code, 'expired');
  assert.match(stage.errorOf(old)?.message ?? '', /24 horas/);
  assert.equal(stage.statusOf(fresh), 'sent');
  assert.deepEqual(stage.texts(), ['nova']);
});

test('a network that is away for a day: tried on, then failed by age; what came later is sent', async () => {
  const stage = setDesk();
  stage.answer = () => later({ waitMs: 5_000 });
  const old = stage.queue('a', 'de ontem');
  await stage.pass(MINUTE);
  stage.clock.advance(24 * HOUR);
  const fresh = stage.queue('a', 'de hoje');
  stage.answer = ACCEPT;
  await stage.pass(15_000);
  assert.equal(stage.errorOf(old)?.code, 'expired');
  assert.equal(stage.statusOf(fresh), 'sent');
});

test('a conversation that is turned away holds up no other, however often', async () => {
  const stage = setDesk();
  stage.answer = turnAway(['ruim'], later({ waitMs: 5_000 }));
  stage.queue('ruim', 'ruim');
  await stage.pass(30_000);
  const other = stage.queue('b', 'boa');
  await stage.pass(100);
  assert.equal(stage.statusOf(other), 'sent');
  const tries = stage.handed.filter(({ text }) => text === 'ruim').length;
  assert.ok(tries >= 3 && tries <= 6, `${tries} tries in 30 s`);
});

test('a number in trouble is tried with one message at a time, and goes on at full speed', async () => {
  const stage = setDesk();
  stage.answer = () => later({ waitMs: 1_000 });
  for (let index = 0; index < 50; index++) stage.queue(`c${index}`, `t${index}`);
  await stage.pass(100);
  const first = stage.handed.length;
  await stage.pass(20_000);
  const tries = stage.handed.length - first;
  assert.ok(tries > 0 && tries <= 20, `${tries} tries while in trouble`);
  stage.answer = ACCEPT;
  await stage.pass(12_000);
  assert.equal(stage.receipts.length, 50, 'within 15 s of the last fault');
});

test('an account limit stops the whole number at once; a pair limit only its conversation', async () => {
  const account = setDesk();
  account.answer = turnAway(['a1'], later({ scope: 'account', waitMs: 60_000 }));
  account.queue('a', 'a1');
  await account.pass(100);
  account.queue('b', 'b1');
  await account.pass(5_000);
  assert.deepEqual(account.texts(), ['a1']);
  await account.pass(6_000);
  assert.deepEqual(account.texts(), ['a1', 'a1'], 'one message tries');
  await account.pass(10_000);
  assert.ok(account.texts().includes('b1'), 'each conversation in its turn');

  const pair = setDesk();
  pair.answer = turnAway(['a1'], later({ scope: 'pair', waitMs: 6_000 }));
  pair.queue('a', 'a1');
  pair.queue('a', 'a2');
  await pair.pass(100);
  const other = pair.queue('b', 'b1');
  await pair.pass(100);
  assert.equal(pair.statusOf(other), 'sent');
  await pair.pass(40_000);
  const tries = pair.handed.filter(({ text }) => text === 'a1').map(({ atMs }) => atMs);
  assert.deepEqual(
    tries.map((atMs) => Math.round(atMs / 1_000)),
    [0, 6, 30],
    'the waits grow as the network asks',
  );
  assert.ok(!pair.texts().includes('a2'), 'the next waits behind it');
});

test('what the network chokes on fails after ten attempts over growing waits', async () => {
  const stage = setDesk();
  const failure = { code: '131000', reason: 'A rede falhou.' };
  stage.answer = turnAway(['ruim'], later({ scope: 'pair', waitMs: 2_000, failure }));
  const bad = stage.queue('a', 'ruim');
  const next = stage.queue('a', 'depois');
  await stage.pass(20_000);
  assert.equal(stage.agendaOf(bad)?.state, 'queued');
  assert.ok((stage.agendaOf(bad)?.failures ?? 0) >= 3, 'the next owner goes on counting');
  await stage.pass(2 * MINUTE);
  const tries = stage.handed.filter(({ text }) => text === 'ruim').map(({ atMs }) => atMs);
  assert.equal(tries.length, 10);
  const waits = tries.slice(1).map((atMs, index) => atMs - (tries[index] ?? 0));
  for (const [index, wait] of waits.slice(1).entries()) {
    assert.ok(wait + 100 >= (waits[index] ?? 0), 'waits never shrink');
  }
  assert.deepEqual(stage.errorOf(bad), { code: '131000', message: 'A rede falhou.' });
  assert.equal(stage.statusOf(next), 'sent');
});

test('an outage of the number does not lengthen the waits after a pair limit', async () => {
  const stage = setDesk();
  let tries = 0;
  stage.answer = (message) => {
    tries++;
    if (tries === 6) return ACCEPT(message);
    return later({ scope: tries < 5 ? 'number' : 'pair' });
  };
  stage.queue('a', 'a1');
  await stage.pass(MINUTE);
  const times = stage.handed.map(({ atMs }) => atMs);
  assert.equal(times.length, 6);
  assert.ok((times[5] ?? 0) - (times[4] ?? 0) < 1_500, `${times}`);
});

test('a reason that is the channel’s closes it; ready again, it goes on at once', async () => {
  const stage = setDesk();
  stage.readiness = { ready: false, reason: 'Sem sessão.' };
  stage.answer = () => later({ scope: 'account', waitMs: 60_000, channelReason: 'Sem sessão.' });
  stage.queue('a', 'a1');
  await stage.pass(100);
  const { ready, reason } = stage.reports.at(-1) ?? {};
  assert.deepEqual([ready, reason], [false, 'Sem sessão.']);
  stage.queue('b', 'b1');
  await stage.pass(40_000);
  assert.deepEqual(stage.texts(), ['a1'], 'nothing is tried meanwhile');
  stage.answer = ACCEPT;
  stage.desk.readiness.learn({ ready: true });
  await stage.pass(200);
  assert.deepEqual(stage.texts().sort(), ['a1', 'a1', 'b1']);
});

test('without a look-up an unknown outcome waits 12 s and is sent again, five times at most', async () => {
  const stage = setDesk();
  stage.answer = turnAway(['perdida'], { outcome: 'unknown', cause: 'timeout' });
  const lost = stage.queue('a', 'perdida');
  const next = stage.queue('a', 'depois');
  await stage.pass(11_900);
  assert.deepEqual(stage.texts(), ['perdida']);
  await stage.pass(300);
  assert.deepEqual(stage.texts(), ['perdida', 'perdida']);
  await stage.pass(MINUTE);
  assert.equal(stage.texts().filter((text) => text === 'perdida').length, 5);
  assert.equal(stage.errorOf(lost)?.code, 'unconfirmed');
  assert.equal(stage.statusOf(next), 'sent');
});

test('with a look-up it is found and recorded, and what is known is not taken for it', async () => {
  const stage = setDesk({ lookUps: true });
  stage.queue('a', 'igual');
  await stage.pass(100);
  stage.answer = turnAway(['igual'], { outcome: 'unknown', cause: 'timeout' });
  const lost = stage.queue('a', 'igual');
  const handedAt = stage.clock.now();
  stage.lookUp = () => ({ found: true, externalId: 'theirs' });
  await stage.pass(3_000);
  assert.deepEqual([...(stage.looked[0]?.recorded ?? [])], ['ext-msg_1']);
  assert.equal(stage.looked[0]?.handedOverAt, handedAt);
  assert.equal(stage.statusOf(lost), 'sent');
  assert.equal(stage.receipts.at(-1)?.receipt.externalId, 'theirs');
  assert.equal(stage.texts().length, 2);
});

test('while the look-up is not answered nothing is sent again', async () => {
  const stage = setDesk({ lookUps: true });
  stage.answer = () => ({ outcome: 'unknown', cause: 'timeout' });
  stage.lookUp = () => ({ found: 'unknown', cause: 'no answer' });
  const lost = stage.queue('a', 'perdida');
  await stage.pass(2 * MINUTE);
  assert.deepEqual(stage.texts(), ['perdida']);
  stage.answer = ACCEPT;
  stage.lookUp = () => ({ found: false });
  await stage.pass(5_000);
  assert.deepEqual(stage.texts(), ['perdida', 'perdida']);
  assert.equal(stage.statusOf(lost), 'sent');
});

test('what was in doubt is looked for again before every later attempt', async () => {
  const stage = setDesk({ lookUps: true });
  stage.answer = () => ({ outcome: 'unknown', cause: 'timeout' });
  const lost = stage.queue('a', 'perdida');
  await stage.pass(100);
  stage.answer = () => later({ waitMs: 2_000 });
  await stage.pass(13_000);
  assert.equal(stage.agendaOf(lost)?.state, 'queued');
  assert.ok(stage.agendaOf(lost)?.doubtSince);
  stage.lookUp = () => ({ found: true, externalId: 'after all' });
  const before = stage.handed.length;
  await stage.pass(5_000);
  assert.equal(stage.handed.length, before);
  assert.equal(stage.receipts.at(-1)?.receipt.externalId, 'after all');
});

test('a take-over: what another owner was sending is looked for, then sent once more', async () => {
  for (const found of [true, false]) {
    const stage = setDesk({ lookUps: true, epoch: 7 });
    stage.lookUp = () => (found ? { found, externalId: 'theirs' } : { found });
    const since = stage.clock.now() - 3_000;
    const sending = { state: 'sending', attempt: 1, epoch: 6, since } as const;
    const left = stage.queue('a', 'de outro dono', sending);
    const next = stage.queue('a', 'depois');
    await stage.pass(100);
    assert.equal(stage.statusOf(left), found ? 'sent' : undefined);
    await stage.pass(12_200);
    assert.deepEqual(stage.texts(), found ? ['depois'] : ['de outro dono', 'depois']);
    assert.equal(stage.looked[0]?.handedOverAt, since);
    assert.equal(stage.statusOf(next), 'sent');
  }
});

test('a mark of its own that was never handed over is no doubt', async () => {
  const stage = setDesk({ lookUps: true, epoch: 7 });
  const since = stage.clock.now();
  stage.queue('a', 'só marcada', { state: 'sending', attempt: 1, epoch: 7, since });
  await stage.pass(200);
  assert.deepEqual(stage.texts(), ['só marcada']);
  assert.equal(stage.looked.length, 0);
});

test('waits never shrink with the refusals in a row, and have an end', () => {
  const scopeArb = fc.constantFrom('number' as const, 'account' as const, 'pair' as const);
  fc.assert(
    fc.property(scopeArb, fc.integer({ min: 1, max: 10_000 }), fc.nat(200), (scope, waitMs, n) => {
      const wait = backoffMs({ scope, waitMs }, n + 1);
      assert.ok(backoffMs({ scope, waitMs }, n + 2) >= wait);
      if (scope !== 'pair') assert.ok(wait <= 10_000);
      assert.ok(Number.isFinite(wait) && wait > 0);
    }),
  );
});

test('a desk that rests takes up nothing more, and hears the network out', async () => {
  const stage = setDesk();
  const { promise, resolve } = Promise.withResolvers<SendOutcome>();
  stage.answer = () => promise;
  const first = stage.queue('a', 'a1');
  stage.queue('a', 'a2');
  await stage.pass(100);
  let rested = false;
  const resting = stage.desk.drain(3_000).then(() => {
    rested = true;
  });
  stage.queue('b', 'b1');
  await stage.pass(1_000);
  assert.equal(rested, false);
  resolve({ outcome: 'accepted', externalId: 'ext_1' });
  await stage.pass(100);
  await resting;
  assert.equal(stage.statusOf(first), 'sent');
  assert.deepEqual(stage.texts(), ['a1']);
});

test('a desk waits no longer than it was told to for a network that does not answer', async () => {
  const stage = setDesk();
  stage.answer = () => new Promise(() => undefined);
  stage.queue('a', 'a1');
  await stage.pass(100);
  const resting = stage.desk.drain(3_000);
  await stage.pass(3_100);
  await resting;
});
