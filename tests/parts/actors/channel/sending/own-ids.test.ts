/** Own ids: the network gets them with a message, and look-ups use them (D148). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OutboundText, SendOutcome } from '../../../../../shared/ports/network.ts';
import { SendFixture } from '../send-fixture.ts';
import { senderFixture } from '../sender-fixture.ts';

const LOST: SendOutcome = { outcome: 'unknown', cause: 'timeout' };
const ownIdOf = (messageId: string) => `3EB0${messageId.toUpperCase()}`;

test('a message goes under the id that was journaled with its mark, and is looked for by it', async () => {
  const fixture = senderFixture({ lookUps: true });
  fixture.ownIdOf = ownIdOf;
  const journaled: (string | undefined)[] = [];
  fixture.answer = (message: OutboundText) => {
    journaled.push(fixture.agendaOf(message.messageId)?.ownId);
    return LOST;
  };
  const lost = fixture.queue('a', 'perdida');
  await fixture.pass(13_000);
  assert.deepEqual(journaled, [ownIdOf(lost), ownIdOf(lost)]);
  const sentUnder = fixture.posted.map(({ ownId }) => ownId);
  assert.deepEqual(sentUnder, [ownIdOf(lost), ownIdOf(lost)]);
  assert.ok(fixture.lookUps.length > 0);
  assert.ok(fixture.lookUps.every(({ ownId }) => ownId === ownIdOf(lost)));
});

test('a repeat keeps the journaled id, whatever the driver would name it now', async () => {
  const fixture = senderFixture({ lookUps: true, epoch: 7 });
  fixture.ownIdOf = () => null;
  const since = fixture.clock.now() - 60_000;
  const marked = { state: 'sending', attempt: 1, epoch: 6, since, ownId: '3EB0ANTES' } as const;
  fixture.queue('a', 'de outro dono', marked);
  await fixture.pass(12_500);
  const sentUnder = fixture.posted.map(({ ownId }) => ownId);
  assert.deepEqual(sentUnder, ['3EB0ANTES']);
  assert.equal(fixture.lookUps[0]?.ownId, '3EB0ANTES');
});

test('what was first sent without an id is not looked for by one', async () => {
  const fixture = senderFixture({ lookUps: true, epoch: 7 });
  fixture.ownIdOf = ownIdOf;
  const since = fixture.clock.now() - 60_000;
  fixture.queue('a', 'de outro dono', { state: 'sending', attempt: 1, epoch: 6, since });
  await fixture.pass(200);
  assert.equal(fixture.lookUps[0]?.ownId, undefined);
});

test('the network’s whole spelling of an id goes with the receipt', async () => {
  const fixture = senderFixture({ lookUps: true });
  fixture.answer = (message) =>
    message.text === 'perdida'
      ? LOST
      : { outcome: 'accepted', externalId: '3EB01', fullId: 'true_55@c.us_3EB01' };
  fixture.lookUp = () => ({ found: true, externalId: '3EB02', fullId: 'true_55@c.us_3EB02' });
  fixture.queue('a', 'aceita');
  fixture.queue('b', 'perdida');
  await fixture.pass(3_000);
  const ids = fixture.receipts.map(({ receipt }) => `${receipt.externalId} ${receipt.fullId}`);
  assert.deepEqual(ids, ['3EB01 true_55@c.us_3EB01', '3EB02 true_55@c.us_3EB02']);
});

test('a claim by insert journals the id without a further write', async () => {
  const fixture = await SendFixture.warm();
  fixture.ownIdOf = ownIdOf;
  await fixture.send('a', 'oi');
  await fixture.settle();
  const [{ messageId, writes, send, ownId } = assert.fail()] = fixture.transmissions;
  assert.equal(writes, 1, 'the insert alone');
  assert.deepEqual([send?.ownId, ownId], [ownIdOf(messageId), ownIdOf(messageId)]);
});
