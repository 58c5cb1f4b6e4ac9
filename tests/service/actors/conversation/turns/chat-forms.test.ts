/**
 * One message under two chat forms, ids chosen by contacts, receipts and echoes under whatever form
 * (D152). Production actors in a world without faults.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { NetworkEvent } from '../../../../../shared/ports/network-event.ts';
import {
  type NetworkEventFixture,
  testEvents,
  withNetworkEventFixture,
} from '../../../../support/network-event-fixture.ts';
import { pluck, pluckRows } from '../../../../support/pluck.ts';

const PHONE = '5511987650001';
const CHAT = `${PHONE}@c.us`;
const HIDDEN = '77001@lid';
const ID = '3EB0AA01';

type Message = Extract<NetworkEvent, { type: 'message' }>;

function written({ now }: NetworkEventFixture, over: Partial<Message> = {}): Message {
  const { networkId = CHAT, externalId = ID } = over;
  return {
    type: 'message',
    externalId,
    fullId: `false_${networkId}_${externalId}`,
    phone: networkId.endsWith('@lid') ? '' : PHONE,
    networkId,
    kind: 'text',
    text: 'qual o preço?',
    at: now,
    ...over,
  };
}

function echoed(fixture: NetworkEventFixture, over: Partial<Message> = {}): NetworkEvent {
  const { profileName: _, ...echo } = written(fixture, over);
  return { ...echo, type: 'echo', fullId: `true_${echo.networkId}_${echo.externalId}` };
}

function receipt({ now }: NetworkEventFixture, over: Partial<NetworkEvent> = {}): NetworkEvent {
  const told = { type: 'receipt', externalId: ID, status: 'read', at: now } as const;
  return { ...told, ...over } as NetworkEvent;
}

/** One message, one contact, one start of the flow that the word begins. */
async function isOnce(fixture: NetworkEventFixture): Promise<void> {
  // Snapshots are written behind.
  await fixture.pass(20_000);
  const [entry, ...others] = fixture.named(ID);
  assert.ok(entry);
  assert.deepEqual(others, []);
  assert.equal(fixture.count('contacts'), 1);
  assert.equal(fixture.count('conversations'), 1);
  const history = await fixture.history(entry.conversationId);
  assert.deepEqual(pluck(history, 'text'), ['qual o preço?', 'flow: preço']);
}

describe('one message under two chat forms is one', () => {
  for (const [first, second] of [
    [CHAT, HIDDEN],
    [HIDDEN, CHAT],
  ] as const) {
    const what = `${first.split('@')[1]}, then ${second.split('@')[1]}`;
    testEvents(`one after the other: ${what}`, async (fixture) => {
      await fixture.deliver('web', [written(fixture, { networkId: first })]);
      await fixture.deliver('web', [written(fixture, { networkId: second })]);
      await isOnce(fixture);
    });

    test(`side by side, of two webhooks: ${what}`, () =>
      withNetworkEventFixture(3, async (fixture) => {
        const forms = [first, second].map((networkId) => [written(fixture, { networkId })]);
        await fixture.deliver('web', ...forms, ...forms);
        await isOnce(fixture);
      }));

    test(`in one webhook: ${what}`, () =>
      withNetworkEventFixture(4, async (fixture) => {
        await fixture.deliver(
          'web',
          [first, second].map((networkId) => written(fixture, { networkId })),
        );
        await isOnce(fixture);
      }));

    test(`after a restart: ${what}`, () =>
      withNetworkEventFixture(5, async (fixture) => {
        await fixture.deliver('web', [written(fixture, { networkId: first })]);
        await fixture.restart();
        await fixture.deliver('web', [written(fixture, { networkId: second })]);
        await isOnce(fixture);
      }));
  }

  testEvents('an echo under two forms is one message', async (fixture) => {
    const forms = [CHAT, HIDDEN].map((networkId) => [echoed(fixture, { networkId })]);
    await fixture.deliver('web', ...forms);
    assert.equal(fixture.named(ID).length, 1);
    assert.equal(fixture.count('contacts'), 1);
  });
});

describe('an id is one of a direction', () => {
  testEvents(
    'a contact’s message with the id of ours is a message, and no receipt reaches it',
    async (fixture) => {
      await fixture.deliver('web', [echoed(fixture, { text: 'nossa' })]);
      await fixture.deliver('web', [written(fixture, { text: 'deles' })]);
      const both = fixture.named(ID);
      assert.deepEqual(both.map(({ message }) => message?.direction).sort(), ['in', 'out']);
      await fixture.deliver('web', [receipt(fixture)]);
      const status = Object.fromEntries(
        fixture.named(ID).map(({ message }) => [message?.direction, message?.status]),
      );
      assert.deepEqual(status, { in: 'received', out: 'read' });
    },
  );

  test('an echo with the id of a contact’s message is a message', () =>
    withNetworkEventFixture(3, async (fixture) => {
      await fixture.deliver('web', [written(fixture, { text: 'deles' })]);
      await fixture.deliver('web', [receipt(fixture)]);
      await fixture.deliver('web', [echoed(fixture, { text: 'nossa' })]);
      const [theirs, ours] = fixture.named(ID);
      assert.deepEqual([theirs?.message?.status, ours?.message?.status], ['received', 'read']);
    }));
});

describe('receipts and echoes of what we sent', () => {
  async function sent(
    fixture: NetworkEventFixture,
  ): Promise<{ messageId: string; externalId: string }> {
    const { shop } = fixture.shop;
    const body = { channelId: shop.id, phone: PHONE, text: 'pela API' };
    const { data } = await fixture.call({ method: 'POST', path: '/api/v1/messages', body });
    await fixture.pass(3_000);
    const { messageId } = data as { messageId: string };
    const entry = fixture.entries().find(({ _id }) => _id === messageId);
    return { messageId, externalId: entry?.message?.externalId ?? '' };
  }

  testEvents(
    'an echo of it is no message, also under another chat form and after a restart',
    async (fixture) => {
      const { messageId, externalId } = await sent(fixture);
      await fixture.deliver('web', [echoed(fixture, { externalId })]);
      await fixture.restart();
      await fixture.deliver('web', [echoed(fixture, { externalId, networkId: HIDDEN })]);
      assert.deepEqual(
        fixture.entries().flatMap(({ _id, message }) => (message ? [_id] : [])),
        [messageId],
      );
      assert.equal(fixture.count('contacts'), 1);
    },
  );

  testEvents(
    'a receipt under another chat form reaches it, also after a restart',
    async (fixture) => {
      await fixture.deliver('web', [echoed(fixture, { text: 'digitada' })]);
      await fixture.restart();
      await fixture.deliver('web', [receipt(fixture, { networkId: HIDDEN, phone: '' })]);
      assert.equal(fixture.named(ID)[0]?.message?.status, 'read');
      assert.equal(fixture.count('contacts'), 1);
    },
  );

  testEvents(
    'a receipt that comes before its echo is kept under the canonical id',
    async (fixture) => {
      const fullId = `true_${HIDDEN}_${ID}`;
      await fixture.deliver('web', [receipt(fixture, { fullId, networkId: HIDDEN, phone: '' })]);
      await fixture.deliver('web', [echoed(fixture)]);
      assert.equal(fixture.named(ID)[0]?.message?.status, 'read');
    },
  );

  /** A message of which the network has not said anything, under an id of its own. */
  async function inDoubt(
    fixture: NetworkEventFixture,
    send: Readonly<Record<string, unknown>> = {},
    to: Readonly<Record<string, unknown>> = { phone: PHONE },
  ) {
    const { shop } = fixture.shop;
    fixture.world.network.outages.turnAway(shop.id, 600_000);
    const body = { channelId: shop.id, ...to, text: 'em dúvida' };
    const { data } = await fixture.call({ method: 'POST', path: '/api/v1/messages', body });
    const { messageId, conversationId } = data as { messageId: string; conversationId: string };
    await fixture.pass(3_000);
    const marked = { 'send.state': 'sending', 'send.since': fixture.now, ...send };
    const filter = { _id: messageId, conversationId, send: { $exists: true } };
    await fixture.store.commit([{ update: 'entries', filter, change: { $set: marked } }]);
    return messageId;
  }

  for (const networkId of [CHAT, HIDDEN]) {
    const phone = networkId === CHAT ? PHONE : '';
    for (const [what, tell, status] of [
      ['a receipt', receipt, 'read'],
      ['an echo', echoed, 'sent'],
    ] as const) {
      testEvents(
        `${what} of ${networkId} by our own id confirms a message in doubt`,
        async (fixture) => {
          const messageId = await inDoubt(fixture, { 'send.ownId': ID });
          await fixture.restart();
          const fullId = `true_${networkId}_${ID}`;
          await fixture.deliver('web', [
            tell(fixture, { networkId, phone, fullId } as Partial<Message>),
          ]);
          const messages = fixture.entries().filter(({ message }) => message);
          assert.deepEqual(
            messages.map(({ _id, message }) => [_id, message?.status, message?.externalId]),
            [[messageId, status, ID]],
          );
          const [entry] = messages;
          assert.deepEqual([entry?.send, entry?.message?.fullId], [undefined, fullId]);
          assert.equal(fixture.world.network.transmissions.length, 1, 'it is not sent again');
        },
      );
    }
  }

  testEvents(
    'an echo that says the same as a message in doubt without an id is that message',
    async (fixture) => {
      const messageId = await inDoubt(fixture);
      await fixture.deliver('web', [echoed(fixture, { text: 'outra coisa' })]);
      await fixture.deliver('web', [echoed(fixture, { text: 'em dúvida ', externalId: 'B2' })]);
      const messages = fixture.entries().flatMap(({ message }) => message ?? []);
      assert.deepEqual(pluckRows(messages, 'text', 'externalId', 'status'), [
        ['em dúvida', 'B2', 'sent'],
        ['outra coisa', ID, 'sent'],
      ]);
      assert.equal(fixture.named('B2')[0]?._id, messageId);
    },
  );

  /** The network tells that both are one person's. */
  const tellBoth = (fixture: NetworkEventFixture, externalId: string) =>
    fixture.deliver('web', [
      written(fixture, { aliases: [HIDDEN], externalId, text: 'sou eu de novo' }),
    ]);

  /** The contact was known by its hidden id first: its number leads to the same conversation. */
  async function metHidden(fixture: NetworkEventFixture): Promise<void> {
    await fixture.deliver('web', [written(fixture, { networkId: HIDDEN })]);
    await tellBoth(fixture, 'B1');
  }

  async function hiddenFirst(fixture: NetworkEventFixture): Promise<string> {
    await metHidden(fixture);
    return inDoubt(fixture);
  }

  /** Two conversations were joined, and the message is in the log of the younger one. */
  async function joinedSince(fixture: NetworkEventFixture): Promise<string> {
    await fixture.deliver('web', [written(fixture, { externalId: 'A1' })]);
    await fixture.deliver('web', [written(fixture, { networkId: HIDDEN })]);
    await fixture.pass(3_000);
    const conversationId = fixture.named(ID)[0]?.conversationId;
    const messageId = await inDoubt(fixture, {}, { conversationId });
    await tellBoth(fixture, 'B1');
    await fixture.pass(3_000);
    return messageId;
  }

  async function assertConfirmed(fixture: NetworkEventFixture, messageId: string): Promise<void> {
    await fixture.pass(60_000);
    const ours = fixture.entries().filter(({ message }) => message?.direction === 'out');
    const byApi = ours.filter(({ message }) => message?.origin !== 'flow');
    assert.deepEqual(
      byApi.map(({ _id, externalId, message }) => [_id, externalId, message?.origin]),
      [[messageId, 'B2', 'api']],
    );
    const texts = pluck(fixture.world.network.transmissions, 'text');
    assert.equal(texts.filter((text) => text === 'em dúvida').length, 1, 'it is not sent again');
  }

  for (const [what, leave] of [
    ['of a contact that was known by a hidden id first', hiddenFirst],
    ['in a conversation that was joined since', joinedSince],
  ] as const) {
    testEvents(`an echo by the number finds a message in doubt ${what}`, async (fixture) => {
      const messageId = await leave(fixture);
      await fixture.deliver('web', [echoed(fixture, { text: 'em dúvida', externalId: 'B2' })]);
      await assertConfirmed(fixture, messageId);
    });

    testEvents(`an echo at the next owner finds a message in doubt ${what}`, async (fixture) => {
      const messageId = await leave(fixture);
      await fixture.restart();
      await fixture.deliver('web', [echoed(fixture, { text: 'em dúvida', externalId: 'B2' })]);
      await assertConfirmed(fixture, messageId);
    });
  }

  testEvents(
    'what comes before a message to or from a contact that was known by a hidden id first is kept',
    async (fixture) => {
      await metHidden(fixture);
      const person = { phone: PHONE, networkId: CHAT, at: fixture.now };
      const edit = { type: 'edit', ...person, text: 'corrigida' } as const;
      await fixture.deliver('web', [
        receipt(fixture, { externalId: 'C1' }),
        { ...edit, externalId: 'C1', fromMe: true },
        { ...edit, externalId: 'C2', fromMe: false },
      ]);
      await fixture.deliver('web', [echoed(fixture, { externalId: 'C1', text: 'digitada' })]);
      await fixture.deliver('web', [written(fixture, { externalId: 'C2' })]);
      await fixture.pass(5_000);
      const [typed, theirs] = ['C1', 'C2'].map((id) => fixture.named(id)[0]);
      assert.equal(typed?.message?.status, 'read');
      assert.deepEqual([typed?.edit?.text, theirs?.edit?.text], ['corrigida', 'corrigida']);
    },
  );

  testEvents(
    'an echo that says the same as a message with an id of its own is another message',
    async (fixture) => {
      await inDoubt(fixture, { 'send.ownId': '3EB0OWN' });
      await fixture.deliver('web', [echoed(fixture, { text: 'em dúvida' })]);
      assert.equal(fixture.named(ID)[0]?.message?.origin, 'network');
    },
  );
});
