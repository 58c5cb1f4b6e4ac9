/** Numbers that may begin no conversations for a while (D149). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OutboundText, SendOutcome } from '../../shared/network.ts';
import { ACCEPT, type DeskStage, setDesk } from './desk-stage.ts';

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

async function restricted(until: number | null = null): Promise<DeskStage> {
  const stage = setDesk();
  stage.answer = refusing(['recusada'], until);
  stage.queue('x', 'recusada');
  await stage.pass(100);
  return stage;
}

test('the message that met the restriction fails with 463, and the channel stays ready', async () => {
  const stage = await restricted();
  assert.deepEqual(stage.errorOf('msg_1'), { code: '463', message: 'Restrito.' });
  assert.equal(stage.desk.readiness.maySend, true);
  const now = stage.clock.now();
  const [told] = stage.restrictions;
  assert.equal(told?.until, null);
  assert.ok((told?.holdsUntil ?? 0) > now + 59 * MINUTE);
  assert.deepEqual(stage.reports, []);
});

test('while it holds first contacts wait, and those with contacts who wrote go', async () => {
  const stage = await restricted();
  const cold = Array.from({ length: 50 }, (_, index) => stage.queue(`f${index}`, `fria ${index}`));
  const known = stage.queue('k', 'resposta', { received: 2 });
  await stage.pass(30 * MINUTE);
  assert.equal(stage.statusOf(known), 'sent');
  assert.deepEqual(stage.texts(), ['recusada', 'resposta']);
  assert.ok(cold.every((id) => stage.agendaOf(id)?.state === 'queued'));
  assert.ok(cold.every((id) => stage.agendaOf(id)?.attempt === 0));
});

test('a contact who writes sets their messages free', async () => {
  const stage = await restricted();
  const held = stage.queue('f', 'fria');
  stage.queue('g', 'outra');
  await stage.pass(MINUTE);
  assert.equal(stage.statusOf(held), undefined);
  stage.write('f');
  await stage.pass(200);
  assert.equal(stage.statusOf(held), 'sent');
  assert.deepEqual(stage.texts(), ['recusada', 'fria']);
});

test('a message queued before its contact wrote is not held by the next owner', async () => {
  const stage = setDesk();
  stage.kept = { until: null, holdsUntil: stage.clock.now() + HOUR };
  stage.unreadable = true;
  const held = stage.queue('f', 'fria');
  await stage.pass(100);
  stage.write('f');
  stage.unreadable = false;
  await stage.pass(1_000);
  assert.equal(stage.statusOf(held), 'sent');
});

test('without a known end it holds for 60 minutes, then one message tries', async () => {
  const stage = await restricted();
  stage.answer = refusing(['fria 0', 'fria 1', 'fria 2', 'fria 3', 'fria 4']);
  for (let index = 0; index < 5; index++) stage.queue(`f${index}`, `fria ${index}`);
  await stage.pass(59 * MINUTE);
  assert.deepEqual(stage.texts(), ['recusada']);
  await stage.pass(2 * MINUTE);
  assert.equal(stage.handed.length, 2, 'one message tries');
  await stage.pass(58 * MINUTE);
  assert.equal(stage.handed.length, 2, 'refused again it holds anew');
  stage.answer = ACCEPT;
  await stage.pass(3 * MINUTE);
  assert.equal(stage.handed.length, 6, 'accepted, the others go');
  assert.equal(stage.restrictions.at(-1), null);
});

test('what is accepted may be refused afterwards: the others wait for that', async () => {
  const stage = await restricted();
  for (let index = 0; index < 5; index++) stage.queue(`f${index}`, `fria ${index}`);
  await stage.pass(HOUR + 1_000);
  assert.equal(stage.handed.length, 2);
  void stage.desk.learnRestriction({ until: null });
  await stage.pass(HOUR - 2_000);
  assert.equal(stage.handed.length, 2);
});

test('a known end is kept to; until then nothing cold is tried, however long it is', async () => {
  const stage = setDesk();
  const until = stage.clock.now() + 3 * HOUR;
  stage.answer = refusing(['recusada'], until);
  stage.queue('x', 'recusada');
  await stage.pass(100);
  const cold = stage.queue('f', 'fria');
  assert.deepEqual(stage.restrictions, [{ until, holdsUntil: until }]);
  await stage.pass(100);
  stage.clock.advance(3 * HOUR - 10_000);
  await stage.pass(5_000);
  assert.deepEqual(stage.texts(), ['recusada']);
  await stage.pass(10_000);
  assert.equal(stage.statusOf(cold), 'sent');
});

test('the network tells that it has ended: all go', async () => {
  const stage = await restricted();
  for (let index = 0; index < 5; index++) stage.queue(`f${index}`, `fria ${index}`);
  await stage.pass(1_000);
  void stage.desk.learnRestriction(null);
  await stage.pass(1_000);
  assert.equal(stage.handed.length, 6);
  assert.equal(stage.restrictions.at(-1), null);
});

test('news of one that has ended meanwhile begins none, and changes none that holds', async () => {
  const stage = setDesk();
  const over = { until: stage.clock.now() - 1 };
  void stage.desk.learnRestriction(over);
  stage.desk.readiness.learn({ ready: true, restriction: over });
  const cold = stage.queue('f', 'fria');
  await stage.pass(1_000);
  assert.equal(stage.statusOf(cold), 'sent');
  assert.deepEqual(stage.restrictions, []);
  const until = stage.clock.now() + HOUR;
  void stage.desk.learnRestriction({ until });
  void stage.desk.learnRestriction(over);
  const held = stage.queue('g', 'fria também');
  await stage.pass(1_000);
  assert.equal(stage.statusOf(held), undefined);
  assert.deepEqual(stage.restrictions, [{ until, holdsUntil: until }]);
});

test('readiness that tells of one begins it, that tells of none ends it, and that tells nothing keeps it', async () => {
  const stage = setDesk();
  const until = stage.clock.now() + 2 * HOUR;
  stage.desk.readiness.learn({ ready: true, restriction: { until } });
  const cold = stage.queue('f', 'fria');
  await stage.pass(1_000);
  stage.desk.readiness.learn({ ready: true });
  stage.desk.readiness.learn({ ready: true, restriction: { until } });
  await stage.pass(1_000);
  assert.equal(stage.statusOf(cold), undefined);
  assert.equal(stage.restrictions.length, 1, 'told once');
  stage.desk.readiness.learn({ ready: true, restriction: null });
  await stage.pass(1_000);
  assert.equal(stage.statusOf(cold), 'sent');
});

test('a state that shows no restriction does not end one that was met and has no known end', async () => {
  const stage = await restricted();
  const cold = stage.queue('f', 'fria');
  stage.desk.readiness.learn({ ready: true, restriction: null });
  await stage.pass(10 * MINUTE);
  assert.equal(stage.statusOf(cold), undefined);
  stage.desk.readiness.learn({ ready: true, restriction: { until: null } });
  await stage.pass(1_000);
  void stage.desk.learnRestriction(null);
  await stage.pass(1_000);
  assert.equal(stage.statusOf(cold), 'sent', 'but the news that it ended does');
});

test('the next owner goes on with what the organization keeps', async () => {
  const stage = setDesk();
  const until = stage.clock.now() + 2 * HOUR;
  stage.kept = { until, holdsUntil: until };
  const cold = stage.queue('f', 'fria');
  const known = stage.queue('k', 'resposta', { received: 1 });
  await stage.pass(30 * MINUTE);
  assert.equal(stage.statusOf(known), 'sent');
  assert.equal(stage.statusOf(cold), undefined);
  await stage.pass(91 * MINUTE);
  assert.equal(stage.statusOf(cold), 'sent');
  assert.equal(stage.kept, null, 'and tells that it has ended');
});

test('what is held for a day expires in time', async () => {
  const stage = setDesk();
  const until = stage.clock.now() + 7 * 24 * HOUR;
  stage.kept = { until, holdsUntil: until };
  const cold = stage.queue('f', 'fria');
  await stage.pass(1_000);
  stage.clock.advance(24 * HOUR);
  await stage.pass(2_000);
  assert.equal(stage.errorOf(cold)?.code, 'expired');
});

test('first contacts that are held cost the others none of their pace', async () => {
  const stage = await restricted();
  for (let index = 0; index < 3_000; index++) stage.queue(`f${index}`, `fria ${index}`);
  await stage.pass(2_000);
  const known = Array.from({ length: 100 }, (_, index) =>
    stage.queue(`k${index}`, `resposta ${index}`, { received: 1 }),
  );
  await stage.pass(1_000);
  assert.equal(known.filter((id) => stage.statusOf(id) === 'sent').length, 100);
});

test('a trial that is turned away or settled otherwise lets another try', async () => {
  const stage = await restricted();
  stage.answer = (message) =>
    message.text === 'fria 0'
      ? { outcome: 'refused', code: '131026', reason: 'Sem conta.' }
      : ACCEPT(message);
  for (let index = 0; index < 3; index++) stage.queue(`f${index}`, `fria ${index}`);
  await stage.pass(HOUR + 15_000);
  assert.deepEqual(stage.texts(), ['recusada', 'fria 0', 'fria 1', 'fria 2']);
});
