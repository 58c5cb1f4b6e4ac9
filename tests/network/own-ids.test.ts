/** Ids that the network is given with a message, and what is asked by them (D148). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OutboundText, SendOutcome } from '../../shared/network.ts';
import { setDesk } from './desk-stage.ts';
import { SendScene } from './send-scene.ts';

const LOST: SendOutcome = { outcome: 'unknown', cause: 'timeout' };
const ownIdOf = (messageId: string) => `3EB0${messageId.toUpperCase()}`;

test('a message goes under the id that was journaled with its mark, and is looked for by it', async () => {
  const stage = setDesk({ lookUps: true });
  stage.ownIdOf = ownIdOf;
  const journaled: (string | undefined)[] = [];
  stage.answer = (message: OutboundText) => {
    journaled.push(stage.agendaOf(message.messageId)?.ownId);
    return LOST;
  };
  const lost = stage.queue('a', 'perdida');
  await stage.pass(13_000);
  assert.deepEqual(journaled, [ownIdOf(lost), ownIdOf(lost)]);
  assert.deepEqual(
    stage.handed.map(({ ownId }) => ownId),
    [ownIdOf(lost), ownIdOf(lost)],
  );
  assert.ok(stage.looked.length > 0);
  assert.ok(stage.looked.every(({ ownId }) => ownId === ownIdOf(lost)));
});

test('a repeat keeps the journaled id, whatever the driver would name it now', async () => {
  const stage = setDesk({ lookUps: true, epoch: 7 });
  stage.ownIdOf = () => null;
  const since = stage.clock.now() - 60_000;
  const marked = { state: 'sending', attempt: 1, epoch: 6, since, ownId: '3EB0ANTES' } as const;
  stage.queue('a', 'de outro dono', marked);
  await stage.pass(12_500);
  assert.deepEqual(
    stage.handed.map(({ ownId }) => ownId),
    ['3EB0ANTES'],
  );
  assert.equal(stage.looked[0]?.ownId, '3EB0ANTES');
});

test('what was first sent without an id is not looked for by one', async () => {
  const stage = setDesk({ lookUps: true, epoch: 7 });
  stage.ownIdOf = ownIdOf;
  const since = stage.clock.now() - 60_000;
  stage.queue('a', 'de outro dono', { state: 'sending', attempt: 1, epoch: 6, since });
  await stage.pass(200);
  assert.equal(stage.looked[0]?.ownId, undefined);
});

test('the network’s whole spelling of an id goes with the receipt', async () => {
  const stage = setDesk({ lookUps: true });
  stage.answer = (message) =>
    message.text === 'perdida'
      ? LOST
      : { outcome: 'accepted', externalId: '3EB01', fullId: 'true_55@c.us_3EB01' };
  stage.lookUp = () => ({ found: true, externalId: '3EB02', fullId: 'true_55@c.us_3EB02' });
  stage.queue('a', 'aceita');
  stage.queue('b', 'perdida');
  await stage.pass(3_000);
  assert.deepEqual(
    stage.receipts.map(({ receipt }) => [receipt.externalId, receipt.fullId]),
    [
      ['3EB01', 'true_55@c.us_3EB01'],
      ['3EB02', 'true_55@c.us_3EB02'],
    ],
  );
});

test('a claim by insert journals the id without a further write', async () => {
  const scene = await SendScene.warm();
  scene.ownIdOf = ownIdOf;
  await scene.send('a', 'oi');
  await scene.settle();
  const [handed] = scene.handed;
  assert.equal(handed?.writes, 1, 'the insert alone');
  assert.equal(Reflect.get(Object(handed?.send), 'ownId'), ownIdOf(handed?.messageId ?? ''));
  assert.equal(handed?.ownId, ownIdOf(handed?.messageId ?? ''));
});
