/**
 * Channel sender under a network that throttles, faults and loses answers (I29, I32, I2): which
 * messages wait, how long, and how each of them ends.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { backoffMs } from '../../../../../actors/channel/sending/send-result.ts';
import type { OutboundText, SendOutcome } from '../../../../../shared/ports/network.ts';
import { ACCEPT, senderFixture } from '../sender-fixture.ts';

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
  const fixture = senderFixture();
  for (const text of ['a1', 'a2', 'a3']) fixture.queue('a', text);
  fixture.queue('b', 'b1');
  await fixture.pass(100);
  assert.deepEqual(fixture.texts(), ['a1', 'b1', 'a2', 'a3']);
  assert.equal(fixture.channel.sender.queue.conversations.size, 0);
});

test('a message that waited 24 hours fails with a reason and is not handed over', async () => {
  const fixture = senderFixture();
  const at = fixture.clock.now() - 24 * HOUR - 1;
  const old = fixture.queue('a', 'velha', { at });
  const fresh = fixture.queue('a', 'nova', { at: at + 2 * HOUR });
  await fixture.pass(100);
  assert.equal(fixture.errorOf(old)?.code, 'expired');
  assert.match(fixture.errorOf(old)?.message ?? '', /24 horas/);
  assert.equal(fixture.statusOf(fresh), 'sent');
  assert.deepEqual(fixture.texts(), ['nova']);
});

test('a bulk message waits until its own end, and then fails with a reason', async () => {
  const fixture = senderFixture();
  const now = fixture.clock.now();
  const bulk = { expiresAt: now + HOUR };
  const at = now - 40 * HOUR;
  const waiting = fixture.queue('a', 'ainda', { at, bulk });
  const late = fixture.queue('b', 'tarde', { bulk: { expiresAt: now - 1 } });
  await fixture.pass(100);
  assert.equal(fixture.statusOf(waiting), 'sent', 'a day does not end its wait');
  assert.equal(fixture.errorOf(late)?.code, 'expired');
  assert.match(fixture.errorOf(late)?.message ?? '', /prazo/);
  assert.deepEqual(fixture.texts(), ['ainda']);
});

test('a bulk message whose answer was lost is not told to be expired', async () => {
  for (const lookUp of [{ found: 'never', cause: 'x' }, { found: false }] as const) {
    const fixture = senderFixture({ lookUps: true });
    fixture.lookUp = () => lookUp;
    fixture.answer = () => ({ outcome: 'unknown', cause: 'x' });
    const bulk = { expiresAt: fixture.clock.now() + MINUTE };
    const sent = fixture.queue('a', 'talvez', { at: fixture.clock.now() - 40 * HOUR, bulk });
    await fixture.pass(100);
    fixture.clock.advance(2 * MINUTE);
    await fixture.pass(30_000);
    const code = lookUp.found === false ? 'expired' : 'unconfirmed';
    assert.equal(fixture.errorOf(sent)?.code, code, String(lookUp.found));
    assert.equal(fixture.posted.length, 1);
  }
});

test('a bulk message goes to no contact who has opted out by its turn', async () => {
  const fixture = senderFixture();
  fixture.answer = turnAway(['pedido'], later({ scope: 'pair', waitMs: 5_000 }));
  const asked = fixture.queue('a', 'pedido');
  const bulk = { expiresAt: fixture.clock.now() + HOUR };
  const campaign = fixture.queue('a', 'campanha', { bulk });
  await fixture.pass(100);
  Object.assign(fixture, { optedOut: true, answer: ACCEPT });
  await fixture.pass(15_000);
  assert.equal(fixture.statusOf(asked), 'sent');
  assert.equal(fixture.errorOf(campaign)?.code, 'opted_out');
  assert.ok(!fixture.texts().includes('campanha'));
});

test('a message of a flow that waits goes to no contact who has opted out meanwhile', async () => {
  const fixture = senderFixture();
  fixture.answer = turnAway(['pedido'], later({ scope: 'pair', waitMs: 5_000 }));
  const asked = fixture.queue('a', 'pedido');
  const said = fixture.queue('a', 'do fluxo', { origin: 'flow' });
  await fixture.pass(100);
  fixture.optedOut = true;
  fixture.answer = ACCEPT;
  await fixture.pass(15_000);
  assert.equal(fixture.statusOf(asked), 'sent', 'a caller sends all the same');
  assert.equal(fixture.errorOf(said)?.code, 'opted_out');
  assert.ok(!fixture.texts().includes('do fluxo'));
});

test('a farewell that waits goes although the next step of its run has opted out', async () => {
  const fixture = senderFixture();
  fixture.answer = turnAway(['adeus'], later({ scope: 'pair', waitMs: 5_000 }));
  const said = fixture.queue('a', 'adeus', { origin: 'flow', runId: 'run_1' });
  const other = fixture.queue('a', 'de outro', { origin: 'flow', runId: 'run_2' });
  await fixture.pass(100);
  Object.assign(fixture, { optedOut: true, optOutRunId: 'run_1', answer: ACCEPT });
  await fixture.pass(15_000);
  assert.equal(fixture.statusOf(said), 'sent');
  assert.equal(fixture.errorOf(other)?.code, 'opted_out');
});

test('a scheduled message is no farewell of the run beside it', async () => {
  const fixture = senderFixture();
  fixture.answer = turnAway(['agendada'], later({ scope: 'pair', waitMs: 5_000 }));
  const schedule = { at: fixture.clock.now(), ifLate: 'send' } as const;
  const scheduled = fixture.queue('a', 'agendada', { schedule, runId: 'run_1' });
  await fixture.pass(100);
  Object.assign(fixture, { optedOut: true, optOutRunId: 'run_1', answer: ACCEPT });
  await fixture.pass(15_000);
  assert.equal(fixture.errorOf(scheduled)?.code, 'opted_out');
});

test('a network that is away for a day: tried on, then failed by age; what came later is sent', async () => {
  const fixture = senderFixture();
  fixture.answer = () => later({ waitMs: 5_000 });
  const old = fixture.queue('a', 'de ontem');
  await fixture.pass(MINUTE);
  fixture.clock.advance(24 * HOUR);
  const fresh = fixture.queue('a', 'de hoje');
  fixture.answer = ACCEPT;
  await fixture.pass(15_000);
  assert.equal(fixture.errorOf(old)?.code, 'expired');
  assert.equal(fixture.statusOf(fresh), 'sent');
});

test('a conversation that is turned away holds up no other, however often', async () => {
  const fixture = senderFixture();
  fixture.answer = turnAway(['ruim'], later({ waitMs: 5_000 }));
  fixture.queue('ruim', 'ruim');
  await fixture.pass(30_000);
  const other = fixture.queue('b', 'boa');
  await fixture.pass(100);
  assert.equal(fixture.statusOf(other), 'sent');
  const tries = fixture.posted.filter(({ text }) => text === 'ruim').length;
  assert.ok(tries >= 3 && tries <= 6, `${tries} tries in 30 s`);
});

test('a number in trouble is tried with one message at a time, and goes on at full speed', async () => {
  const fixture = senderFixture();
  fixture.answer = () => later({ waitMs: 1_000 });
  for (let index = 0; index < 50; index++) fixture.queue(`c${index}`, `t${index}`);
  await fixture.pass(100);
  const first = fixture.posted.length;
  await fixture.pass(20_000);
  const tries = fixture.posted.length - first;
  assert.ok(tries > 0 && tries <= 20, `${tries} tries while in trouble`);
  fixture.answer = ACCEPT;
  await fixture.pass(12_000);
  assert.equal(fixture.receipts.length, 50, 'within 15 s of the last fault');
});

test('an account limit stops the whole number at once; a pair limit only its conversation', async () => {
  const account = senderFixture();
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

  const pair = senderFixture();
  pair.answer = turnAway(['a1'], later({ scope: 'pair', waitMs: 6_000 }));
  pair.queue('a', 'a1');
  pair.queue('a', 'a2');
  await pair.pass(100);
  const other = pair.queue('b', 'b1');
  await pair.pass(100);
  assert.equal(pair.statusOf(other), 'sent');
  await pair.pass(40_000);
  const tries = pair.posted.filter(({ text }) => text === 'a1').map(({ atMs }) => atMs);
  const seconds = tries.map((atMs) => Math.round(atMs / 1_000));
  assert.deepEqual(seconds, [0, 6, 30], 'the waits grow as the network asks');
  assert.ok(!pair.texts().includes('a2'), 'the next waits behind it');
});

test('what the network chokes on fails after ten attempts over growing waits', async () => {
  const fixture = senderFixture();
  const failure = { code: '131000', reason: 'A rede falhou.' };
  fixture.answer = turnAway(['ruim'], later({ scope: 'pair', waitMs: 2_000, failure }));
  const bad = fixture.queue('a', 'ruim');
  const next = fixture.queue('a', 'depois');
  await fixture.pass(20_000);
  assert.equal(fixture.agendaOf(bad)?.state, 'queued');
  assert.ok((fixture.agendaOf(bad)?.failures ?? 0) >= 3, 'the next owner goes on counting');
  await fixture.pass(2 * MINUTE);
  const tries = fixture.posted.filter(({ text }) => text === 'ruim').map(({ atMs }) => atMs);
  assert.equal(tries.length, 10);
  const waits = tries.slice(1).map((atMs, index) => atMs - (tries[index] ?? 0));
  for (const [index, wait] of waits.slice(1).entries()) {
    assert.ok(wait + 100 >= (waits[index] ?? 0), 'waits never shrink');
  }
  assert.deepEqual(fixture.errorOf(bad), { code: '131000', message: 'A rede falhou.' });
  assert.equal(fixture.statusOf(next), 'sent');
});

test('an outage of the number does not lengthen the waits after a pair limit', async () => {
  const fixture = senderFixture();
  let tries = 0;
  fixture.answer = (message) => {
    tries++;
    if (tries === 6) return ACCEPT(message);
    return later({ scope: tries < 5 ? 'number' : 'pair' });
  };
  fixture.queue('a', 'a1');
  await fixture.pass(MINUTE);
  const times = fixture.posted.map(({ atMs }) => atMs);
  assert.equal(times.length, 6);
  assert.ok((times[5] ?? 0) - (times[4] ?? 0) < 1_500, `${times}`);
});

test('a reason that is the channel’s closes it; ready again, it goes on at once', async () => {
  const fixture = senderFixture();
  fixture.readiness = { ready: false, reason: 'Sem sessão.' };
  fixture.answer = () => later({ scope: 'account', waitMs: 60_000, channelReason: 'Sem sessão.' });
  fixture.queue('a', 'a1');
  await fixture.pass(100);
  const { ready, reason } = fixture.reports.at(-1) ?? {};
  assert.deepEqual([ready, reason], [false, 'Sem sessão.']);
  fixture.queue('b', 'b1');
  await fixture.pass(40_000);
  assert.deepEqual(fixture.texts(), ['a1'], 'nothing is tried meanwhile');
  fixture.answer = ACCEPT;
  fixture.channel.readiness.learn({ ready: true });
  await fixture.pass(200);
  assert.deepEqual(fixture.texts().sort(), ['a1', 'a1', 'b1']);
});

test('without a look-up an unknown outcome waits 12 s and is sent again, five times at most', async () => {
  const fixture = senderFixture();
  fixture.answer = turnAway(['perdida'], { outcome: 'unknown', cause: 'timeout' });
  const lost = fixture.queue('a', 'perdida');
  const next = fixture.queue('a', 'depois');
  await fixture.pass(11_900);
  assert.deepEqual(fixture.texts(), ['perdida']);
  await fixture.pass(300);
  assert.deepEqual(fixture.texts(), ['perdida', 'perdida']);
  await fixture.pass(MINUTE);
  assert.equal(fixture.texts().filter((text) => text === 'perdida').length, 5);
  assert.equal(fixture.errorOf(lost)?.code, 'unconfirmed');
  assert.equal(fixture.statusOf(next), 'sent');
});

test('with a look-up it is found and recorded, and what is known is not taken for it', async () => {
  const fixture = senderFixture({ lookUps: true });
  fixture.queue('a', 'igual');
  await fixture.pass(100);
  fixture.answer = turnAway(['igual'], { outcome: 'unknown', cause: 'timeout' });
  const lost = fixture.queue('a', 'igual');
  const transmittedAt = fixture.clock.now();
  fixture.lookUp = () => ({ found: true, externalId: 'theirs' });
  await fixture.pass(3_000);
  assert.deepEqual([...(fixture.lookUps[0]?.recorded ?? [])], ['ext-msg_1']);
  assert.equal(fixture.lookUps[0]?.handedOverAt, transmittedAt);
  assert.equal(fixture.statusOf(lost), 'sent');
  assert.equal(fixture.receipts.at(-1)?.receipt.externalId, 'theirs');
  assert.equal(fixture.texts().length, 2);
});

test('while the look-up is not answered nothing is sent again', async () => {
  const fixture = senderFixture({ lookUps: true });
  fixture.answer = () => ({ outcome: 'unknown', cause: 'timeout' });
  fixture.lookUp = () => ({ found: 'unknown', cause: 'no answer' });
  const lost = fixture.queue('a', 'perdida');
  await fixture.pass(2 * MINUTE);
  assert.deepEqual(fixture.texts(), ['perdida']);
  fixture.answer = ACCEPT;
  fixture.lookUp = () => ({ found: false });
  await fixture.pass(5_000);
  assert.deepEqual(fixture.texts(), ['perdida', 'perdida']);
  assert.equal(fixture.statusOf(lost), 'sent');
});

test('what was in doubt is looked for again before every later attempt', async () => {
  const fixture = senderFixture({ lookUps: true });
  fixture.answer = () => ({ outcome: 'unknown', cause: 'timeout' });
  const lost = fixture.queue('a', 'perdida');
  await fixture.pass(100);
  fixture.answer = () => later({ waitMs: 2_000 });
  await fixture.pass(13_000);
  assert.equal(fixture.agendaOf(lost)?.state, 'queued');
  assert.ok(fixture.agendaOf(lost)?.doubtSince);
  fixture.lookUp = () => ({ found: true, externalId: 'after all' });
  const before = fixture.posted.length;
  await fixture.pass(5_000);
  assert.equal(fixture.posted.length, before);
  assert.equal(fixture.receipts.at(-1)?.receipt.externalId, 'after all');
});

test('a take-over: what another owner was sending is looked for, then sent once more', async () => {
  for (const found of [true, false]) {
    const fixture = senderFixture({ lookUps: true, epoch: 7 });
    fixture.lookUp = () => (found ? { found, externalId: 'theirs' } : { found });
    const since = fixture.clock.now() - 3_000;
    const sending = { state: 'sending', attempt: 1, epoch: 6, since } as const;
    const left = fixture.queue('a', 'de outro dono', sending);
    const next = fixture.queue('a', 'depois');
    await fixture.pass(100);
    assert.equal(fixture.statusOf(left), found ? 'sent' : undefined);
    await fixture.pass(12_200);
    assert.deepEqual(fixture.texts(), found ? ['depois'] : ['de outro dono', 'depois']);
    assert.equal(fixture.lookUps[0]?.handedOverAt, since);
    assert.equal(fixture.statusOf(next), 'sent');
  }
});

test('a mark of its own that was never handed over is no doubt', async () => {
  const fixture = senderFixture({ lookUps: true, epoch: 7 });
  const since = fixture.clock.now();
  fixture.queue('a', 'só marcada', { state: 'sending', attempt: 1, epoch: 7, since });
  await fixture.pass(200);
  assert.deepEqual(fixture.texts(), ['só marcada']);
  assert.equal(fixture.lookUps.length, 0);
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
  const fixture = senderFixture();
  const { promise, resolve } = Promise.withResolvers<SendOutcome>();
  fixture.answer = () => promise;
  const first = fixture.queue('a', 'a1');
  fixture.queue('a', 'a2');
  await fixture.pass(100);
  let rested = false;
  const resting = fixture.channel.drain(3_000).then(() => {
    rested = true;
  });
  fixture.queue('b', 'b1');
  await fixture.pass(1_000);
  assert.equal(rested, false);
  resolve({ outcome: 'accepted', externalId: 'ext_1' });
  await fixture.pass(100);
  await resting;
  assert.equal(fixture.statusOf(first), 'sent');
  assert.deepEqual(fixture.texts(), ['a1']);
});

test('a desk waits no longer than it was told to for a network that does not answer', async () => {
  const fixture = senderFixture();
  fixture.answer = () => new Promise(() => undefined);
  fixture.queue('a', 'a1');
  await fixture.pass(100);
  const resting = fixture.channel.drain(3_000);
  await fixture.pass(3_100);
  await resting;
});
