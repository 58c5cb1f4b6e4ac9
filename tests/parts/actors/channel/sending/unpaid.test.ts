/** Accounts that owe their network: what is free goes, the rest waits (D400). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OutboundText, SendOutcome } from '../../../../../shared/ports/network.ts';
import { ACCEPT, type SenderFixture, senderFixture } from '../sender-fixture.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const OWES: SendOutcome = {
  ...{ outcome: 'later', scope: 'pair', waitMs: 10 * MINUTE },
  restriction: { until: null, cause: 'payment' },
};

/** The network refuses these texts, and accepts the rest. */
const refusing = (texts: readonly string[]) => (said: OutboundText) =>
  texts.includes(said.text) ? OWES : ACCEPT(said);

const open = (fixture: SenderFixture) => ({ received: 1, windowFrom: fixture.clock.now() });
/** The contact wrote, but longer ago. */
const closed = (fixture: SenderFixture) => {
  return { received: 1, windowFrom: fixture.clock.now() - 25 * HOUR };
};

/** A message outside of the window has met the problem. */
async function owing(): Promise<SenderFixture> {
  const fixture = senderFixture();
  fixture.answer = refusing(['fora']);
  fixture.queue('x', 'fora', closed(fixture));
  await fixture.pass(100);
  return fixture;
}

test('the message that met the problem waits, unspent, and the channel stays ready', async () => {
  const fixture = await owing();
  assert.deepEqual(
    [fixture.agendaOf('msg_1')?.state, fixture.agendaOf('msg_1')?.attempt],
    ['queued', 0],
  );
  assert.equal(fixture.channel.readiness.maySend, true);
  assert.deepEqual(fixture.reports, []);
  assert.equal(fixture.keptUnpaid?.until, null);
  assert.equal(fixture.kept, null);
});

test('inside the window all go, templates too; outside nothing is tried', async () => {
  const fixture = await owing();
  const reply = fixture.queue('r', 'resposta', open(fixture));
  const template = fixture.queue('t', 'modelo', { ...open(fixture), template: true });
  fixture.channel.receiving.learnRestriction({ until: null, cause: 'payment' });
  const old = fixture.queue('o', 'antiga', closed(fixture));
  const stranger = fixture.queue('s', 'fria', { template: true });
  await fixture.pass(1_000);
  assert.deepEqual([reply, template].map(fixture.statusOf), ['sent', 'sent']);
  assert.deepEqual([old, stranger].map(fixture.statusOf), [undefined, undefined]);
});

test('a contact who writes opens the window: what waits for them goes', async () => {
  const fixture = await owing();
  const held = fixture.queue('o', 'antiga', closed(fixture));
  await fixture.pass(MINUTE);
  assert.equal(fixture.statusOf(held), undefined);
  fixture.write('o');
  await fixture.pass(200);
  assert.equal(fixture.statusOf(held), 'sent');
});

test('a probe that shows the account well ends it: one message tries, then the others go', async () => {
  const fixture = await owing();
  const held = ['o', 'p', 'q'].map((by) => fixture.queue(by, `de ${by}`, closed(fixture)));
  await fixture.pass(MINUTE);
  fixture.answer = ACCEPT;
  fixture.channel.readiness.learn({ ready: true, unpaid: false });
  await fixture.pass(1_000);
  assert.equal(fixture.keptUnpaid, null);
  assert.equal(fixture.posted.length, 2, 'one message tries');
  await fixture.pass(11_000);
  assert.deepEqual(held.map(fixture.statusOf), ['sent', 'sent', 'sent']);
  assert.equal(fixture.statusOf('msg_1'), 'sent');
});

test('a probe that shows it again holds again, and one that tells nothing changes nothing', async () => {
  const fixture = senderFixture();
  fixture.channel.readiness.learn({ ready: true, unpaid: true });
  const held = fixture.queue('o', 'antiga', closed(fixture));
  fixture.channel.readiness.learn({ ready: true });
  await fixture.pass(MINUTE);
  assert.equal(fixture.statusOf(held), undefined);
  assert.equal(fixture.restrictions.length, 1, 'told once');
  fixture.channel.readiness.learn({ ready: true, unpaid: false });
  await fixture.pass(1_000);
  assert.equal(fixture.statusOf(held), 'sent');
});

test('an accepted template ends it', async () => {
  const fixture = await owing();
  const held = fixture.queue('o', 'antiga', closed(fixture));
  fixture.answer = ACCEPT;
  await fixture.pass(1_000);
  assert.equal(fixture.statusOf(held), undefined);
  fixture.queue('t', 'modelo', { ...open(fixture), template: true });
  await fixture.pass(1_000);
  assert.equal(fixture.keptUnpaid, null);
  await fixture.pass(11_000);
  assert.equal(fixture.statusOf(held), 'sent');
});

test('what the network wants paid inside of the window too is not tried in a loop', async () => {
  const fixture = senderFixture();
  fixture.answer = refusing(['promoção']);
  fixture.queue('m', 'promoção', open(fixture));
  await fixture.pass(9 * MINUTE);
  assert.deepEqual(fixture.texts(), ['promoção']);
  await fixture.pass(2 * MINUTE);
  assert.equal(fixture.texts().length, 2);
});

test('without a word of a probe one message tries after an hour', async () => {
  const fixture = await owing();
  fixture.queue('o', 'antiga', closed(fixture));
  await fixture.pass(59 * MINUTE);
  assert.deepEqual(fixture.texts(), ['fora']);
  await fixture.pass(MINUTE + 5_000);
  assert.equal(fixture.texts().length, 2);
});

test('a message that waited for a day fails, and says why', async () => {
  const fixture = senderFixture();
  fixture.readiness = { ready: true, unpaid: true };
  fixture.channel.readiness.learn(fixture.readiness);
  const held = fixture.queue('o', 'antiga', closed(fixture));
  await fixture.pass(1_000);
  fixture.clock.advance(24 * HOUR);
  fixture.channel.readiness.learn(fixture.readiness);
  await fixture.pass(2_000);
  const error = fixture.errorOf(held);
  assert.equal(error?.code, 'expired');
  assert.match(error.message, /24 horas.*pagamento/);
});

test('the next owner goes on with what the organization keeps, beside a restriction', async () => {
  const fixture = senderFixture();
  const until = fixture.clock.now() + 2 * HOUR;
  fixture.kept = { until, holdsUntil: until };
  fixture.keptUnpaid = { until: null, holdsUntil: fixture.clock.now() + HOUR };
  const old = fixture.queue('o', 'antiga', closed(fixture));
  const cold = fixture.queue('f', 'fria');
  const reply = fixture.queue('r', 'resposta', open(fixture));
  await fixture.pass(1_000);
  assert.deepEqual([old, cold, reply].map(fixture.statusOf), [undefined, undefined, 'sent']);
  fixture.channel.readiness.learn({ ready: true, unpaid: false });
  await fixture.pass(15_000);
  assert.deepEqual([old, cold].map(fixture.statusOf), ['sent', undefined], 'each has its own end');
});
