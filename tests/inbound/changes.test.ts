/**
 * Edits and deletions by a message's author (D153). Production actors in a world without
 * faults; tests/inbound/changed-messages.test.ts has them over the networks' own webhooks.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { NetworkEvent } from '../../shared/network.ts';
import { inTown, type ToldTown } from '../support/told-town.ts';

const PHONE = '5511987650001';
const OTHER = '5511987650002';
const ID = '3EB0BB01';

type Over = Readonly<Record<string, unknown>>;

function event(town: ToldTown, type: NetworkEvent['type'], over: Over = {}): NetworkEvent {
  const person = { phone: PHONE, networkId: `${PHONE}@c.us` };
  const told = { type, externalId: ID, ...person, kind: 'text', text: 'original', at: town.now };
  return { ...told, ...over } as unknown as NetworkEvent;
}

function edit(town: ToldTown, text: string | null, over: Over = {}): NetworkEvent {
  return event(town, 'edit', { text, fromMe: false, ...over });
}

function deletion(town: ToldTown, over: Over = {}): NetworkEvent {
  return event(town, 'deletion', { fromMe: false, ...over });
}

async function shown(town: ToldTown) {
  const [entry] = town.named(ID);
  assert.ok(entry);
  const { conversationId } = entry;
  const history = await town.history(conversationId);
  const [message] = history.filter(({ externalId }) => externalId === ID);
  assert.ok(message);
  return { message, history, conversation: await town.conversation(conversationId) };
}

const iso = (at: number): string => new Date(at).toISOString();

describe('an edit by the author', () => {
  test('is the newest text, in lists and preview, and nothing else', () =>
    inTown(2, async (town) => {
      await town.tell('web', [event(town, 'message')]);
      const before = await shown(town);
      assert.ok(!('editedAt' in before.message) && !('deletedAt' in before.message));
      await town.pass(2_000);
      const at = town.now;
      await town.tell('web', [edit(town, 'qual o preço?')]);
      await town.pass(10_000);
      const after = await shown(town);
      assert.deepEqual(after.message, {
        ...before.message,
        text: 'qual o preço?',
        editedAt: iso(at),
      });
      const { lastMessagePreview } = after.conversation;
      assert.deepEqual(after.conversation, { ...before.conversation, lastMessagePreview });
      assert.equal(lastMessagePreview, 'qual o preço?');
      assert.equal(after.history.length, 1, 'no flow has answered');
      const told = town.town.subscribers.posts.filter(({ body }) =>
        body.includes('message.received'),
      );
      assert.ok(told.every(({ body }) => body.includes('original')));
    }));

  test('out of order, repeated, across a restart, the newest stays', () =>
    inTown(2, async (town) => {
      const { now } = town;
      await town.tell('cloud', [event(town, 'message')]);
      const edits = [3, 1, 2, 3, 1].map((n) => edit(town, `edição ${n}`, { at: now + n * 1_000 }));
      for (const each of edits.slice(0, 3)) await town.tell('cloud', [each]);
      await town.restart();
      await town.tell('cloud', ...edits.map((each) => [each]));
      const { message, conversation } = await shown(town);
      assert.deepEqual([message.text, message.editedAt], ['edição 3', iso(now + 3_000)]);
      assert.equal(conversation.lastMessagePreview, 'edição 3');
    }));

  test('that comes before its message is kept for it, also over a restart', () =>
    inTown(2, async (town) => {
      await town.tell('web', [edit(town, 'corrigida')]);
      assert.equal(town.entries().length, 0);
      await town.restart();
      await town.tell('web', [event(town, 'message')]);
      const { message, conversation } = await shown(town);
      assert.deepEqual([message.text, conversation.lastMessagePreview], ['corrigida', 'corrigida']);
      assert.equal(conversation.unread, 1);
      assert.equal(town.count('externals'), 0);
    }));

  test('in one webhook with its message it is applied', () =>
    inTown(2, async (town) => {
      await town.tell('cloud', [event(town, 'message'), edit(town, 'corrigida')]);
      assert.equal((await shown(town)).message.text, 'corrigida');
    }));

  test('of an older message leaves the preview', () =>
    inTown(2, async (town) => {
      await town.tell('web', [event(town, 'message')]);
      await town.tell('web', [event(town, 'message', { externalId: 'B2', text: 'depois' })]);
      await town.tell('web', [edit(town, 'corrigida')]);
      const { message, conversation } = await shown(town);
      assert.deepEqual([message.text, conversation.lastMessagePreview], ['corrigida', 'depois']);
    }));

  test('leaves a resolved conversation resolved and read', () =>
    inTown(2, async (town) => {
      await town.tell('web', [event(town, 'message')]);
      const [entry] = town.named(ID);
      const order = { type: 'resolve' };
      const resolved = town.shop.operate(entry?.conversationId ?? '', order);
      await town.pass(1_000);
      assert.equal((await resolved).status, 200);
      await town.tell('web', [edit(town, 'corrigida')], [deletion(town)]);
      const { conversation } = await shown(town);
      assert.deepEqual([conversation.status, conversation.unread], ['resolved', 1]);
    }));
});

describe('a deletion by the author', () => {
  test('empties the message and its preview for good', () =>
    inTown(2, async (town) => {
      await town.tell('web', [event(town, 'message')]);
      const { message: before } = await shown(town);
      const { now: at } = town;
      await town.tell('web', [deletion(town)]);
      await town.tell('web', [edit(town, 'de volta', { at: at + 60_000 })]);
      const { message, conversation } = await shown(town);
      const { editedAt: _, ...rest } = message;
      assert.deepEqual(rest, { ...before, text: null, media: null, deletedAt: iso(at) });
      assert.equal(conversation.lastMessagePreview, '[deleted]');
    }));

  test('of a message with media takes the media away, also where it comes later', () =>
    inTown(2, async (town) => {
      const media = { networkMediaId: ID, mimeType: 'image/png' };
      await town.tell('cloud', [event(town, 'message', { kind: 'image', text: null, media })]);
      await town.tell('cloud', [deletion(town)]);
      await town.pass(20_000);
      assert.notEqual(town.named(ID)[0]?.message?.media ?? null, null, 'it came');
      assert.equal((await shown(town)).message.media, null);
    }));

  test('reaches a message that is on record under its whole id', () =>
    inTown(2, async (town) => {
      const whole = `false_${PHONE}@c.us_${ID}`;
      await town.tell('web', [event(town, 'message', { externalId: whole })]);
      await town.tell('web', [deletion(town)]);
      const [entry] = town.named(whole);
      assert.ok(entry?.deletion);
    }));
});

describe('the author alone', () => {
  test('changes a message: no other contact, and nobody a message of the other side', () =>
    inTown(2, async (town) => {
      const stranger = { phone: OTHER, networkId: `${OTHER}@c.us` };
      await town.tell('web', [event(town, 'message')]);
      await town.tell('web', [event(town, 'message', { ...stranger, externalId: 'B2' })]);
      await town.tell('web', [edit(town, 'alheia', stranger)], [deletion(town, stranger)]);
      await town.tell('web', [edit(town, 'nossa', { fromMe: true })]);
      await town.tell('web', [deletion(town, { fromMe: true })]);
      const { message } = await shown(town);
      assert.deepEqual([message.text, 'deletedAt' in message], ['original', false]);
    }));

  test('a change kept from another contact never reaches the message', () =>
    inTown(2, async (town) => {
      const stranger = { phone: OTHER, networkId: `${OTHER}@c.us` };
      await town.tell('web', [edit(town, 'alheia', stranger)]);
      await town.tell('web', [event(town, 'message')]);
      await town.tell('web', [event(town, 'message', stranger)]);
      assert.equal((await shown(town)).message.text, 'original');
    }));

  test('our phone changes what our number wrote, sent by the API or typed', () =>
    inTown(2, async (town) => {
      await town.tell('web', [event(town, 'echo')]);
      await town.tell('web', [edit(town, 'dele', { fromMe: false })]);
      await town.tell('web', [edit(town, 'corrigida', { fromMe: true })]);
      const { message, conversation } = await shown(town);
      assert.deepEqual([message.text, message.direction], ['corrigida', 'out']);
      assert.equal(conversation.lastMessagePreview, 'corrigida');
      const { shop } = town.shop;
      const body = { channelId: shop.id, phone: PHONE, text: 'pela API' };
      await town.call({ method: 'POST', path: '/api/v1/messages', body });
      await town.pass(3_000);
      const sent = town.entries().find(({ message: each }) => each?.text === 'pela API');
      const externalId = sent?.message?.externalId;
      await town.tell('web', [deletion(town, { externalId, fromMe: true })]);
      const history = await town.history(sent?.conversationId ?? '');
      const [, api] = history;
      assert.deepEqual([api?.text, api?.status, 'deletedAt' in (api ?? {})], [null, 'read', true]);
    }));

  test('under another of their ids it is the author still', () =>
    inTown(2, async (town) => {
      const hidden = { phone: '', networkId: '77001@lid' };
      await town.tell('web', [event(town, 'message')]);
      await town.tell('web', [edit(town, 'corrigida', { ...hidden, aliases: [`${PHONE}@c.us`] })]);
      assert.equal((await shown(town)).message.text, 'corrigida');
    }));
});
