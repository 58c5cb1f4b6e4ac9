/**
 * A session that works as another number than the channel's: nothing goes through it, and nothing
 * that it reports is the channel's.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { receiveWebhook, refusedOf } from '../../../../../actors/channel/receiving/webhook.ts';
import type { NetworkEvent } from '../../../../../shared/ports/network-event.ts';
import { senderFixture } from '../sender-fixture.ts';

const OTHER = { ready: false, reason: 'A sessão é de outro número.', otherNumber: true } as const;

const WROTE: NetworkEvent = {
  ...{ type: 'message', externalId: 'AB', kind: 'text', text: 'oi', at: 0 },
  ...{ phone: '5511988887777', networkId: '5511988887777@c.us' },
};

test('a message that is marked when the other number is reported does not go', async () => {
  const fixture = senderFixture();
  fixture.ownIdOf = () => {
    fixture.readiness = OTHER;
    fixture.channel.receiving.learnOtherNumber(OTHER);
    return null;
  };
  const message = fixture.queue('a', 'a caminho');
  await fixture.pass(9_000);
  assert.deepEqual(fixture.texts(), []);
  assert.equal(fixture.agendaOf(message)?.state, 'queued', 'nothing is in doubt');
  fixture.ownIdOf = () => null;
  fixture.readiness = { ready: true };
  await fixture.pass(15_000);
  assert.deepEqual(fixture.texts(), ['a caminho']);
  assert.equal(fixture.statusOf(message), 'sent');
});

test('its webhooks are answered 200 and counted; so are those without a number', async () => {
  const fixture = senderFixture();
  await fixture.pass(100);
  fixture.readiness = OTHER;
  const { receiving } = fixture.channel;
  const post = async () => {
    const command = { id: 'cmd_1', type: 'webhook', headers: {}, rawBody: '' } as const;
    const { provider } = (await receiving.configuration())?.entry ?? { provider: 'web' };
    const deadline = fixture.clock.now() + 8_000;
    const context = { deadline, repeat: false, epoch: 1 };
    return receiveWebhook(receiving, { ...command, provider }, context);
  };
  fixture.webhook = { verified: true, events: [], foreign: 1, otherNumber: OTHER };
  assert.equal((await post()).status, 200);
  assert.equal(receiving.isOtherNumber(), true);
  fixture.webhook = { verified: true, events: [WROTE] };
  assert.equal((await post()).status, 200);
  const { setting, count } = refusedOf(receiving) ?? {};
  assert.deepEqual([setting, count], ['phone', 2]);
});
