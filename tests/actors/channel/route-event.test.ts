/** The network reports an accepted message twice: in its answer, and as a status. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SentIndex } from '../../../actors/channel/channel-caches.ts';
import type { ChannelSender } from '../../../actors/channel/channel-sender.ts';
import type { ChannelConfiguration } from '../../../actors/channel/configuration.ts';
import { routeEvent } from '../../../actors/channel/route-event.ts';
import type { NetworkEvent } from '../../../shared/ports/network.ts';
import { senderFixture } from './sender-fixture.ts';

const MESSAGE = { conversationId: 'cnv_1', messageId: 'msg_1' };
const SENT = { type: 'receipt', status: 'sent', at: 5, externalId: 'ext_1' } as const;

function placed(sent: SentIndex, event: Extract<NetworkEvent, { type: 'receipt' }>) {
  const environment = { ids: { fresh: () => 'cmd_1' } };
  const context = { channelId: 'chn_1', environment, sent } as unknown as ChannelSender;
  return routeEvent(context, {} as ChannelConfiguration, event);
}

function recorded(networkId?: string): SentIndex {
  const sent = new SentIndex('chn_1');
  sent.keepRecorded('ext_1', MESSAGE, networkId);
  return sent;
}

test('a status that says what is on record reaches nobody', async () => {
  const named = { ...SENT, messageId: 'msg_1', networkId: '5511' };
  assert.equal(await placed(recorded('5511'), named), null);
  assert.equal(await placed(recorded(), SENT), null);
});

test('a status that may say more is brought to its conversation', async () => {
  const named = { ...SENT, messageId: 'msg_1', networkId: '5511' };
  const known = new SentIndex('chn_1');
  known.keep('ext_1', MESSAGE);
  known.keep('msg_1', MESSAGE);
  const later = { ...named, status: 'delivered' } as const;
  const cases = [
    ['its answer is not recorded yet', placed(known, SENT)],
    ['the same, under our id', placed(known, named)],
    ['a later status', placed(recorded('5511'), { ...SENT, status: 'delivered' })],
    ['the contact has another name', placed(withOurs(recorded('5500')), named)],
    ['the contact had no name', placed(withOurs(recorded()), named)],
    ['a later status, under our id', placed(withOurs(recorded('5511')), later)],
  ] as const;
  for (const [what, asked] of cases) {
    const found = await asked;
    assert.ok(found !== null && found !== 'ask again', what);
    assert.equal(found.conversationId, 'cnv_1', what);
  }
});

function withOurs(sent: SentIndex): SentIndex {
  sent.keep('msg_1', MESSAGE);
  return sent;
}

test('what the network accepted is known as recorded once its conversation has it', async () => {
  const fixture = senderFixture();
  const messageId = fixture.queue('cnv_1', 'oi');
  assert.equal(fixture.sender.sent.isRecorded(`ext-${messageId}`, {}), false);
  await fixture.pass(100);
  assert.equal(fixture.sender.sent.isRecorded(`ext-${messageId}`, {}), true);
});
