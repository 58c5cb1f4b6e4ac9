/**
 * One message under two chat forms, ids chosen by contacts, receipts and echoes under whatever form
 * (D152). Production actors in a world without faults.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { NetworkEvent } from '../../shared/network.ts';
import { inTown, type ToldTown } from '../support/told-town.ts';

const PHONE = '5511987650001';
const CHAT = `${PHONE}@c.us`;
const HIDDEN = '77001@lid';
const ID = '3EB0AA01';

type Message = Extract<NetworkEvent, { type: 'message' }>;

function written({ now }: ToldTown, over: Partial<Message> = {}): Message {
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

function echoed(town: ToldTown, over: Partial<Message> = {}): NetworkEvent {
  const { profileName: _, ...echo } = written(town, over);
  return { ...echo, type: 'echo', fullId: `true_${echo.networkId}_${echo.externalId}` };
}

function receipt({ now }: ToldTown, over: Partial<NetworkEvent> = {}): NetworkEvent {
  const told = { type: 'receipt', externalId: ID, status: 'read', at: now } as const;
  return { ...told, ...over } as NetworkEvent;
}

/** One message, one contact, one start of the flow that the word begins. */
async function isOnce(town: ToldTown): Promise<void> {
  // Snapshots are written behind.
  await town.pass(20_000);
  const [entry, ...others] = town.named(ID);
  assert.ok(entry);
  assert.deepEqual(others, []);
  assert.equal(town.count('contacts'), 1);
  assert.equal(town.count('conversations'), 1);
  const history = await town.history(entry.conversationId);
  assert.deepEqual(
    history.map(({ text }) => text),
    ['qual o preço?', 'flow: preço'],
  );
}

describe('one message under two chat forms is one', () => {
  for (const [first, second] of [
    [CHAT, HIDDEN],
    [HIDDEN, CHAT],
  ] as const) {
    const what = `${first.split('@')[1]}, then ${second.split('@')[1]}`;
    test(`one after the other: ${what}`, () =>
      inTown(2, async (town) => {
        await town.tell('web', [written(town, { networkId: first })]);
        await town.tell('web', [written(town, { networkId: second })]);
        await isOnce(town);
      }));

    test(`side by side, of two webhooks: ${what}`, () =>
      inTown(3, async (town) => {
        const forms = [first, second].map((networkId) => [written(town, { networkId })]);
        await town.tell('web', ...forms, ...forms);
        await isOnce(town);
      }));

    test(`in one webhook: ${what}`, () =>
      inTown(4, async (town) => {
        await town.tell(
          'web',
          [first, second].map((networkId) => written(town, { networkId })),
        );
        await isOnce(town);
      }));

    test(`after a restart: ${what}`, () =>
      inTown(5, async (town) => {
        await town.tell('web', [written(town, { networkId: first })]);
        await town.restart();
        await town.tell('web', [written(town, { networkId: second })]);
        await isOnce(town);
      }));
  }

  test('a message of an earlier release, on record under its whole id, is known', () =>
    inTown(2, async (town) => {
      const fullId = `false_${CHAT}_${ID}`;
      const { fullId: _, ...before } = written(town, { externalId: fullId });
      await town.tell('web', [before]);
      await town.tell('web', [written(town)]);
      assert.equal(town.named(ID).length, 0);
      assert.equal(town.named(fullId).length, 1);
    }));

  test('an echo under two forms is one message', () =>
    inTown(2, async (town) => {
      const forms = [CHAT, HIDDEN].map((networkId) => [echoed(town, { networkId })]);
      await town.tell('web', ...forms);
      assert.equal(town.named(ID).length, 1);
      assert.equal(town.count('contacts'), 1);
    }));
});

describe('an id is one of a direction', () => {
  test('a contact’s message with the id of ours is a message, and no receipt reaches it', () =>
    inTown(2, async (town) => {
      await town.tell('web', [echoed(town, { text: 'nossa' })]);
      await town.tell('web', [written(town, { text: 'deles' })]);
      const both = town.named(ID);
      assert.deepEqual(both.map(({ message }) => message?.direction).sort(), ['in', 'out']);
      await town.tell('web', [receipt(town)]);
      const status = Object.fromEntries(
        town.named(ID).map(({ message }) => [message?.direction, message?.status]),
      );
      assert.deepEqual(status, { in: 'received', out: 'read' });
    }));

  test('an echo with the id of a contact’s message is a message', () =>
    inTown(3, async (town) => {
      await town.tell('web', [written(town, { text: 'deles' })]);
      await town.tell('web', [receipt(town)]);
      await town.tell('web', [echoed(town, { text: 'nossa' })]);
      const [theirs, ours] = town.named(ID);
      assert.deepEqual([theirs?.message?.status, ours?.message?.status], ['received', 'read']);
    }));
});

describe('receipts and echoes of what we sent', () => {
  async function sent(town: ToldTown): Promise<{ messageId: string; externalId: string }> {
    const { shop } = town.shop;
    const body = { channelId: shop.id, phone: PHONE, text: 'pela API' };
    const { data } = await town.call({ method: 'POST', path: '/api/v1/messages', body });
    await town.pass(3_000);
    const { messageId } = data as { messageId: string };
    const entry = town.entries().find(({ _id }) => _id === messageId);
    return { messageId, externalId: entry?.message?.externalId ?? '' };
  }
  const statusOf = (town: ToldTown, id: string) =>
    town.entries().find(({ _id }) => _id === id)?.message?.status;

  test('an echo of it is no message, also under another chat form and after a restart', () =>
    inTown(2, async (town) => {
      const { messageId, externalId } = await sent(town);
      await town.tell('web', [echoed(town, { externalId })]);
      await town.restart();
      await town.tell('web', [echoed(town, { externalId, networkId: HIDDEN })]);
      assert.deepEqual(
        town.entries().flatMap(({ _id, message }) => (message ? [_id] : [])),
        [messageId],
      );
      assert.equal(town.count('contacts'), 1);
    }));

  test('a receipt under another chat form reaches it, also after a restart', () =>
    inTown(2, async (town) => {
      await town.tell('web', [echoed(town, { text: 'digitada' })]);
      await town.restart();
      await town.tell('web', [receipt(town, { networkId: HIDDEN, phone: '' })]);
      assert.equal(town.named(ID)[0]?.message?.status, 'read');
      assert.equal(town.count('contacts'), 1);
    }));

  test('a receipt that comes before its echo is kept under the canonical id', () =>
    inTown(2, async (town) => {
      const fullId = `true_${HIDDEN}_${ID}`;
      await town.tell('web', [receipt(town, { fullId, networkId: HIDDEN, phone: '' })]);
      await town.tell('web', [echoed(town)]);
      assert.equal(town.named(ID)[0]?.message?.status, 'read');
    }));

  test('a message of an earlier release, on record under its whole id, takes receipts', () =>
    inTown(2, async (town) => {
      const fullId = `true_${CHAT}_${ID}`;
      await town.tell('web', [{ ...echoed(town, { externalId: fullId }), fullId } as NetworkEvent]);
      await town.restart();
      await town.tell('web', [receipt(town, { fullId })]);
      const [message] = town.named(fullId);
      assert.equal(message?.message?.status, 'read');
      assert.equal(statusOf(town, message?._id ?? ''), 'read');
    }));

  test('an answer to a message of an earlier release names it', () =>
    inTown(2, async (town) => {
      const fullId = `true_${CHAT}_${ID}`;
      await town.tell('web', [{ ...echoed(town, { externalId: fullId }), fullId } as NetworkEvent]);
      await town.tell('web', [written(town, { externalId: 'B2', replyToExternalId: ID })]);
      assert.equal(town.named('B2')[0]?.message?.replyToId, town.named(fullId)[0]?._id);
    }));

  /** A message of which the network has not said anything, under an id of its own. */
  async function inDoubt(town: ToldTown, send: Readonly<Record<string, unknown>> = {}) {
    const { shop } = town.shop;
    town.town.network.outages.turnAway(shop.id, 600_000);
    const body = { channelId: shop.id, phone: PHONE, text: 'em dúvida' };
    const { data } = await town.call({ method: 'POST', path: '/api/v1/messages', body });
    const { messageId } = data as { messageId: string };
    await town.pass(3_000);
    const marked = { 'send.state': 'sending', 'send.since': town.now, ...send };
    const filter = { _id: messageId, send: { $exists: true } };
    await town.store.commit([{ update: 'entries', filter, change: { $set: marked } }]);
    return messageId;
  }

  for (const networkId of [CHAT, HIDDEN]) {
    const phone = networkId === CHAT ? PHONE : '';
    for (const [what, tell, status] of [
      ['a receipt', receipt, 'read'],
      ['an echo', echoed, 'sent'],
    ] as const) {
      test(`${what} of ${networkId} by our own id confirms a message in doubt`, () =>
        inTown(2, async (town) => {
          const messageId = await inDoubt(town, { 'send.ownId': ID });
          await town.restart();
          const fullId = `true_${networkId}_${ID}`;
          await town.tell('web', [tell(town, { networkId, phone, fullId } as Partial<Message>)]);
          const messages = town.entries().filter(({ message }) => message);
          assert.deepEqual(
            messages.map(({ _id, message }) => [_id, message?.status, message?.externalId]),
            [[messageId, status, ID]],
          );
          const [entry] = messages;
          assert.deepEqual([entry?.send, entry?.message?.fullId], [undefined, fullId]);
          assert.equal(town.town.network.handed.length, 1, 'it is not sent again');
        }));
    }
  }

  test('an echo that says the same as a message in doubt without an id is that message', () =>
    inTown(2, async (town) => {
      const messageId = await inDoubt(town);
      await town.tell('web', [echoed(town, { text: 'outra coisa' })]);
      await town.tell('web', [echoed(town, { text: 'em dúvida ', externalId: 'B2' })]);
      const messages = town.entries().flatMap(({ message }) => message ?? []);
      assert.deepEqual(
        messages.map(({ text, externalId, status }) => [text, externalId, status]),
        [
          ['em dúvida', 'B2', 'sent'],
          ['outra coisa', ID, 'sent'],
        ],
      );
      assert.equal(town.named('B2')[0]?._id, messageId);
    }));

  test('an echo that says the same as a message with an id of its own is another message', () =>
    inTown(2, async (town) => {
      await inDoubt(town, { 'send.ownId': '3EB0OWN' });
      await town.tell('web', [echoed(town, { text: 'em dúvida' })]);
      assert.equal(town.named(ID)[0]?.message?.origin, 'network');
    }));
});
