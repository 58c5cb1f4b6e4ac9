/**
 * A person typing on the connected phone, on both networks (D11): history, `message.sent`,
 * automation paused. A message that the service itself sends never comes back doubled.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { canonicalId } from '../../../../../../infra/adapters/network/web/message-id.ts';
import { assertStatus } from '../../../../../support/api/answers.ts';
import { freshPhone } from '../../../../../support/api.ts';
import {
  bridgePost,
  postToShop,
} from '../../../../../support/infra/adapters/network/web/bridge.ts';
import type { Organization } from '../../../../../support/organization.ts';
import { pluckRows } from '../../../../../support/pluck.ts';
import { useOrganizations, useStack, useSubscriber } from '../../../../../support/stack-hooks.ts';
import type { Received } from '../../../../../support/stand-ins/subscriber.ts';
import { waitUntil } from '../../../../../support/wait-for.ts';
import { arrived, conversationOf, historyOf } from './reading.ts';

const PAUSE_MS = 30 * 60_000;

const stack = useStack();
const subscriber = useSubscriber();
const { org } = useOrganizations(stack, () => {
  const url = `${subscriber.url}/events`;
  const events = ['message.sent', 'message.read'];
  return { org: { subscriptions: [{ ref: 'crm', url, events }] } };
});

/** The events told of one contact, once there are so many. */
function told(phone: string, count: number): Promise<readonly Received[]> {
  return waitUntil(`${count} events of ${phone}`, () => {
    const own = subscriber.at('/events').filter(({ data }) => data.phone === phone);
    return own.length >= count ? own : null;
  });
}

for (const [network, channelOf, label] of [
  ['cloud', (of: Organization) => of.main, 'Atendimento'],
  ['web', (of: Organization) => of.shop, 'Vendas'],
] as const) {
  describe(`typed on the phone, ${network}`, () => {
    const type = (phone: string, text: string, more: Record<string, unknown> = {}) =>
      stack.network.control('POST /inbound', {
        channelId: channelOf(org),
        from: phone,
        text,
        echo: true,
        ...more,
      });

    test('it is in the history as a member’s, tells message.sent, pauses for 30 minutes', async () => {
      const phone = freshPhone();
      const before = Date.now();
      await stack.network.control('POST /inbound', {
        channelId: channelOf(org),
        from: phone,
        text: 'pergunta',
      });
      await type(phone, 'resposta');
      const [question, answer] = await historyOf(stack, org, phone);
      assert.equal(question?.direction, 'in');
      assert.deepEqual(
        [answer?.direction, answer?.author, answer?.text, answer?.status],
        ['out', { kind: 'member', label }, 'resposta', 'sent'],
      );
      const { conversation } = await conversationOf(stack, org, phone);
      // The network tells the time in seconds.
      const from = Date.parse(conversation.automationPausedUntil ?? '') - PAUSE_MS;
      assert.ok(from > before - 1_000 && from <= Date.now(), `${from - before}`);
      assert.equal(conversation.unread, 0);
      const [event] = await told(phone, 1);
      assert.equal(event?.event, 'message.sent');
      assert.deepEqual(
        [event.data.messageId, event.data.text, event.data.origin],
        [answer?.id, 'resposta', 'network'],
      );
      assert.deepEqual(await arrived(stack, phone), [], 'it is not sent once more');
    });

    test('typed to somebody new it makes the contact; repeated by the network it is one', async () => {
      const phone = freshPhone();
      const id = network === 'cloud' ? `wamid.${phone}` : `true_${phone}@c.us_3EB0ECHO`;
      await Promise.all([1, 2, 3].map(() => type(phone, 'olá', { id })));
      const history = await historyOf(stack, org, phone);
      assert.deepEqual(pluckRows(history, 'text', 'externalId'), [['olá', canonicalId(id)]]);
    });

    test('a quote, a reaction, a place and cards typed there keep what is behind their text', async () => {
      const phone = freshPhone();
      const at = { channelId: channelOf(org), from: phone };
      const id = network === 'cloud' ? `wamid.q${phone}` : `3EB0Q${phone}`;
      await stack.network.control('POST /inbound', { ...at, text: 'pergunta', id });
      await type(phone, 'resposta', { replyTo: id });
      await stack.network.control('POST /inbound', {
        ...at,
        echo: true,
        reaction: { to: id, emoji: '👍' },
      });
      const place = { latitude: -23.5, longitude: -46.6, name: 'Sede' };
      await stack.network.control('POST /inbound', { ...at, echo: true, place });
      const cards = [{ name: 'Téo Reis', phone: '5521987650002' }];
      await stack.network.control('POST /inbound', { ...at, echo: true, cards });
      const [question, answer, reacted, placed, carded] = await historyOf(stack, org, phone);
      assert.equal(answer?.replyToId, question?.id);
      assert.deepEqual(reacted?.reaction, { messageId: question?.id, emoji: '👍' });
      assert.deepEqual(
        [placed?.location?.latitude, placed?.location?.longitude, placed?.kind],
        [place.latitude, place.longitude, 'location'],
      );
      assert.equal(carded?.contacts?.[0]?.name, 'Téo Reis');
      const events = (await told(phone, 4)).map(({ data }) => data);
      assert.deepEqual(events[1]?.reaction, { messageId: question?.id, emoji: '👍' });
    });

    test('what the service sends is one message and one message.sent', async () => {
      const phone = freshPhone();
      const body = { channelId: channelOf(org), phone, text: 'pela API' };
      const sent = await stack.send(org.key, body);
      await stack.messageIn(org.key, sent, 'read');
      await told(phone, 2);
      const history = await historyOf(stack, org, phone);
      assert.deepEqual(
        history.map(({ author }) => author.kind),
        ['automation'],
      );
      const { conversation } = await conversationOf(stack, org, phone);
      assert.equal(conversation.automationPausedUntil, null);
      const events = (await told(phone, 2)).map(({ event }) => event);
      assert.deepEqual(events.sort(), ['message.read', 'message.sent']);
    });
  });
}

describe('web: the bridge’s own events of a send', () => {
  test('one taken for a person’s, come while the send is under way, is not doubled', async () => {
    await stack.network.fault({ session: org.session, delayMs: 1_000, times: 1 });
    const phone = freshPhone();
    const sent = await stack.send(org.key, { channelId: org.shop, phone, text: 'uma só' });
    const id = await waitUntil(
      'it is on the network',
      async () => (await stack.network.sent(phone))[0]?.externalId,
    );
    const payload = { id, to: `${phone}@c.us`, fromMe: true, source: 'app', body: 'uma só' };
    assertStatus(await postToShop(stack, org, bridgePost(org, 'message.any', payload)), 200);
    await stack.messageIn(org.key, sent, 'read');
    assert.equal((await historyOf(stack, org, phone)).length, 1);
  });

  test('statuses of what was typed on the phone are recorded, also when they come first', async () => {
    const phone = freshPhone();
    const id = `true_${phone}@c.us_3EB0TYPED`;
    const chat = `${phone}@c.us`;
    const ack = bridgePost(org, 'message.ack', { id, from: chat, fromMe: true, ack: 2 });
    assert.equal((await postToShop(stack, org, ack)).status, 200);
    const typed = { id, to: chat, fromMe: true, source: 'app', body: 'digitada' };
    assert.equal((await postToShop(stack, org, bridgePost(org, 'message.any', typed))).status, 200);
    const [message] = await historyOf(stack, org, phone);
    assert.equal(message?.status, 'delivered');
    const read = bridgePost(org, 'message.ack', { id, from: chat, fromMe: true, ack: 3 });
    await postToShop(stack, org, read);
    assert.equal((await historyOf(stack, org, phone))[0]?.status, 'read');
  });
});
