/** Numbers that may begin no conversations for a while (D149). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OutboundText, SendOutcome } from '../../../../../shared/ports/network.ts';
import { ACCEPT, type SenderFixture, senderFixture } from '../sender-fixture.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

function refusal(until: number | null = null): SendOutcome {
  return { outcome: 'refused', code: '463', reason: 'Restrito.', restriction: { until } };
}

/** The network refuses these texts, and accepts the rest. */
const refusing =
  (texts: readonly string[], until: number | null = null) =>
  (said: OutboundText) =>
    texts.includes(said.text) ? refusal(until) : ACCEPT(said);

async function restricted(until: number | null = null): Promise<SenderFixture> {
  const fixture = senderFixture();
  fixture.answer = refusing(['recusada'], until);
  fixture.queue('x', 'recusada');
  await fixture.pass(100);
  return fixture;
}

/** First contacts. */
function queueCold(fixture: SenderFixture, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => fixture.queue(`f${index}`, `fria ${index}`));
}

test('the message that met the restriction fails with 463, and the channel stays ready', async () => {
  const fixture = await restricted();
  assert.deepEqual(fixture.errorOf('msg_1'), { code: '463', message: 'Restrito.' });
  assert.equal(fixture.channel.readiness.maySend, true);
  const now = fixture.clock.now();
  const [told] = fixture.restrictions;
  assert.equal(told?.until, null);
  assert.ok((told?.holdsUntil ?? 0) > now + 59 * MINUTE);
  assert.deepEqual(fixture.reports, []);
});

test('while it holds first contacts wait, and those with contacts who wrote go', async () => {
  const fixture = await restricted();
  const cold = queueCold(fixture, 50);
  const known = fixture.queue('k', 'resposta', { received: 2 });
  await fixture.pass(30 * MINUTE);
  assert.equal(fixture.statusOf(known), 'sent');
  assert.deepEqual(fixture.texts(), ['recusada', 'resposta']);
  assert.ok(cold.every((id) => fixture.agendaOf(id)?.state === 'queued'));
  assert.ok(cold.every((id) => fixture.agendaOf(id)?.attempt === 0));
});

test('a contact who writes sets their messages free', async () => {
  const fixture = await restricted();
  const held = fixture.queue('f', 'fria');
  fixture.queue('g', 'outra');
  await fixture.pass(MINUTE);
  assert.equal(fixture.statusOf(held), undefined);
  fixture.write('f');
  await fixture.pass(200);
  assert.equal(fixture.statusOf(held), 'sent');
  assert.deepEqual(fixture.texts(), ['recusada', 'fria']);
});

test('a message queued before its contact wrote is not held by the next owner', async () => {
  const fixture = senderFixture();
  fixture.kept = { until: null, holdsUntil: fixture.clock.now() + HOUR };
  fixture.unreadable = true;
  const held = fixture.queue('f', 'fria');
  await fixture.pass(100);
  fixture.write('f');
  fixture.unreadable = false;
  await fixture.pass(1_000);
  assert.equal(fixture.statusOf(held), 'sent');
});

test('without a known end it holds for 60 minutes, then one message tries', async () => {
  const fixture = await restricted();
  fixture.answer = refusing(['fria 0', 'fria 1', 'fria 2', 'fria 3', 'fria 4']);
  queueCold(fixture, 5);
  await fixture.pass(59 * MINUTE);
  assert.deepEqual(fixture.texts(), ['recusada']);
  await fixture.pass(2 * MINUTE);
  assert.equal(fixture.posted.length, 2, 'one message tries');
  await fixture.pass(58 * MINUTE);
  assert.equal(fixture.posted.length, 2, 'refused again it holds anew');
  fixture.answer = ACCEPT;
  await fixture.pass(3 * MINUTE);
  assert.equal(fixture.posted.length, 6, 'accepted, the others go');
  assert.equal(fixture.restrictions.at(-1), null);
});

test('what is accepted may be refused afterwards: the others wait for that', async () => {
  const fixture = await restricted();
  queueCold(fixture, 5);
  await fixture.pass(HOUR + 1_000);
  assert.equal(fixture.posted.length, 2);
  void fixture.channel.receiving.learnRestriction({ until: null });
  await fixture.pass(HOUR - 2_000);
  assert.equal(fixture.posted.length, 2);
});

test('a known end is kept to; until then nothing cold is tried, however long it is', async () => {
  const fixture = senderFixture();
  const until = fixture.clock.now() + 3 * HOUR;
  fixture.answer = refusing(['recusada'], until);
  fixture.queue('x', 'recusada');
  await fixture.pass(100);
  const cold = fixture.queue('f', 'fria');
  assert.deepEqual(fixture.restrictions, [{ until, holdsUntil: until }]);
  await fixture.pass(100);
  fixture.clock.advance(3 * HOUR - 10_000);
  await fixture.pass(5_000);
  assert.deepEqual(fixture.texts(), ['recusada']);
  await fixture.pass(10_000);
  assert.equal(fixture.statusOf(cold), 'sent');
});

test('the network tells that it has ended: all go', async () => {
  const fixture = await restricted();
  queueCold(fixture, 5);
  await fixture.pass(1_000);
  void fixture.channel.receiving.learnRestriction(null);
  await fixture.pass(1_000);
  assert.equal(fixture.posted.length, 6);
  assert.equal(fixture.restrictions.at(-1), null);
});

test('news of one that has ended meanwhile begins none, and changes none that holds', async () => {
  const fixture = senderFixture();
  const over = { until: fixture.clock.now() - 1 };
  void fixture.channel.receiving.learnRestriction(over);
  fixture.channel.readiness.learn({ ready: true, restriction: over });
  const cold = fixture.queue('f', 'fria');
  await fixture.pass(1_000);
  assert.equal(fixture.statusOf(cold), 'sent');
  assert.deepEqual(fixture.restrictions, []);
  const until = fixture.clock.now() + HOUR;
  void fixture.channel.receiving.learnRestriction({ until });
  void fixture.channel.receiving.learnRestriction(over);
  const held = fixture.queue('g', 'fria também');
  await fixture.pass(1_000);
  assert.equal(fixture.statusOf(held), undefined);
  assert.deepEqual(fixture.restrictions, [{ until, holdsUntil: until }]);
});

test('readiness that tells of one begins it, that tells of none ends it, and that tells nothing keeps it', async () => {
  const fixture = senderFixture();
  const until = fixture.clock.now() + 2 * HOUR;
  fixture.channel.readiness.learn({ ready: true, restriction: { until } });
  const cold = fixture.queue('f', 'fria');
  await fixture.pass(1_000);
  fixture.channel.readiness.learn({ ready: true });
  fixture.channel.readiness.learn({ ready: true, restriction: { until } });
  await fixture.pass(1_000);
  assert.equal(fixture.statusOf(cold), undefined);
  assert.equal(fixture.restrictions.length, 1, 'told once');
  fixture.channel.readiness.learn({ ready: true, restriction: null });
  await fixture.pass(1_000);
  assert.equal(fixture.statusOf(cold), 'sent');
});

test('a state that shows no restriction does not end one that was met and has no known end', async () => {
  const fixture = await restricted();
  const cold = fixture.queue('f', 'fria');
  fixture.channel.readiness.learn({ ready: true, restriction: null });
  await fixture.pass(10 * MINUTE);
  assert.equal(fixture.statusOf(cold), undefined);
  fixture.channel.readiness.learn({ ready: true, restriction: { until: null } });
  await fixture.pass(1_000);
  void fixture.channel.receiving.learnRestriction(null);
  await fixture.pass(1_000);
  assert.equal(fixture.statusOf(cold), 'sent', 'but the news that it ended does');
});

test('the next owner goes on with what the organization keeps', async () => {
  const fixture = senderFixture();
  const until = fixture.clock.now() + 2 * HOUR;
  fixture.kept = { until, holdsUntil: until };
  const cold = fixture.queue('f', 'fria');
  const known = fixture.queue('k', 'resposta', { received: 1 });
  await fixture.pass(30 * MINUTE);
  assert.equal(fixture.statusOf(known), 'sent');
  assert.equal(fixture.statusOf(cold), undefined);
  await fixture.pass(91 * MINUTE);
  assert.equal(fixture.statusOf(cold), 'sent');
  assert.equal(fixture.kept, null, 'and tells that it has ended');
});

test('what is held for a day expires in time', async () => {
  const fixture = senderFixture();
  const until = fixture.clock.now() + 7 * 24 * HOUR;
  fixture.kept = { until, holdsUntil: until };
  const cold = fixture.queue('f', 'fria');
  await fixture.pass(1_000);
  fixture.clock.advance(24 * HOUR);
  await fixture.pass(2_000);
  assert.equal(fixture.errorOf(cold)?.code, 'expired');
});

test('first contacts that are held cost the others none of their pace', async () => {
  const fixture = await restricted();
  queueCold(fixture, 3_000);
  await fixture.pass(2_000);
  const known = Array.from({ length: 100 }, (_, index) =>
    fixture.queue(`k${index}`, `resposta ${index}`, { received: 1 }),
  );
  await fixture.pass(1_000);
  assert.equal(known.filter((id) => fixture.statusOf(id) === 'sent').length, 100);
});

test('a trial that is turned away or settled otherwise lets another try', async () => {
  const fixture = await restricted();
  const refused = { outcome: 'refused', code: '131026', reason: 'Sem conta.' } as const;
  fixture.answer = (message) => (message.text === 'fria 0' ? refused : ACCEPT(message));
  queueCold(fixture, 3);
  await fixture.pass(HOUR + 15_000);
  assert.deepEqual(fixture.texts(), ['recusada', 'fria 0', 'fria 1', 'fria 2']);
});
