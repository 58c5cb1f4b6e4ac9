/** The network reports an accepted message twice: in its answer, and as a status. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChannelConfiguration } from '../../../../../actors/channel/readiness/configuration.ts';
import type { RoutingContext } from '../../../../../actors/channel/receiving/receiving-channel.ts';
import { routeEvent } from '../../../../../actors/channel/receiving/route-event.ts';
import { SentIndex } from '../../../../../actors/channel/sending/sent-index.ts';
import type { NetworkEvent } from '../../../../../shared/ports/network-event.ts';
import { senderFixture } from '../sender-fixture.ts';

const MESSAGE = { conversationId: 'cnv_1', messageId: 'msg_1' };
const SENT = { type: 'receipt', status: 'sent', at: 5, externalId: 'ext_1' } as const;

function placed(sent: SentIndex, event: Extract<NetworkEvent, { type: 'receipt' }>) {
  const environment = { ids: { fresh: () => 'cmd_1' } };
  const context = { channelId: 'chn_1', environment, sent } as unknown as RoutingContext;
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

const CONFIGURATION = {
  ...{ orgId: 'org_1', country: 'BR', entry: { phone: '551140001000', label: 'Loja' } },
  network: { id: 'chn_1', provider: 'cloud', phone: '551140001000', network: {} },
} as unknown as ChannelConfiguration;

test('a call is brought to its conversation, with the ids of the person', async () => {
  const environment = {
    ids: { fresh: () => 'cmd_1', derive: (...parts: readonly string[]) => parts.join('.') },
    networks: { driver: () => ({}) },
  };
  const context = { channelId: 'chn_1', environment } as unknown as RoutingContext;
  const person = { phone: '5531988887777', networkId: '5531988887777' };
  const event = { type: 'call', ...person, callId: 'wacid.1', at: 7_000 } as const;
  const routed = await routeEvent(context, CONFIGURATION, event);
  assert.ok(routed !== null && routed !== 'ask again' && 'command' in routed);
  const { contactId, ...command } = Object(routed.command);
  assert.deepEqual(command, {
    ...{ id: 'cmd_1', type: 'call', orgId: 'org_1', channelId: 'chn_1', ...person },
    ...{ profileName: null, callId: 'wacid.1', at: 7_000 },
  });
  assert.ok(routed.conversationId.endsWith(contactId));
});

test('a refusal that is about a template asks to read the templates again', async () => {
  const fixture = senderFixture();
  const refused = { outcome: 'refused', code: '132001', reason: 'Não existe.' } as const;
  fixture.answer = () => ({ ...refused, aboutTemplate: true });
  fixture.queue('cnv_1', 'oi');
  await fixture.pass(100);
  assert.equal(fixture.listings, 1);
  fixture.answer = () => refused;
  fixture.queue('cnv_1', 'oi de novo');
  await fixture.pass(100);
  assert.equal(fixture.listings, 1);
});

test('what the network accepted is known as recorded once its conversation has it', async () => {
  const fixture = senderFixture();
  const messageId = fixture.queue('cnv_1', 'oi');
  assert.equal(fixture.channel.receiving.sent.isRecorded(`ext-${messageId}`, {}), false);
  await fixture.pass(100);
  assert.equal(fixture.channel.receiving.sent.isRecorded(`ext-${messageId}`, {}), true);
});
